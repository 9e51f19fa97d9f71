// The archive of a company is imported into another database, or beside the company itself.
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CompanyArchive } from '../../src/auth/company-archive.ts';
import { exportCompany, omittedTables } from '../../src/auth/company-export.ts';
import { importCompany, leftOutTables } from '../../src/auth/company-import.ts';
import { createToken } from '../../src/auth/tokens.ts';
import type { Database } from '../../src/database/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { Client, type Row } from '../support/client.ts';
import { notificationWorker } from '../support/log-worker.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { collectionsWith, typeOf } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';
import { unzip } from '../support/unzip.ts';

let folder: string;
let source: Service;
let target: Service;
let acme: Tenant;
/** The archive of the company, and its files. */
let archive: string;
let files: Record<string, string>;
/** The position of a reader of the feed. */
let position: string;

const sql = async ({ database }: Pick<Service, 'database'>, text: string, ...values: unknown[]) =>
  (await database.query({ text, values })).rows;

/** Inserts a row, by the names of its columns. */
async function insert(table: string, columns: Row): Promise<void> {
  const row = { company_id: acme.company.id, ...columns };
  const names = Object.keys(row).join();
  const values = [JSON.stringify(row)];
  const text = `INSERT INTO ${table} (${names}) SELECT ${names} FROM jsonb_populate_record(NULL::${table}, $1)`;
  await source.database.query({ text, values });
}

/** Rows of the tables that no list fills. */
async function insertOthers(): Promise<void> {
  const [ada, ben] = acme.users;
  const ids = { webhook: randomUUID(), hash: `\\x${Buffer.from(randomUUID()).toString('hex')}` };
  const item = { table_name: 'paints', row_id: randomUUID() };
  const created = { id: randomUUID(), user_id: ada?.id };
  const ofSchedule = { saved_query_id: created.id, weekday: 1, minute: 420, format: 'csv', user_ids: [ada?.id] };
  await insert('saved_queries', {
    ...created,
    name: 'Mine',
    query: '{ me { id } }',
    is_shared: false,
    charts: {},
    updated_at: 'now',
  });
  await insert('saved_query_schedules', { ...ofSchedule, next_at: 'now', created_at: 'now', updated_at: 'now' });
  const ofView = { name: 'Mine', resource: 'Paint', search: '?sort=name', is_shared: false };
  await insert('saved_views', { ...created, ...ofView, updated_at: 'now' });
  await insert('dashboards', { ...created, name: 'Mine', is_shared: false, tiles: {}, updated_at: 'now' });
  const ofMapping = { name: 'Mine', type: 'Paint', options: {}, is_shared: false };
  await insert('import_mappings', { ...created, ...ofMapping, created_at: 'now', updated_at: 'now' });
  await insert('notification_preferences', { id: randomUUID(), user_id: ben?.id, kind: 'low_stock', delivery: 'list' });
  for (const [n, mail_status] of ['pending', 'sent'].entries())
    await insert('notifications', {
      ...{ ...item, id: randomUUID(), user_id: ben?.id, kind: 'low_stock', mail_group: '' },
      ...{ xid: 17, seq: n, mail_status, created_at: '2026-01-02T03:04:05.678Z' },
    });
  await insert('clock_marks', { ...item, since: '2026-01-02T03:04:05.678Z' });
  await insert('ai_usage_months', {
    ...{ month: '2020-01-01', feature: 'chat', requests: 7, input_tokens: 9_007_199_254_740_993n.toString() },
    ...{ output_tokens: 1, cost_usd: '12345678901234567890.0123456789', updated_at: '2026-01-02' },
  });
  await insert('ai_usage_events', {
    ...{ id: randomUUID(), feature: 'chat', user_id: ada?.id, input_tokens: 1, output_tokens: 2 },
    ...{ cost_usd: '1234567890.0123456789', occurred_at: '2026-01-02T03:04:05.678Z' },
  });
  await insert('webhooks', {
    ...{ id: ids.webhook, user_id: ada?.id, name: 'CRM', url: 'https://example.com', resources: [], actions: [] },
    ...{ secret: 'x', position: 'x', enabled: true, created_at: 'now', updated_at: 'now' },
  });
  const ofWebhook = { id: randomUUID(), webhook_id: ids.webhook };
  await insert('webhook_earlier_secrets', { ...ofWebhook, secret: 'y', signs_until: '2090-01-01' });
  await insert('webhook_deliveries', { ...ofWebhook, event: 'webhook.ping' });
  await insert('invitations', {
    ...{ id: randomUUID(), email: 'new@acme.example', full_name: 'New', role: 'member' },
    ...{ token_hash: ids.hash, invited_by: ada?.id, expires_at: '2090-01-01', created_at: 'now' },
  });
  await insert('jobs', { id: randomUUID(), kind: 'test', payload: {} });
  await insert('calendar_feeds', { ...created, id: randomUUID(), token_hash: ids.hash, created_at: 'now' });
  for (const [table, parents] of [
    ['requisition_lines', 'requisitions'],
    ['purchase_order_lines', 'purchase_orders'],
    ['receiving_lines', 'receiving_records'],
  ] as const) {
    const [row] = await sql(
      source,
      `SELECT parent.id AS parent_id, item.id AS item_id FROM ${parents} AS parent, inventory_items AS item
       WHERE parent.company_id = $1 AND item.company_id = $1 LIMIT 1`,
      acme.company.id,
    );
    const line = { id: randomUUID(), position: 0, quantity: 3, item_id: row?.['item_id'] };
    await insert(table, { ...line, [`${parents.slice(0, -1)}_id`]: row?.['parent_id'] });
  }
  await sql(
    source,
    `SELECT record_security_event('role_changed', '{"b": 1,  "a": 2.50}', $1, $2, $2, '10.0.0.1', 'Browser')::text`,
    acme.company.id,
    ada?.id,
  );
  const [found] = await sql(source, 'SELECT id FROM expected_packages WHERE company_id = $1', acme.company.id);
  await insert('guest_mails', { id: randomUUID(), package_id: found?.['id'] });
}

