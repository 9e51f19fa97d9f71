// The clock: what it writes, and that one instance at a time does.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Clock } from '../src/background/clock.ts';
import { analyzeChanged } from '../src/database/index.ts';
import { logOccurrences } from '../src/events/occurrences.ts';
import { createRefresher } from '../src/resource/index.ts';
import { occurrences } from '../src/schema/changes/occurrences.ts';
import { api } from '../src/schema/index.ts';
import type { Client, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let clock: Clock;
const warnings: unknown[] = [];
const createClock = (changesKeptDays?: number) =>
  new Clock({
    database: service.database,
    refreshStale: createRefresher(service.database, api.resources),
    occurrences,
    changesKeptDays,
    log: { warn: (of: unknown) => warnings.push(of) },
  });

beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  clock = createClock();
});
afterAll(async () => {
  await clock.close();
  await service.close();
  expect(warnings).toEqual([]);
});

/** Reads what the log has after a position; older transactions of the whole server have to end first. */
async function readAfter(after?: string): Promise<{ changes: Row[]; next: string }> {
  await waitForOlderTransactions(service.database);
  const { row } = await client.get('/changes', after === undefined ? {} : { after });
  return row as { changes: Row[]; next: string };
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const idOf = async (path: string, body: Row) => String((await client.post(path, body)).row['id']);
const sql = (text: string, ...values: unknown[]) => service.database.query({ text, values });

test('changes that depend on the date are written once, by the clock', async () => {
  const lease = await idOf('/leases', {
    name: 'Hall',
    lease_type: 'property',
    start_date: '2020-01-01',
    end_date: '2090-01-01',
  });
  const due = await idOf('/reminders', { title: 'Due', due_date: inMinutes(-1) });
  await idOf('/reminders', { title: 'Later', due_date: inMinutes(60) });
  await idOf('/reminders', { title: 'Done', due_date: inMinutes(-1), status: 'dismissed' });
  await sql(`UPDATE leases SET end_date = '2021-01-01' WHERE id = $1`, lease);
  const { next } = await readAfter();

  expect(await clock.tick()).toBe(true);
  const actor = { kind: 'clock', user_id: null, token_id: null, request_id: null };
  const { changes, next: then } = await readAfter(next);
  expect(changes).toHaveLength(2);
  expect(changes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ resource: 'leases', row_id: lease, action: 'update', fields: ['status'], actor }),
      expect.objectContaining({ resource: 'reminders', row_id: due, action: 'due', fields: [], before: null, actor }),
    ]),
  );
  const dueChange = changes.find(({ action }) => action === 'due');
  expect(dueChange?.['after']).toMatchObject({ id: due, title: 'Due' });

  await clock.tick();
  expect((await readAfter(then)).changes).toEqual([]);
});

test('an occurrence that recurs is logged again', async () => {
  const reminder = await idOf('/reminders', { title: 'Call', due_date: inMinutes(-5) });
  await clock.tick();
  await client.patch(`/reminders/${reminder}`, { due_date: inMinutes(-2) });
  const { next } = await readAfter();
  let { changes } = await readAfter(next);
  expect(changes).toEqual([]);
  await clock.tick();
  ({ changes } = await readAfter(next));
  expect(changes.map(({ action, row_id }) => [action, row_id])).toEqual([['due', reminder]]);
});

