// Rows that are older than the migrations of November 25: what these make of them, and what the service then does.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listSecurityEvents } from '../src/auth/security-log.ts';
import { Clock } from '../src/background/clock.ts';
import { migrate } from '../src/database/migrate.ts';
import { findUnnormalized } from '../src/database/unnormalized.ts';
import { noMailer } from '../src/mail/index.ts';
import { createRefresher } from '../src/resource/index.ts';
import { occurrences } from '../src/schema/changes/occurrences.ts';
import { api } from '../src/schema/index.ts';
import type { Client, Row } from './support/client.ts';
import { notificationWorker, webhookWorker } from './support/log-worker.ts';
import { openOlder } from './support/older-release.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';
import { Receiver, verify } from './support/webhooks.ts';

const composed = 'José';
const decomposed = composed.normalize('NFD');
const past = '2020-01-31T15:00:00.000Z';
const secrets = ['a', 'b'].map((letter) => Buffer.from(letter.repeat(24)).toString('base64'));
/** A position of no log, which the older release stored where it had read nothing. */
const nowhere = Buffer.from('00000000.0.0').toString('base64url');

let service: Service;
let acme: Tenant;
let other: Tenant;
let client: Client;
let receiver: Receiver;
/** The rows of before, by their names, and the positions at the end of the log then. */
const ids: Record<string, string> = {};
let ends: Record<string, string> = {};

const sql = async (text: string, ...values: unknown[]) => (await service.database.query({ text, values })).rows;

/** Inserts a row of a company, as the older release had it. */
async function insert(table: string, name: string, columns: Row, { company } = acme): Promise<string> {
  const id = randomUUID();
  const row = JSON.parse(JSON.stringify({ company_id: company.id, id, ...columns })) as Row;
  const names = Object.keys(row).join();
  await sql(
    `INSERT INTO ${table} (${names}) SELECT ${names} FROM jsonb_populate_record(NULL::${table}, $1)`,
    JSON.stringify(row),
  );
  return (ids[name] = String(row['id']));
}

/** A position as the older release had it: of the log's identity and generation. */
const positionOf = (identity: unknown, generation: unknown, xid: unknown, seq: unknown) =>
  Buffer.from(
    `${createHash('md5')
      .update(`${String(identity)} ${String(generation)}`)
      .digest('hex')
      .slice(0, 8)}.${String(xid)}.${String(seq)}`,
  ).toString('base64url');

/** The end of a company's log, before the upgrade. */
async function endOf({ company }: Tenant): Promise<string> {
  const [log] = await sql('SELECT identity, generation FROM change_logs ORDER BY generation DESC LIMIT 1');
  const [last] = await sql(
    'SELECT xid, seq FROM changes WHERE company_id = $1 ORDER BY xid DESC, seq DESC LIMIT 1',
    company.id,
  );
  return positionOf(log?.['identity'], log?.['generation'], last?.['xid'] ?? 0, last?.['seq'] ?? 0);
}

/** What has its status since some time, or since nobody knows when. */
async function insertDated(table: string, name: string, columns: Row, status: string, since: string | null) {
  const id = await insert(table, name, { created_at: past, updated_at: past, ...columns });
  await sql(`UPDATE ${table} SET status = $2, updated_at = $3 WHERE id = $1`, id, status, since ?? past);
  if (since === null) await sql('DELETE FROM status_periods WHERE row_id = $1', id);
}

/** The day of all that had one, in New York, and when rows got their status. */
const day = '2020-03-10';
const dated: readonly (readonly [name: string, day: string | null, since: string | null, isKept: boolean])[] = [
  ['long before its day', day, '2020-02-10T12:00:00Z', true],
  ['on its day', day, '2020-03-11T03:30:00Z', true],
  ['after its day', day, '2020-03-11T04:30:00Z', false],
  ['without a day', null, '2020-03-11T04:30:00Z', true],
  ['before the log, with a day that is over', day, null, false],
  ['before the log, with a day to come', '2090-01-01', null, true],
];