/** Exports a company. @returns the path of the archive */
async function exported({ database }: Pick<Service, 'database'>, companyId: string): Promise<string> {
  const path = join(folder, `${randomUUID()}.zip`);
  const file = await open(path, 'wx');
  await exportCompany(database, filesOf(), companyId, file, { timeoutMs: 60_000 }).finally(() => file.close());
  return path;
}

/** Imports an archive. @returns the company */
async function imported(database: Database, path = archive, slug?: string) {
  const opened = await CompanyArchive.open(path);
  return importCompany(database, filesOf(), opened, slug).finally(() => opened.close());
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  [source, target] = [await startService(), await startService()];
  acme = await source.tenant('acme');
  const rows = await Rows.of(source, acme, true, 2);
  for (const [, collection] of collectionsWith('list'))
    if (typeOf(collection) !== 'Company') await rows.list(collection, { full: true });
  await insertOthers();
  const client = await acme.client();
  const { row: paint } = await client.post('/paints', { name: 'ü€😀\n"\\' });
  await client.patch(`/paints/${String(paint['id'])}`, { name: 'Another' });
  await client.patch(`/paints/${String(paint['id'])}`, { name: 'A third' });
  await waitForOlderTransactions(source.database);
  position = String((await client.get('/changes', { limit: 1 })).row['next']);
  // More than are sent at once.
  await source.database.prisma.paint.createMany({
    data: Array.from({ length: 1200 }, (_, n) => ({ companyId: acme.company.id, name: `Paint ${n}` })),
  });
  archive = await exported(source, acme.company.id);
  files = await unzip(await readFile(archive));
});
afterAll(async () => {
  await Promise.all([source.close(), target.close()]);
  await rm(folder, { recursive: true });
});

/** The lines of a file, in an order of their own; `change` makes two archives the same. */
const lines = (file = '', change = (row: string) => row) => file.split('\n').slice(0, -1).map(change).toSorted();