test('all reminders are compared in pages, between which another instance may take over', async () => {
  const { prisma } = service.database;
  const companyId = (await service.tenant()).company.id;
  // As written and logged long ago, but for the first and the last, which only a comparison finds.
  const count = 2100;
  await sql(
    `INSERT INTO reminders (company_id, id, title, due_date, updated_at)
     SELECT $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Old', now() - interval '1 day',
            now() - interval '1 day'
     FROM generate_series(1, $2::int) AS n`,
    companyId,
    count,
  );
  await sql(
    `INSERT INTO clock_marks (company_id, table_name, row_id, since)
     SELECT company_id, 'reminders', id, due_date FROM reminders WHERE company_id = $1 ORDER BY id OFFSET 1 LIMIT $2`,
    companyId,
    count - 2,
  );
  const compare = async (most: number) => {
    let pages = 0;
    const logged = await logOccurrences(prisma, occurrences, { mayContinue: async () => ++pages <= most });
    return { logged, pages };
  };
  const all = Number.POSITIVE_INFINITY;
  const marks = async () =>
    (await sql(`SELECT count(*)::int AS count FROM clock_marks WHERE company_id = $1`, companyId)).rows[0]?.['count'];

  expect(await compare(0)).toEqual({ logged: 0, pages: 2 });
  // Pages have at most 2,000: two and the end of what was logged, then the first one of reminders.
  expect(await compare(4)).toEqual({ logged: 1, pages: 5 });
  expect(await compare(all)).toEqual({ logged: 1, pages: 6 });
  expect(await marks()).toBe(count);
  expect((await compare(all)).logged).toBe(0);
  // What is no longer true is forgotten, and logged when it is again.
  const change = `UPDATE reminders SET status = $1::reminder_status
    WHERE company_id = $2 AND right(id::text, 4) IN ('0001', lpad(to_hex($3::int), 4, '0'))`;
  await sql(change, 'completed', companyId, count);
  await compare(all);
  expect(await marks()).toBe(count - 2);
  await sql(change, 'pending', companyId, count);
  expect((await compare(all)).logged).toBe(2);
});

test('one instance at a time runs the clock, and another takes over', async () => {
  expect(await clock.tick()).toBe(true);
  const other = createClock();
  expect(await other.tick()).toBe(false);
  // As if the first had died a minute ago.
  await sql(`UPDATE duties SET until = now() - interval '1 second'`);
  expect(await other.tick()).toBe(true);
  expect(await clock.tick()).toBe(false);
  await other.close();
  expect(await clock.tick()).toBe(true);
});

test('old changes are deleted up to the first that is kept, and the log begins after them', async () => {
  const { next: before } = await readAfter();
  const old = `INSERT INTO changes (company_id, at, table_name, row_id, action, fields)
    SELECT $1, now() - make_interval(days => $2::int), 'paints', gen_random_uuid(), 'delete', '{}' FROM generate_series(1, $3::int)`;
  await sql(`UPDATE changes SET at = now() - interval '40 days'`);
  await sql(old, tenant.company.id, 31, 2100);
  const { row } = await client.post('/paints', { name: 'Sage' });
  await sql(old, tenant.company.id, 31, 1);
  let { next: end } = await readAfter();
  for (let from = before; from !== end; ) [from, end] = [end, (await readAfter(end)).next];

  await clock.close();
  const kept = createClock(30);
  await kept.tick();
  // What follows a kept one is kept too.
  const { rows } = await sql(
    `SELECT row_id::text AS id, action::text FROM changes WHERE company_id = $1 ORDER BY xid, seq`,
    tenant.company.id,
  );
  expect(rows).toEqual([
    { id: row['id'], action: 'create' },
    { id: expect.any(String), action: 'delete' },
  ]);
  expect((await readAfter()).changes).toMatchObject([{ row_id: row['id'] }]);
  expect(await client.get('/changes', { after: before })).toMatchObject({ status: 410, error: { code: 'GONE' } });
  expect((await client.get('/changes', { after: end })).status).toBe(200);
  await kept.close();
});

test('statistics are updated for new rows', async () => {
  const tables = async () =>
    (await sql(`SELECT relname FROM pg_class WHERE relname IN ('paints', 'vendors') AND reltuples >= 100`)).rows;
  expect(await tables()).toEqual([]);
  await sql(
    `INSERT INTO paints (company_id, id, name) SELECT $1::uuid, gen_random_uuid(), 'White' FROM generate_series(1, 100)`,
    tenant.company.id,
  );
  // A server has autovacuum for this, and counts what changed some time after it did.
  for (const deadline = Date.now() + 60_000; (await tables()).length === 0; await sleep(100)) {
    expect(Date.now()).toBeLessThan(deadline);
    await (service.database.kind === 'embedded' ? clock.tick() : analyzeChanged(service.database));
  }
  expect(await tables()).toEqual([{ relname: 'paints' }]);
});