async function insertRows(): Promise<void> {
  const asset = await insert('assets', 'asset', { asset_name: 'Boiler' });
  for (const [name, on, since] of dated) {
    await insertDated('leases', `lease ${name}`, { name, end_date: on }, 'expired', since);
    const columns = { asset_id: asset, scheduled_date: on };
    await insertDated('asset_maintenance', `maintenance ${name}`, columns, 'overdue', since);
  }

  await insert('reminders', 'monthly', { title: 'Rent', due_date: '2090-01-31T15:00:00Z', recurrence: 'monthly' });
  await insert('reminders', 'reported reminder', { title: decomposed, due_date: past });
  await insert('reminders', 'due reminder', { title: 'Lift', due_date: past });
  await mark('reminders', 'reported reminder');

  for (const [name, quantity] of [
    ['reported item', 1],
    ['low item', 2],
    ['item', 9],
  ] as const)
    await insert('inventory_items', name, { name, quantity, reorder_point: 5 });
  await mark('inventory_items', 'reported item');

  const named = { name: decomposed, updated_at: past };
  await insert('inventory_items', 'unlike others', { ...named, sku: `${decomposed} 1` });
  await insert('inventory_items', 'like another', { ...named, sku: `${decomposed} 2` });
  await insert('inventory_items', 'the other', { name: 'Straße', sku: `${composed} 2`, updated_at: past });
  await insert('label_templates', 'growing', { name: '\u0958'.repeat(150), updated_at: past });

  await sql(
    `UPDATE companies SET email_sender_name = $2, email_reply_to = 'jose@acme.example' WHERE id = $1`,
    (ids['acme'] = acme.company.id),
    decomposed,
  );
  const details = { emailSenderName: decomposed, emailReplyTo: 'JOSE@acme.example' };
  await insert('security_events', 'settings', { action: 'company_settings_changed', details });
  const guest = { guest_name: decomposed, guest_email: 'JOSE@acme.example', token_hash: '\\x00' };
  await insert('expected_packages', 'package', guest);
  const user = { full_name: composed, email: 'jose@acme.example' };
  await sql('INSERT INTO people (id, full_name, email) VALUES ($1, $2, $3)', randomUUID(), ...Object.values(user));
  const [person] = await sql('SELECT id FROM people WHERE email = $1', user.email);
  await insert('users', 'José', { ...user, id: person?.['id'], deactivated_at: past });

  const secret = { secret: secrets[0], previous_secret: secrets[1], previous_secret_until: '2090-01-01' };
  const state = { position: await endOf(acme), failing_since: past, resources: ['Paint'], actions: [] };
  const columns = { user_id: acme.users[0]?.id, name: 'CRM', url: receiver.url, ...secret, ...state };
  const webhook = await insert('webhooks', 'webhook', columns);
  await insert('webhook_deliveries', 'message', { webhook_id: webhook, event: 'webhook.ping' });

  for (const each of [acme, other]) {
    const reader = { user_id: each.users[2]?.id };
    await insert('notification_preferences', '', { ...reader, kind: 'low_stock', delivery: 'list' }, each);
  }
  const seen = { user_id: acme.users[2]?.id, kind: 'low_stock', table_name: 'inventory_items', mail_group: '' };
  for (const [n, xid] of [
    [1, 7],
    [2, 7],
    [3, 8],
    [4, 0],
    [5, 0],
  ]) {
    const columns = { id: idOf(n), row_id: ids['item'], xid, seq: xid, created_at: past };
    await insert('notifications', `notification ${n}`, { ...seen, ...columns });
  }
}

/** What the clock of the older release reported has a mark. */
const mark = (table: string, name: string) =>
  insert('clock_marks', '', { id: undefined, table_name: table, row_id: ids[name], since: past });

const idOf = (n: unknown) => `00000000-0000-7000-8000-00000000000${String(n)}`;

/** What the clock, and what reads the log, do within a minute. */
async function work(): Promise<void> {
  await waitForOlderTransactions(service.database);
  const { database } = service;
  const log = { warn: (...told: unknown[]) => expect(told).toEqual([]) };
  const parts = { database, api, log };
  const clock = new Clock({ ...parts, refreshStale: createRefresher(database, api.resources), occurrences });
  await clock.tick();
  await clock.tick();
  await clock.close();
  await waitForOlderTransactions(database);
  const notifications = notificationWorker({ ...parts, mailer: noMailer });
  await notifications.deliverPending();
  await notifications.close();
  const webhooks = webhookWorker({ ...parts, api, mailer: noMailer, allowedHosts: ['127.0.0.1'] });
  await webhooks.deliverPending();
  await webhooks.close();
}

