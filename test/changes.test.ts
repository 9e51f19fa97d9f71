// The log of changes: what is in it, and what each reader sees.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { beginGeneration } from '../src/events/generation.ts';
import { readLog } from '../src/events/log.ts';
import { decodePosition } from '../src/events/position.ts';
import { deleteOldChanges } from '../src/events/retention.ts';
import { memberClient } from './resources/members.ts';
import type { Client, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

interface Feed {
  readonly changes: readonly Row[];
  readonly next: string;
  readonly has_more: boolean;
}

async function read(reader: Client, query: Record<string, unknown> = {}): Promise<Feed> {
  await waitForOlderTransactions(service.database);
  return (await reader.get('/changes', query)).row as unknown as Feed;
}

/** The position after everything that has happened. */
const now = async () => {
  let page = await read(client);
  while (page.has_more) page = await read(client, { after: page.next });
  return page.next;
};

const brief = ({ changes }: Feed) => changes.map(({ resource, action, row_id }) => [resource, action, row_id]);

test('every table with rows of companies is logged, but for secrets, counts and logs', async () => {
  const { rows } = await service.database.query({
    text: `SELECT table_name AS name, (
             SELECT count(*) FROM pg_trigger WHERE tgrelid = table_name::regclass AND tgfoid = 'log_changes'::regproc
           ) AS triggers
           FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'company_id'`,
  });
  const unlogged = rows.filter(({ triggers }) => Number(triggers) !== 3).map(({ name }) => name);
  expect(unlogged.sort()).toEqual([
    'ai_usage_events',
    'ai_usage_months',
    'api_tokens',
    'calendar_feeds',
    'change_horizons',
    'changes',
    'clock_marks',
    'counters',
    'file_holds',
    'file_pages',
    'file_uploads',
    'file_usage',
    'files',
    'guest_mails',
    'idempotency_keys',
    'import_parts',
    'imports',
    'invitations',
    'jobs',
    'notification_positions',
    'notifications',
    'saved_query_schedules',
    'security_events',
    'sessions',
    'status_periods',
    'webhook_deliveries',
    'webhook_earlier_secrets',
    'webhooks',
  ]);
  expect(rows.length).toBeGreaterThan(55);
});

describe('a row', () => {
  test('is in the feed as REST shows it, when it is created, updated and deleted', async () => {
    const after = await now();
    const { row, meta } = await client.post('/vendors', { company_name: 'Ace Plumbing', email: 'ace@example.com' });
    const path = `/vendors/${String(row['id'])}`;
    await client.patch(path, { company_name: 'Ace' });
    const changed = (await client.get(path)).row;
    await client.patch(path, { company_name: 'Ace' });
    await client.delete(path);
    const { changes } = await read(client, { after });
    expect(changes).toMatchObject([
      { resource: 'vendors', row_id: row['id'], action: 'create', fields: [], before: null, after: row },
      { action: 'update', fields: ['company_name'], before: row, after: changed },
      { action: 'delete', fields: [], before: changed, after: null },
    ]);
    const actor = { kind: 'token', user_id: tenant.users[0]?.id, token_id: expect.any(String) };
    expect(changes[0]).toMatchObject({ actor: { ...actor, request_id: meta.request_id } });
    expect(changes).toMatchObject([{ actor }, { actor }, { actor }]);
    const versions = changes.map(({ version }) => Number(version));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
  });

  test('has the names and enum members of GraphQL there', async () => {
    const { row } = await client.post('/service-requests', { title: 'Lamp', description: 'Flickers' });
    const { data, errors } = await client.graphql<{ serviceRequest: { history: { nodes: Row[] } } }>(
      'query ($id: ID!) { serviceRequest(id: $id) { history { nodes { resource action rowId after } } } }',
      { id: row['id'] },
    );
    expect(errors).toEqual([]);
    expect(data.serviceRequest.history.nodes).toMatchObject([
      {
        resource: 'SERVICE_REQUESTS',
        action: 'CREATE',
        rowId: row['id'],
        after: { status: 'PENDING', assignedTo: null },
      },
    ]);
  });

  test('has a change for each row that is deleted with it', async () => {
    const asset = await client.post('/assets', { asset_name: 'Pump' });
    const path = `/assets/${String(asset.row['id'])}`;
    const body = { maintenance_type: 'preventive', scheduled_date: '2030-01-01' };
    const maintenance = await client.post(`${path}/maintenance`, body);
    const after = await now();
    await client.delete(path);
    expect(brief(await read(client, { after })).toSorted()).toEqual([
      ['asset_maintenance_records', 'delete', maintenance.row['id']],
      ['assets', 'delete', asset.row['id']],
    ]);
  });

  test('of line items changes their row and its time of update', async () => {
    const { row } = await client.post('/procurement/requisitions', {
      title: 'Stock',
      line_items: [{ description: 'Gloves' }],
    });
    const after = await now();
    const path = `/procurement/requisitions/${String(row['id'])}`;
    await client.patch(path, { line_items: [{ description: 'Masks' }] });
    const { changes } = await read(client, { after, resource: 'requisitions' });
    const { updated_at } = (await client.get(path)).row;
    expect(changes).toMatchObject([{ action: 'update', fields: ['updated_at'], after: { updated_at } }]);
  });

  test('with changes of hidden columns only has a change of its time of update', async () => {
    const after = await now();
    await service.database.query({
      text: `UPDATE companies SET currency = 'EUR', updated_at = now() WHERE id = $1`,
      values: [tenant.company.id],
    });
    const { changes } = await read(client, { after });
    const { updated_at } = (await client.get(`/companies/${tenant.company.id}`)).row;
    expect(changes).toMatchObject([{ resource: 'companies', fields: ['updated_at'], after: { updated_at } }]);
  });

  test('of a user has one change in the company and one in the sandbox, where the id is the same', async () => {
    const sandbox = await tenant.client(['*'], { live: false });
    const id = tenant.users[2]?.id;
    const after = await now();
    await service.database.query({ text: `UPDATE users SET full_name = 'Cleo C.' WHERE id = $1`, values: [id] });
    const was = { full_name: tenant.users[2]?.fullName };
    for (const reader of [client, sandbox]) {
      const { changes } = await read(reader, { ...(reader === client && { after }), resource: 'users' });
      const updates = changes.filter(({ action, row_id }) => action === 'update' && row_id === id);
      expect(updates).toMatchObject([{ fields: ['full_name'], before: was }]);
    }
  });

  test('that is not written has no change', async () => {
    const after = await now();
    expect((await client.post('/vendors', { company_name: '' })).status).toBe(422);
    expect((await client.patch('/vendors/01890000-0000-7000-8000-000000000000', { company_name: 'x' })).status).toBe(
      404,
    );
    expect(await read(client, { after })).toMatchObject({ changes: [], has_more: false });
  });
});

describe('the feed', () => {
  test('is read in pages of any size, without gaps', async () => {
    const after = await now();
    for (const path of ['/changes', '/snapshot'])
      expect((await client.get(path)).headers.get('cache-control')).toBe('private, no-store');
    const made: unknown[] = [];
    for (const name of ['A', 'B', 'C', 'D', 'E']) made.push((await client.post('/paints', { name })).row['id']);
    const returned: unknown[] = [];
    let page: Feed = { changes: [], next: after, has_more: true };
    while (page.has_more) {
      page = await read(client, { after: page.next, limit: 2 });
      returned.push(...page.changes.map(({ row_id }) => row_id));
    }
    expect(returned).toEqual(made);
  });

  test('has notes that become visible to its reader as created, and those that cease to be only as deleted', async () => {
    const other = await memberClient(service, tenant, 1);
    const after = await now();
    const { row } = await client.post('/notes', { title: 'Keys' });
    const path = `/notes/${String(row['id'])}`;
    const note = (action: string) => ['notes', action, row['id']];
    expect(brief(await read(other, { after }))).toEqual([]);
    await client.patch(path, { is_shared: true });
    expect(await read(other, { after })).toMatchObject({ changes: [{ action: 'create', before: null, fields: [] }] });
    await client.patch(path, { title: 'Key' });
    await client.patch(path, { is_shared: false });
    await client.patch(path, { title: 'My keys' });
    await client.delete(path);
    // What is deleted or private again is shown by the change that made it so.
    expect(brief(await read(other, { after }))).toEqual([note('delete')]);
    expect(JSON.stringify(await read(other, { after }))).not.toContain('My keys');
    expect((await read(client, { after })).changes).toHaveLength(6);
  });

  test('is of the resources that the token may read', async () => {
    const after = await now();
    await client.post('/paints', { name: 'White' });
    await client.post('/vendors', { company_name: 'Ace' });
    const painter = await tenant.client(['paint:read']);
    expect((await read(painter, { after })).changes.map(({ resource }) => resource)).toEqual(['paints']);
    expect((await read(client, { after, resource: 'vendors' })).changes.map(({ resource }) => resource)).toEqual([
      'vendors',
    ]);
    const refused = await painter.get('/changes', { after, resource: 'paints,vendors' });
    expect(refused).toMatchObject({
      status: 403,
      error: { code: 'INSUFFICIENT_SCOPE', message: expect.stringContaining('vendors:read') },
    });
    expect((await client.get('/changes', { resource: 'x' })).status).toBe(400);
  });

  test('has nothing of other companies', async () => {
    const after = await now();
    await (await (await service.tenant()).client()).post('/paints', { name: 'Theirs' });
    expect((await read(client, { after })).changes).toEqual([]);
  });

  test('misses nothing while old changes are deleted: it continues, or reports that they are gone', async () => {
    const { database } = service;
    const { company } = await service.tenant();
    const text = `INSERT INTO changes (company_id, at, table_name, row_id, action, fields)
      SELECT $1, now() - make_interval(days => CASE WHEN n <= 3500 THEN 40 ELSE 0 END), 'paints', gen_random_uuid(), 'delete', '{}'
      FROM generate_series(1, 3600) AS n`;
    await database.query({
      text: `UPDATE changes SET at = now() - interval '41 days' WHERE company_id = $1`,
      values: [company.id],
    });
    await database.query({ text, values: [company.id] });
    await waitForOlderTransactions(database);
    const tenantOf = { companyId: company.id };
    const readOn = (after?: string) =>
      readLog(database.prisma, tenantOf, {
        after: after === undefined ? undefined : decodePosition(after, 'after'),
        tables: ['paints'],
        limit: 100,
      });
    const seqs: number[] = [];
    let isDeleting = true;
    const deleting = (async () => {
      while (await deleteOldChanges(database.prisma, company.id, 30));
      isDeleting = false;
    })();
    let [more, after] = [true, undefined as string | undefined];
    while (more || isDeleting) {
      const page = await readOn(after).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'GONE' });
        return undefined;
      });
      seqs.push(...(page ? page.changes.map(({ seq }) => Number(seq)) : [Number.NaN]));
      [after, more] = [page?.next, page?.hasMore ?? true];
    }
    await deleting;
    // There are gaps only where it had to start again.
    for (const [n, seq] of seqs.entries())
      if (n > 0 && !Number.isNaN(seq) && !Number.isNaN(seqs[n - 1])) expect(seq).toBe((seqs[n - 1] ?? 0) + 1);
    const { rows } = await database.query({
      text: 'SELECT count(*)::int AS count, max(seq)::int AS last FROM changes WHERE company_id = $1',
      values: [company.id],
    });
    expect([rows[0]?.['count'], seqs.at(-1)]).toEqual([100, rows[0]?.['last']]);
  });

  test('says when a position is no longer in the log', async () => {
    const position = Buffer.from(await now(), 'base64url').toString();
    const [, xid = '', seq = ''] = position.split('.');
    const restored = Buffer.from(`00000000.${xid}.${seq}`).toString('base64url');
    const ahead = Buffer.from(position.replace(/\.\d+\./, '.900000000000.')).toString('base64url');
    for (const after of [restored, ahead]) {
      const reply = await client.get('/changes', { after });
      expect(reply).toMatchObject({ status: 410, error: { code: 'GONE' } });
    }
    const begin = (await read(client, { limit: 1 })).next;
    await service.database.prisma.changeHorizon.create({
      data: { companyId: tenant.company.id, xid: BigInt(xid), seq: BigInt(seq) },
    });
    expect((await client.get('/changes', { after: begin })).status).toBe(410);
    expect((await client.get('/changes', { after: Buffer.from(position).toString('base64url') })).status).toBe(200);
    await service.database.prisma.changeHorizon.deleteMany();
    expect((await client.get('/changes', { after: 'x' })).error.message).toContain('after: ');
  });
});