describe('another database', () => {
  beforeAll(async () => {
    // Embedded databases of tests are copies of one, with one log.
    await sql(target, `UPDATE change_logs SET label = 'feedbeef'`);
    const { id, slug, name, people, leftOut } = await imported(target.database);
    expect({ id, slug, name, people }).toEqual({
      ...{ id: acme.company.id, slug: 'acme', name: acme.company.name },
      people: { all: lines(files['users.ndjson']).length, known: 0 },
    });
    expect(Object.keys(leftOut).toSorted()).toEqual(leftOutTables.toSorted());
  });

  test('has every row, but for what is named here', async () => {
    const again = await unzip(await readFile(await exported(target, acme.company.id)));
    expect(Object.keys(again).toSorted()).toEqual(Object.keys(files).toSorted());
    const tables = await sql(
      source,
      `SELECT DISTINCT table_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND column_name = 'company_id'`,
    );
    const names = ['companies', ...tables.map(({ name }) => String(name))].filter(
      (each) => !omittedTables.includes(each),
    );
    expect(names.map((name) => `${name}.ndjson`).toSorted()).toEqual(
      Object.keys(files)
        .filter((name) => name !== 'archive.json' && !name.startsWith('files/'))
        .toSorted(),
    );
    // The numbers of the log are those of its database.
    const unnumbered = (row: string) => row.replace(/"(xid|seq)":\d+,?/g, '');
    // The address of a file that is here is that of the service.
    const readdressed = (row: string) => row.replace(/"file_url":"[^"]*"(?=.*"file_id":")/, '"file_url":""');
    const changed: Record<string, (row: string) => string> = {
      asset_documents: readdressed,
      documents: readdressed,
      hr_documents: readdressed,
      lease_documents: readdressed,
      changes: unnumbered,
      status_periods: unnumbered,
      // Nobody is emailed what the other company emails.
      notifications: (row) => unnumbered(row).replace('"mail_status":"pending"', '"mail_status":"none"'),
    };
    expect(names.filter((name) => files[`${name}.ndjson`] === '')).toEqual([]);
    const differing: string[] = [];
    for (const name of names) {
      const [before, after] = [files, again].map((each) => lines(each[`${name}.ndjson`], changed[name]));
      if (JSON.stringify(before) !== JSON.stringify(after)) differing.push(name);
    }
    // What has secrets or waits, documents, whose files are read again, and the security log, which has the import.
    expect(differing.toSorted()).toEqual([...leftOutTables, 'documents', 'security_events'].toSorted());
    // The only jobs are those that the rows make.
    const madeAgain = /^(\{.*"kind":"document-text".*\}\n)+$/;
    for (const name of leftOutTables)
      expect([name, (again[`${name}.ndjson`] ?? '').replace(madeAgain, '')]).toEqual([name, '']);
    const events = lines(again['security_events.ndjson']);
    expect(events.filter((event) => !lines(files['security_events.ndjson']).includes(event))).toEqual([
      expect.stringContaining('"action":"company_imported"'),
    ]);
  });

  test('keeps the order of changes and periods', async () => {
    for (const [table, columns] of [
      ['changes', 'row_id, action, before, after, at'],
      ['status_periods', 'table_name, row_id, status, entered_at'],
    ]) {
      const query = `SELECT ${columns} FROM ${table} WHERE company_id = $1 ORDER BY seq`;
      const [one, other] = [await sql(source, query, acme.company.id), await sql(target, query, acme.company.id)];
      expect(other).toEqual(one);
    }
  });

  test('works on, with a sandbox, and tells readers of the feed and nobody else', async () => {
    const { database, origin } = target;
    const companyId = acme.company.id;
    const userId = acme.users[0]?.id ?? '';
    const tokenOf = async (live: boolean) =>
      new Client(
        origin,
        (await createToken(database.prisma, { companyId, userId, live, name: 'test', scopes: ['*'] })).token,
      );
    const client = await tokenOf(true);
    const paints = await client.get('/paints', { name: 'A third' });
    expect(paints.rows).toHaveLength(1);
    const created = await client.post('/service-requests', { title: 'New', assigned_to: acme.users[1]?.id });
    expect(created.status).toBe(201);
    const sandbox = await tokenOf(false);
    expect((await sandbox.get('/paints')).rows).toEqual([]);
    expect((await sandbox.post('/service-requests', { title: 'New', assigned_to: acme.users[1]?.id })).status).toBe(
      201,
    );

    await waitForOlderTransactions(database);
    expect(await client.get('/changes', { after: position })).toMatchObject({ status: 410, error: { code: 'GONE' } });
    const log = { warn: (...told: unknown[]) => expect(told).toEqual([]) };
    const notifications = notificationWorker({ database, api, mailer: noMailer, log });
    await notifications.deliverPending();
    await notifications.close();
    const notified = `SELECT row_id::text FROM notifications WHERE company_id = $1 AND created_at > '2026-01-03'`;
    expect(await sql(target, notified, companyId)).toEqual([{ row_id: created.row['id'] }]);
  });

  test('refuses the same slug again', async () => {
    await expect(imported(target.database)).rejects.toThrow(
      'A company with the slug "acme" already exists; choose another one with --slug',
    );
    await expect(imported(target.database, archive, 'Not a slug')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('beside the company itself', () => {
  const prove = (value: string) => sql(source, `UPDATE people SET email_verified_at = ${value}`);

  test('refuses people whose address nobody has proved', async () => {
    await expect(imported(source.database, archive, 'second')).rejects.toThrow('nobody has proved');
    expect(await source.database.prisma.company.count({ where: { slug: { startsWith: 'second' } } })).toBe(0);
  });

  test('joins known people as they are, with new ids where they are taken', async () => {
    await prove('now()');
    // Somebody else has the address by now, and another the id.
    const [ada, ben] = acme.users;
    const moved = randomUUID();
    await sql(source, `UPDATE people SET email = 'ada.new@acme.example' WHERE id = $1`, ada?.id);
    await sql(
      source,
      `INSERT INTO people (id, email, full_name) VALUES ($1, $2, 'Ben himself')`,
      moved,
      'else@acme.example',
    );
    await sql(source, `UPDATE people SET email = 'ben.new@acme.example' WHERE id = $1`, ben?.id);
    await sql(source, `UPDATE people SET email = $2 WHERE id = $1`, moved, ben?.email);
    const before = await sql(source, 'SELECT id, email, full_name FROM people ORDER BY id');
    const company = await imported(source.database, archive, 'second');
    expect(company.id).not.toBe(acme.company.id);
    const all = lines(files['users.ndjson']).map((line) => String((JSON.parse(line) as Row)['email']));
    const unknown = all.filter((email) => !before.some((each) => each['email'] === email));
    expect(company.people).toEqual({ all: all.length, known: all.length - unknown.length });
    const people = await sql(source, 'SELECT id, email, full_name FROM people ORDER BY id');
    const added = people.filter(({ id }) => !before.some((each) => each['id'] === id));
    expect(people.filter((each) => !added.includes(each))).toEqual(before);
    expect(added.map(({ email }) => email).toSorted()).toEqual(unknown.toSorted());
    expect(unknown).toContain(ada?.email);
    const users = await sql(source, 'SELECT id, email FROM users WHERE company_id = $1', company.id);
    const idOf = (email: string | undefined) => users.find((user) => user['email'] === email)?.['id'];
    expect([idOf(ada?.email), idOf(ben?.email), idOf(acme.users[2]?.email)]).toEqual([
      added.find(({ email }) => email === ada?.email)?.['id'],
      moved,
      acme.users[2]?.id,
    ]);
    // Nothing of the new company is about the ids of the other.
    const texts = Object.values(await unzip(await readFile(await exported(source, company.id)))).join('');
    for (const id of [acme.company.id, ada?.id, ben?.id]) expect([id, texts.includes(String(id))]).toEqual([id, false]);
    expect(await sql(source, 'SELECT count(*)::int AS count FROM paints WHERE company_id = $1', company.id)).toEqual([
      { count: lines(files['paints.ndjson']).length },
    ]);
  });
});