/** What the log of a company has after a position: the actions and the names of the rows of before. */
async function changesAfter(reader: Client, after: string | undefined) {
  await waitForOlderTransactions(service.database);
  const { status, row } = await reader.get('/changes', { after, limit: 100 });
  expect(status).toBe(200);
  const nameOf = (id: unknown) => Object.keys(ids).find((name) => ids[name] === id);
  return (row['changes'] as Row[]).map(({ action, row_id, fields }) => [action, nameOf(row_id), fields]);
}

beforeAll(async () => {
  receiver = await Receiver.start();
  service = await startService({}, (options) => openOlder('20261125080000_start_of_day', options));
  // The log of a database that was restored once.
  await sql('UPDATE change_logs SET generation = 1');
  await sql(`INSERT INTO change_logs (generation, identity) VALUES (0, '4711 1 99')`);
  [acme, other] = [await service.tenant('acme'), await service.tenant('other')];
  await sql(`UPDATE companies SET time_zone = 'America/New_York'`);
  await insertRows();
  await sql(`INSERT INTO notification_positions (company_id, position) VALUES ($1, $2)`, acme.company.id, nowhere);
  const position = await endOf(other);
  await sql(`INSERT INTO notification_positions (company_id, position) VALUES ($1, $2)`, other.company.id, position);
  const item = { name: 'Fuse', quantity: 0, reorder_point: 1 };
  await insert('inventory_items', 'item of the other', item, other);
  await insert(
    'changes',
    '',
    {
      ...{ id: undefined, table_name: 'inventory_items', row_id: ids['item of the other'], action: 'low_stock' },
      ...{ fields: [], after: item, actor: { kind: 'clock' } },
    },
    other,
  );
  await sql(
    `INSERT INTO clock_marks SELECT company_id, 'inventory_items', id, 'epoch' FROM inventory_items WHERE id = $1`,
    ids['item of the other'],
  );
  ends = { acme: await endOf(acme), other: await endOf(other) };

  await migrate(service.database);
  client = await acme.client();
  await work();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

test('the log goes on where the older release was, and has what the upgrade and the clock did', async () => {
  const changes = await changesAfter(client, ends['acme']);
  expect(changes.toSorted()).toEqual(
    [
      ['low_stock', 'low item', []],
      ['update', 'unlike others', ['name', 'sku']],
      ['update', 'like another', ['name']],
      ['update', 'reported reminder', ['title']],
      ['update', 'package', ['guest_name']],
      ['update', 'acme', ['updated_at']],
      ['due', 'due reminder', []],
    ].toSorted(),
  );
  expect(await changesAfter(await other.client(), ends['other'])).toEqual([]);
  const ofFirst = positionOf('4711 1 99', 0, 1, 1);
  expect(await client.get('/changes', { after: ofFirst })).toMatchObject({ status: 410, error: { code: 'GONE' } });
});

test.each([
  ['lease', 'leases', 'end_date', 'active'],
  ['maintenance', 'maintenance', 'scheduled_date', 'scheduled'],
])('a status of before its day stays, and another follows the day: %s', async (kind, path, column, status) => {
  const base = kind === 'lease' ? '' : `/assets/${ids['asset']}`;
  for (const [name, , , isKept] of dated) {
    const at = `${base}/${path}/${ids[`${kind} ${name}`]}`;
    expect((await client.patch(at, { [column]: '2091-01-01' })).status).toBe(200);
    const kept = kind === 'lease' ? 'expired' : 'overdue';
    expect([name, (await client.get(at)).row['status']]).toEqual([name, isKept ? kept : status]);
  }
});

test('a reminder begins its series', async () => {
  const complete = async (id: unknown) => {
    expect((await client.patch(`/reminders/${String(id)}`, { status: 'completed' })).status).toBe(200);
    const { rows } = await client.get('/reminders', { status: 'pending', search: 'Rent' });
    return rows[0] ?? {};
  };
  const february = await complete(ids['monthly']);
  expect(february['due_date']).toBe('2090-02-28T15:00:00.000Z');
  // At the same hour, in summer time.
  expect((await complete(february['id']))['due_date']).toBe('2090-03-31T14:00:00.000Z');
});

test('a person is notified once, and not of what was no news to the older release', async () => {
  const stored = ({ company }: Tenant) =>
    sql('SELECT id, row_id FROM notifications WHERE company_id = $1 ORDER BY id', company.id);
  const rows = await stored(acme);
  const isOld = ({ id }: Row) => String(id).startsWith('00000000-');
  expect(rows.filter(isOld).map(({ id }) => id)).toEqual([1, 3, 4, 5].map(idOf));
  expect(rows.filter((row) => !isOld(row)).map(({ row_id }) => row_id)).toEqual([ids['low item']]);
  expect((await stored(other)).map(({ row_id }) => row_id)).toEqual([ids['item of the other']]);
});

test('stock that was low is reported once, and again only when it has fallen again', async () => {
  const position = String((await client.get('/changes', { after: ends['acme'], limit: 100 })).row['next']);
  for (const name of ['reported item', 'low item', 'item']) {
    for (const quantity of [1, 8, 0]) await client.patch(`/inventory/${ids[name]}`, { quantity });
  }
  await work();
  const reported = (await changesAfter(client, position)).filter(([action]) => action === 'low_stock');
  expect(reported.map(([, name]) => name)).toEqual(['reported item', 'low item', 'item', 'item']);
});

test('messages that waited are sent, signed with both secrets', async () => {
  expect(receiver.received.map(({ message }) => message['type'])).toEqual(['webhook.ping']);
  for (const secret of secrets) expect(verify(`whsec_${secret}`, receiver.received[0])).toBeTruthy();
  expect(await sql('SELECT failing_since FROM webhooks')).toEqual([{ failing_since: null }]);
});

test('text has one form, but for what is listed, and is found in any case', async () => {
  const { database } = service;
  expect(await findUnnormalized(database, ['InventoryItem', 'LabelTemplate', 'Reminder', 'ExpectedPackage'])).toEqual([
    { company: 'acme', table: 'inventory_items', column: 'sku', rowId: ids['like another'] },
    { company: 'acme', table: 'label_templates', column: 'name', rowId: ids['growing'] },
  ]);
  const named = async (query: Row) => (await client.get('/inventory', query)).rows.map(({ id }) => id).toSorted();
  const both = [ids['unlike others'], ids['like another']].toSorted();
  expect(await named({ name: composed })).toEqual(both);
  expect(await named({ search: 'JOSÉ 1' })).toEqual([ids['unlike others']]);
  expect(await named({ search: 'STRASSE' })).toEqual([ids['the other']]);
  for (const search of ['JOSÉ', decomposed]) {
    const events = await listSecurityEvents(database.prisma, acme.company.id, { first: 9, search });
    expect(events.map(({ id }) => id)).toEqual([ids['settings']]);
  }
  const [unchanged] = await sql('SELECT updated_at FROM inventory_items WHERE id = $1', ids['the other']);
  expect(unchanged?.['updated_at']).toEqual(new Date(past));
});

test('names of before are erased in either form', async () => {
  await sql('SELECT erase_user($1, $2, NULL, NULL, NULL)', acme.company.id, ids['José']);
  expect(await sql('SELECT guest_name, guest_email FROM expected_packages')).toEqual([
    { guest_name: 'Erased user', guest_email: `${ids['José']}@erased.invalid` },
  ]);
  const left = await sql(
    `SELECT 'changes', before::text, after::text FROM changes
      WHERE table_name IN ('companies', 'expected_packages', 'users') AND normalize(concat(before, after)) ~ $1
     UNION ALL SELECT 'security log', details::text, '' FROM security_events WHERE normalize(details::text) ~ $1`,
    composed,
  );
  expect(left).toEqual([]);
});
