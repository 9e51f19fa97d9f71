// Long lists as CSV in an order that no index has.
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
const total = 6200;
const sort = 'assignee.full_name,-building.name';
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  const [companyId, user] = [tenant.company.id, tenant.users[0]?.id];
  const { query } = service.database;
  await query({
    text: `INSERT INTO buildings (company_id, id, name)
           SELECT $1, gen_random_uuid(), 'building ' || chr(97 + n) FROM generate_series(0, 4) AS n`,
    values: [companyId],
  });
  await query({
    text: `INSERT INTO service_requests (company_id, id, title, created_by, assigned_to, building_id, created_at)
           SELECT $1, gen_random_uuid(), n, $2::uuid, CASE WHEN n % 3 > 0 THEN $2::uuid END,
                  CASE WHEN n % 4 > 0 THEN (SELECT id FROM buildings WHERE name = 'building ' || chr(97 + n % 5)) END, now()
           FROM generate_series(1, ${total}::int) AS n`,
    values: [companyId, user],
  });
});
afterAll(() => service.close());

/** The ids in the order that the documents promise: unset values last, ties by id in the direction of the last key. */
async function expectedIds(): Promise<string[]> {
  const { rows } = await service.database.query({
    text: `SELECT r.id::text FROM service_requests r
           LEFT JOIN users u ON u.company_id = r.company_id AND u.id = r.assigned_to
           LEFT JOIN buildings b ON b.company_id = r.company_id AND b.id = r.building_id
           WHERE r.company_id = $1
           ORDER BY u.full_name ASC NULLS LAST, b.name DESC NULLS LAST, r.id DESC`,
    values: [tenant.company.id],
  });
  return rows.map(({ id }) => String(id));
}

const idsOf = (csv: string) =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.slice(0, 36));
const isSort = (sql: string) => sql.includes('string_agg(uuid_send');
const isPage = (sql: string) => /FROM "service_requests"/.test(sql) && !isSort(sql);

test('is complete, in order, and sorted once after its first thousand rows', async () => {
  service.statements.length = 0;
  const reply = await client.get('/service-requests', { sort }, { accept: 'text/csv' });
  expect(idsOf(reply.text)).toEqual(await expectedIds());
  expect(service.statements.filter(isSort)).toHaveLength(1);
  const ordered = service.statements.filter((sql) => isPage(sql) && sql.includes('ORDER BY'));
  expect(ordered.length).toBeLessThanOrEqual(3);
});

test('is the same through GraphQL, whose pages are smaller', async () => {
  service.statements.length = 0;
  const query =
    '{ serviceRequests(orderBy: [{ assignee: { field: FULL_NAME } }, { building: { field: NAME }, direction: DESC }]) { nodes { id } } }';
  const reply = await client.at('').request('POST', '/graphql', { body: { query }, headers: { accept: 'text/csv' } });
  expect(idsOf(reply.text)).toEqual(await expectedIds());
  expect(service.statements.filter(isSort)).toHaveLength(1);
});

test('is not sorted apart in the order of creation', async () => {
  service.statements.length = 0;
  const reply = await client.get('/service-requests', {}, { accept: 'text/csv' });
  expect(idsOf(reply.text)).toHaveLength(total);
  expect(service.statements.filter(isSort)).toEqual([]);
});

test('leaves out rows that are deleted or no longer match while it is read, and repeats none', async () => {
  const query = new URLSearchParams({ sort, status: 'pending' });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { accept: 'text/csv', authorization: `Bearer ${client.token}` };
    service.statements.length = 0;
    get(`${service.origin}/api/v1/service-requests?${query.toString()}`, { headers }, resolve).on('error', reject);
  });
  const all = await expectedIds();
  // Once the order is known, the end of it changes.
  while (!service.statements.some(isSort)) await new Promise(setImmediate);
  const [gone, done] = [all.slice(-900, -500), all.slice(-500, -100)];
  const { query: run } = service.database;
  await run({ text: 'DELETE FROM service_requests WHERE id = ANY($1::uuid[])', values: [gone] });
  await run({ text: `UPDATE service_requests SET status = 'completed' WHERE id = ANY($1::uuid[])`, values: [done] });
  const ids = idsOf(await text(response));
  expect(new Set(ids).size).toBe(ids.length);
  const changed = new Set([...gone, ...done]);
  expect(ids.filter((id) => !changed.has(id))).toEqual(all.filter((id) => !changed.has(id)));
});