test('a restored log can be read to its end and continued, except from earlier positions', async () => {
  const { database } = service;
  const { row } = await client.post('/paints', { name: 'Umber' });
  const path = `/paints/${String(row['id'])}`;
  const before = await now();
  // What a dump brings from a server that has counted more transactions than this one.
  await database.query({ text: 'UPDATE changes SET xid = xid + 1000000000' });
  await database.query({ text: 'DELETE FROM change_logs' });
  await database.query({ text: `INSERT INTO change_logs VALUES (3, 'another server')` });
  expect(await beginGeneration(database)).toBe(true);
  expect(await beginGeneration(database)).toBe(false);

  expect(await client.get('/changes', { after: before })).toMatchObject({ status: 410, error: { code: 'GONE' } });
  const after = await now();
  const page = await read(client, { resource: 'paints' });
  expect(brief(page).at(-1)).toEqual(['paints', 'create', row['id']]);
  await client.patch(path, { name: 'Sienna' });
  expect(brief(await read(client, { after }))).toEqual([['paints', 'update', row['id']]]);
  expect((await client.get(`${path}/history`)).rows.map(({ action }) => action)).toEqual(['update', 'create']);
  expect(await deleteOldChanges(database.prisma, tenant.company.id, 0)).toBe(false);
  expect((await read(client)).changes).toEqual([]);
});
