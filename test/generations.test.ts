// The log of changes after another server took over, or after a restore.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { beginGeneration } from '../src/events/generation.ts';
import { noMailer } from '../src/mail/index.ts';
import { api } from '../src/schema/index.ts';
import { ChangeStream } from './support/change-stream.ts';
import type { Client, Row } from './support/client.ts';
import { notificationWorker } from './support/log-worker.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { dataOf, WebhookService } from './support/webhooks.ts';

let hooks: WebhookService;
let client: Client;
beforeAll(async () => {
  hooks = await WebhookService.start();
  ({ client } = hooks);
});
afterAll(() => hooks.close());

interface Feed {
  readonly changes: readonly Row[];
  readonly next: string;
}

async function read(after?: string): Promise<Feed> {
  await waitForOlderTransactions(hooks.service.database);
  const { status, row } = await client.get('/changes', after === undefined ? {} : { after });
  expect(status).toBe(200);
  return row as unknown as Feed;
}

const rowIds = ({ changes }: Feed) => changes.map(({ row_id }) => row_id);

/** Makes the log that of another server (1), timeline (2) or table (3). */
async function takeOver(what: 1 | 2 | 3): Promise<void> {
  const words = [1, 2, 3].map((n) => (n === what ? `'4711'` : `split_part(identity, ' ', ${n})`));
  await hooks.sql(
    `UPDATE change_logs SET identity = concat_ws(' ', ${words.join(', ')}) WHERE generation = (SELECT max(generation) FROM change_logs)`,
  );
}

const generations = async () =>
  Number((await hooks.sql('SELECT count(*) AS count FROM change_logs')).rows[0]?.['count']);

/** A position as clients have it, in its parts, with some of them replaced. */
function replace(position: string, change: (parts: string[]) => string[]): string {
  return Buffer.from(change(Buffer.from(position, 'base64url').toString().split('.')).join('.')).toString('base64url');
}

test.each([[2], [3]] as const)('a write alone begins another generation, before any other (%i)', async (what) => {
  const before = await hooks.paint('Before');
  const { next } = await read();
  const count = await generations();
  await takeOver(what);
  const created = await Promise.all(Array.from({ length: 8 }, (_, n) => hooks.paint(`Paint ${n}`)));
  expect(await generations()).toBe(count + 1);
  expect(await beginGeneration(hooks.service.database)).toBe(false);
  const later = await read(next);
  expect(rowIds(later).toSorted()).toEqual(created.toSorted());
  const all = await read();
  expect(rowIds(all).slice(-9).toSorted()).toEqual([before, ...created].toSorted());
});

test.each([[1], [2], [3]] as const)(
  'positions up to the last inherited change go on, later ones are gone (%i)',
  async (what) => {
    const first = await hooks.paint('First');
    const early = (await read()).next;
    const snapshot = String(
      (await client.graphql<{ snapshot: Row }>('{ snapshot { position } }')).data.snapshot['position'],
    );
    const last = await hooks.paint('Last');
    // What a consumer has that has read all, and looked again since.
    const end = (await read((await read(early)).next)).next;
    // That of a change which the server that took over did not get.
    const lost = replace(end, ([label = '', xid, seq]) => [label, String(BigInt(xid ?? 0) + 1n), String(seq)]);
    const lostNext = replace(end, ([label = '', xid, seq]) => [label, String(xid), String(BigInt(seq ?? 0) + 1n)]);
    await takeOver(what);
    expect(await beginGeneration(hooks.service.database)).toBe(true);
    expect(await beginGeneration(hooks.service.database)).toBe(false);

    const check = async (created: string[]) => {
      for (const after of [early, snapshot]) expect(rowIds(await read(after))).toEqual([last, ...created]);
      expect(rowIds(await read(end))).toEqual(created);
      expect(rowIds(await read()).slice(-2 - created.length)).toEqual([first, last, ...created]);
      for (const after of [lost, lostNext])
        expect(await client.get('/changes', { after })).toMatchObject({ status: 410, error: { code: 'GONE' } });
    };
    await check([]);
    const { next } = await read(early);
    const created = await hooks.paint('Created');
    await check([created]);
    expect(rowIds(await read(next))).toEqual([created]);
    // One more takeover: positions of either generation go on.
    await takeOver(what);
    const latest = await hooks.paint('Latest');
    await check([created, latest]);
    expect(rowIds(await read(next))).toEqual([created, latest]);
  },
);

