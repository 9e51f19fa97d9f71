// The log of changes: what is in it, and who is told what.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from './resources/members.ts';
import type { Client, Row } from './support/client.ts';
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

/** Waits for older transactions of the database server, also those of other databases: the feed waits for them too. */
async function waitForOlderTransactions(): Promise<void> {
  const text = `SELECT count(*) AS count FROM changes WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
  const deadline = Date.now() + 60_000;
  while (Number((await service.database.query({ text })).rows[0]?.['count']) > 0) {
    expect(Date.now()).toBeLessThan(deadline);
    await sleep(20);
  }
}

async function read(reader: Client, query: Record<string, unknown> = {}): Promise<Feed> {
  await waitForOlderTransactions();
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
    'change_horizons',
    'changes',
    'clock_marks',
    'counters',
    'idempotency_keys',
    'invitations',
    'security_events',
    'sessions',
    'webhook_deliveries',
    'webhooks',
  ]);
  expect(rows.length).toBeGreaterThan(55);
});

describe('a row', () => {
  test('is told as REST shows it, when it is created, updated and deleted', async () => {
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

  test('is told in GraphQL by its names and enum members', async () => {
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

  test('is told with what is deleted with it', async () => {
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
    const made: unknown[] = [];
    for (const name of ['A', 'B', 'C', 'D', 'E']) made.push((await client.post('/paints', { name })).row['id']);
    const told: unknown[] = [];
    let page: Feed = { changes: [], next: after, has_more: true };
    while (page.has_more) {
      page = await read(client, { after: page.next, limit: 2 });
      told.push(...page.changes.map(({ row_id }) => row_id));
    }
    expect(told).toEqual(made);
  });

  test('tells of a note what its reader may see: coming into sight is new, passing out of it is deleted', async () => {
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
    expect(brief(await read(other, { after }))).toEqual([note('create'), note('update'), note('delete')]);
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

describe('a history', () => {
  test('of a deleted row is for admins', async () => {
    const { row } = await client.post('/paints', { name: 'Grey' });
    const path = `/paints/${String(row['id'])}`;
    await client.patch(path, { name: 'Gray' });
    const member = await memberClient(service, tenant, 2);
    expect((await member.get(`${path}/history`)).rows.map(({ action }) => action)).toEqual(['update', 'create']);
    await client.delete(path);
    expect((await member.get(`${path}/history`)).status).toBe(404);
    const { rows, meta } = await client.get(`${path}/history`, { limit: 2 });
    expect(rows.map(({ action }) => action)).toEqual(['delete', 'update']);
    expect(meta).toMatchObject({ total: 3, pagination: { has_more: true } });
    const rest = await client.get(`${path}/history`, { limit: 2, cursor: meta.pagination.next_cursor });
    expect(rest.rows.map(({ action }) => action)).toEqual(['create']);
  });

  test('of all rows of a page is read in one statement', async () => {
    for (const name of ['A', 'B', 'C']) await client.post('/vendors', { company_name: name });
    service.statements.length = 0;
    const { data } = await client.graphql<{ vendors: { nodes: { history: { nodes: Row[] } }[] } }>(
      '{ vendors(first: 3) { nodes { history(first: 1) { nodes { action } } } } }',
    );
    expect(data.vendors.nodes.map(({ history }) => history.nodes)).toEqual(Array(3).fill([{ action: 'CREATE' }]));
    expect(service.statements.filter((sql) => sql.includes('changes'))).toHaveLength(1);
  });
});
