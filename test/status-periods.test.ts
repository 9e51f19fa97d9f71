// Since when rows have their status, and for how long they had those before.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deleteOldChanges } from '../src/events/retention.ts';
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

const sql = async (text: string, ...values: unknown[]) => (await service.database.query({ text, values })).rows;

interface Period {
  readonly status: string;
  readonly enteredAt: string;
  readonly leftAt: string | null;
}

/** Reads the periods of a service request; undefined of one that the reader does not see. */
async function periodsOf(id: unknown, reader = client): Promise<readonly Period[] | undefined> {
  const query = 'query ($id: ID!) { serviceRequest(id: $id) { statusPeriods { status enteredAt leftAt } } }';
  const { data } = await reader.graphql<{ serviceRequest: { statusPeriods: Period[] } | null }>(query, { id });
  return data.serviceRequest?.statusPeriods;
}

const createRequest = async (title: string) => (await client.post('/service-requests', { title })).row;
const setStatus = async (id: unknown, status: string) =>
  (await client.patch(`/service-requests/${String(id)}`, { status })).row;

/** Moves what is kept of a row into the past, as if the service had been running that long. */
const age = (id: unknown, hours: number) =>
  sql(
    `UPDATE status_periods SET entered_at = entered_at - make_interval(hours => $2::int),
       left_at = left_at - make_interval(hours => $2::int) WHERE row_id = $1`,
    id,
    hours,
  );

test('every table with a status is tracked', async () => {
  const found = await sql(`
    SELECT relname AS name, (
      SELECT count(*)::int FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgfoid = 'track_status'::regproc
    ) AS triggers
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' JOIN pg_type ON pg_type.oid = atttypid
    WHERE attname = 'status' AND typtype = 'e'`);
  expect(found.filter(({ triggers }) => triggers !== 3)).toEqual([]);
  expect(found.length).toBeGreaterThan(15);
});

test('a row has a period for each status, one after another, also by plain SQL', async () => {
  const created = await createRequest('Lamp');
  const { id } = created;
  const begun = await setStatus(id, 'in-progress');
  await client.patch(`/service-requests/${String(id)}`, { title: 'Lamp in the hall' });
  await sql(`UPDATE service_requests SET status = 'completed' WHERE id = $1`, id);
  const periods = (await periodsOf(id)) ?? [];
  expect(periods).toEqual([
    { status: 'PENDING', enteredAt: created['created_at'], leftAt: begun['updated_at'] },
    { status: 'IN_PROGRESS', enteredAt: begun['updated_at'], leftAt: periods[2]?.enteredAt },
    { status: 'COMPLETED', enteredAt: expect.any(String), leftAt: null },
  ]);
  expect(Date.parse(periods[2]?.enteredAt ?? '') >= Date.parse(String(begun['updated_at']))).toBe(true);
});

test('hours in a status are a measure of each list, for rows that ever had it', async () => {
  const title = 'Measured';
  const [one, other] = [await createRequest(title), await createRequest(title)];
  await age(one['id'], 30);
  await age(other['id'], 10);
  await setStatus(one['id'], 'in-progress');
  await age(one['id'], 4);
  const query = `{ serviceRequests(filter: { title: { eq: "${title}" } }) { aggregates {
    count
    waiting: hoursInStatus(of: PENDING) { sum avg min max percentile(p: 0.5) }
    working: hoursInStatus(of: IN_PROGRESS) { sum avg }
    done: hoursInStatus(of: COMPLETED) { sum avg }
  } } }`;
  const { data, errors } = await client.graphql<{ serviceRequests: { aggregates: Row[] } }>(query);
  expect(errors).toEqual([]);
  // The one waited 30 hours, and has been in progress for 4; the other has waited for 10.
  const near = (hours: number): unknown => expect.closeTo(hours, 1);
  expect(data.serviceRequests.aggregates).toEqual([
    {
      count: 2,
      waiting: { sum: near(40), avg: near(20), min: near(10), max: near(30), percentile: near(20) },
      working: { sum: near(4), avg: near(4) },
      done: { sum: null, avg: null },
    },
  ]);
  const grouped = await client.graphql<{ serviceRequests: { aggregates: Row[] } }>(
    `{ serviceRequests(filter: { title: { eq: "${title}" } }) { aggregates(orderBy: [{ field: "hoursInStatus.avg", direction: DESC }]) {
      key { status } hoursInStatus(of: PENDING) { avg }
    } } }`,
  );
  expect(grouped.data.serviceRequests.aggregates).toEqual([
    { key: { status: 'IN_PROGRESS' }, hoursInStatus: { avg: near(30) } },
    { key: { status: 'PENDING' }, hoursInStatus: { avg: near(10) } },
  ]);
});

test('an order has its lead time, also in the list below its vendor', async () => {
  const { row: vendor } = await client.post('/vendors', { company_name: 'Ace' });
  const { row: order } = await client.post('/procurement/orders', { vendor_id: vendor['id'], number: 'PO-1' });
  await client.patch(`/procurement/orders/${String(order['id'])}`, { status: 'sent' });
  await age(order['id'], 48);
  await client.patch(`/procurement/orders/${String(order['id'])}`, { status: 'received' });
  const { data, errors } = await client.graphql<{ vendors: { nodes: { purchaseOrders: { aggregates: Row[] } }[] } }>(
    `{ vendors { nodes { purchaseOrders { aggregates { hoursInStatus(of: SENT) { avg } } } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.vendors.nodes.map(({ purchaseOrders }) => purchaseOrders.aggregates)).toEqual([
    [{ hoursInStatus: { avg: expect.closeTo(48, 1) } }],
  ]);
});

test('periods outlive the log, and end with their row', async () => {
  const { id } = await createRequest('Door');
  await setStatus(id, 'in-progress');
  await sql(`UPDATE changes SET at = now() - interval '40 days' WHERE company_id = $1`, tenant.company.id);
  while (await deleteOldChanges(service.database.prisma, tenant.company.id, 30));
  expect(await sql('SELECT count(*)::int AS count FROM changes WHERE row_id = $1', id)).toEqual([{ count: 0 }]);
  expect((await periodsOf(id))?.map(({ status }) => status)).toEqual(['PENDING', 'IN_PROGRESS']);
  await client.delete(`/service-requests/${String(id)}`);
  expect(await sql('SELECT count(*)::int AS count FROM status_periods WHERE row_id = $1', id)).toEqual([{ count: 0 }]);
});

test('periods are of the rows that a caller may read', async () => {
  const { id } = await createRequest('Window');
  const other = await service.tenant();
  expect(await periodsOf(id, await other.client())).toBeUndefined();
  expect(await periodsOf(id, await tenant.client(['vendors:read']))).toBeUndefined();
  expect(await periodsOf(id, await memberClient(service, tenant, 2))).toHaveLength(1);
  const measured = '{ serviceRequests { aggregates { hoursInStatus(of: PENDING) { sum } } } }';
  const { data } = await (await other.client()).graphql(measured);
  expect(data).toEqual({ serviceRequests: { aggregates: [{ hoursInStatus: { sum: null } }] } });
  // The periods of one company are not those of a row with the same id in another one.
  await sql(
    `INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at) VALUES ($1, $2, 'service_requests', 'completed', now())`,
    other.company.id,
    id,
  );
  expect(await periodsOf(id)).toHaveLength(1);
});