test('positions of a life that was restored twice are not those of the other', async () => {
  await hooks.paint('Kept');
  const { next } = await read();
  const { rows: logs } = await hooks.sql('SELECT * FROM change_logs');
  const restore = async () => {
    await hooks.sql('DELETE FROM changes WHERE xid > $1', Buffer.from(next, 'base64url').toString().split('.')[1]);
    await hooks.sql('DELETE FROM change_logs');
    await hooks.sql(
      'INSERT INTO change_logs SELECT * FROM jsonb_populate_recordset(NULL::change_logs, $1)',
      JSON.stringify(logs),
    );
    await takeOver(1);
    expect(await beginGeneration(hooks.service.database)).toBe(true);
    return hooks.paint('Of this life');
  };
  await restore();
  const ofOne = (await read(next)).next;
  const other = await restore();
  expect(rowIds(await read(next))).toEqual([other]);
  expect((await client.get('/changes', { after: ofOne })).status).toBe(410);
});

test('a stream goes on, and its positions do too', async () => {
  const { next } = await read();
  const stream = await ChangeStream.open(client, { after: next });
  await takeOver(2);
  const ids = [await hooks.paint('One'), await hooks.paint('Two')];
  await stream.received(2);
  expect(stream.changes.map(({ row_id }) => row_id)).toEqual(ids);
  for (const { id, changes } of stream.events)
    expect(rowIds(await read(id))).toEqual(ids.slice(ids.indexOf(String(changes.at(-1)?.['row_id'])) + 1));
  stream.close();
});

test('webhooks and notifications miss nothing and get nothing twice', async () => {
  await hooks.reset();
  const { database } = hooks.service;
  const notifications = notificationWorker({
    database,
    mailer: noMailer,
    api,
    log: pino({ level: 'silent' }),
  });
  const assigned_to = hooks.tenant.users[1]?.id;
  const request = async (title: string) =>
    String((await client.post('/service-requests', { title, assigned_to })).row['id']);
  await hooks.create(hooks.people.admin, { resources: ['PAINTS'] });
  await notifications.deliverPending();
  const [paints, requests]: [string[], string[]] = [[], []];
  const write = async () => {
    paints.push(await hooks.paint('Paint'));
    requests.push(await request('Request'));
  };
  await write();
  await hooks.deliverAll();
  await notifications.deliverPending();
  await write();
  await takeOver(2);
  await write();
  // As if they had been read up to a position that nobody knows any more.
  await hooks.sql(
    `UPDATE webhooks SET position = $1`,
    await (async () => {
      const { rows } = await hooks.sql('SELECT position FROM webhooks');
      return replace(String(rows[0]?.['position']), ([, xid, seq]) => ['00000000', String(xid), String(seq)]);
    })(),
  );
  for (const position of [undefined, null]) {
    // Read again from the beginning.
    if (position === null) await hooks.sql('UPDATE notification_positions SET position = NULL');
    await hooks.deliverAll();
    await notifications.deliverPending();
  }
  expect(hooks.receiver.received.map(({ message }) => dataOf(message)['row_id']).toSorted()).toEqual(paints.toSorted());
  const { rows } = await hooks.sql(
    'SELECT row_id::text FROM notifications WHERE user_id = $1 ORDER BY id',
    assigned_to,
  );
  expect(rows.map(({ row_id }) => row_id)).toEqual(requests);
  await notifications.close();
});
