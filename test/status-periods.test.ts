// Since when rows have their status, and for how long they had those before.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLField, isObjectType } from 'graphql';
import { deleteOldChanges } from '../src/events/retention.ts';
import { api } from '../src/schema/index.ts';
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

test('every table with a status is tracked, but imports, which have no history', async () => {
  const found = await sql(`
    SELECT relname AS name, (
      SELECT count(*)::int FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgfoid = 'track_status'::regproc
    ) AS triggers
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' JOIN pg_type ON pg_type.oid = atttypid
    WHERE attname = 'status' AND typtype = 'e' AND relname <> 'imports'`);
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

/** Creates an order. @param course its statuses, each with the hour at which it got it */
async function createOrder(number: string, vendor: unknown, course: string): Promise<void> {
  const { row } = await client.post('/procurement/orders', { vendor_id: vendor, number });
  const entries = course.split(', ').map((entry) => entry.split(' ') as [status: string, hour: string]);
  // By SQL, as the service does not let orders go back.
  for (const [status] of entries.slice(1))
    await sql('UPDATE purchase_orders SET status = $2::purchase_order_status WHERE id = $1', row['id'], status);
  const kept = await sql('SELECT seq, status FROM status_periods WHERE row_id = $1 ORDER BY seq', row['id']);
  expect(kept.map(({ status }) => status)).toEqual(entries.map(([status]) => status));
  for (const [n, { seq }] of kept.entries())
    await sql(
      `UPDATE status_periods SET entered_at = timestamptz '2026-01-01' + make_interval(hours => $3::int),
         left_at = timestamptz '2026-01-01' + make_interval(hours => $4::int) WHERE row_id = $1 AND seq = $2`,
      ...[row['id'], seq, entries[n]?.[1], entries[n + 1]?.[1] ?? null],
    );
}

/** Orders of two vendors, by their number. */
const orders: Readonly<Record<string, readonly [vendor: 'Ace' | 'Bell', course: string]>> = {
  // Comes in parts, one of which is missing at first: 72 hours, of which it was sent for 20 + 20.
  parts: ['Ace', 'draft 0, sent 5, partially_received 25, sent 35, partially_received 55, received 77'],
  // Received after 48 hours, and again after 100.
  reopened: ['Ace', 'draft 0, sent 1, received 49, sent 61, received 101'],
  // Received by mistake before it was sent: 24 hours.
  early: ['Bell', 'draft 0, received 2, draft 3, sent 10, received 34'],
  atOnce: ['Bell', 'draft 0, sent 7, received 7'],
  // Without a lead time.
  waiting: ['Bell', 'draft 0, sent 3'],
  unsent: ['Bell', 'draft 0, received 4'],
  undone: ['Bell', 'draft 0, received 4, draft 5, sent 6'],
};

const leadTimes = `count sent: hoursInStatus(of: SENT) { avg }
  first: hoursBetween(from: SENT, to: RECEIVED) { sum avg min max }
  last: hoursBetween(from: SENT, to: RECEIVED, last: true) { sum avg min max }
  draft: hoursBetween(from: DRAFT, to: SENT, last: null) { max }`;

test('orders have their lead time, however often they had the statuses between', async () => {
  const vendors: Record<string, unknown> = {};
  for (const name of ['Ace', 'Bell']) vendors[name] = (await client.post('/vendors', { company_name: name })).row['id'];
  for (const [number, [vendor, course]] of Object.entries(orders)) await createOrder(number, vendors[vendor], course);
  const ask = async (list: string, reader = client) => {
    const { data, errors } = await reader.graphql<Record<string, { aggregates: Row[] }>>(`{ list: ${list} }`);
    expect({ list, errors }).toEqual({ list, errors: [] });
    return data['list']?.aggregates;
  };
  const all = (hours: number | null) => ({ sum: hours, avg: hours, min: hours, max: hours });
  const one = (number: string) =>
    ask(`purchaseOrders(filter: { number: { eq: "${number}" } }) { aggregates { ${leadTimes} } }`);
  expect(await one('parts')).toEqual([
    { count: 1, sent: { avg: 40 }, first: all(72), last: all(72), draft: { max: 5 } },
  ]);
  expect(await one('reopened')).toMatchObject([{ first: all(48), last: all(100), draft: { max: 1 } }]);
  expect(await one('early')).toMatchObject([{ first: all(24), last: all(24), draft: { max: 10 } }]);
  expect(await one('atOnce')).toMatchObject([{ first: all(0), last: all(0) }]);
  for (const number of ['waiting', 'unsent', 'undone'])
    expect(await one(number)).toMatchObject([{ count: 1, first: all(null), last: all(null) }]);

  const expected = await sql(
    `WITH entries AS (
       SELECT row_id, status, entered_at AS at FROM status_periods WHERE company_id = $1 AND table_name = 'purchase_orders'
     ), sent AS (SELECT row_id, min(at) AS at FROM entries WHERE status = 'sent' GROUP BY row_id),
     received AS (
       SELECT row_id, min(entries.at) AS first, max(entries.at) AS last FROM entries JOIN sent USING (row_id)
       WHERE status = 'received' AND entries.at >= sent.at GROUP BY row_id
     ), hours AS (
       SELECT vendor_id, extract(epoch FROM first - at) / 3600 AS first, extract(epoch FROM last - at) / 3600 AS last
       FROM purchase_orders AS orders LEFT JOIN sent ON sent.row_id = id LEFT JOIN received ON received.row_id = id
       WHERE orders.company_id = $1
     )
     SELECT company_name, count(*)::int, ${['first', 'last']
       .flatMap((name) => ['sum', 'avg', 'min', 'max'].map((of) => `${of}(${name})::float AS ${name}_${of}`))
       .join(', ')}
     FROM hours JOIN vendors ON vendors.id = vendor_id GROUP BY 1 ORDER BY first_avg DESC`,
    tenant.company.id,
  );
  const flat = (groups?: readonly Row[]) =>
    groups?.map(({ key, count, ...measures }) => ({
      company_name: (key as { vendor: { companyName: string } }).vendor.companyName,
      count,
      ...Object.fromEntries(
        ['first', 'last'].flatMap((name) =>
          ['sum', 'avg', 'min', 'max'].map((of) => [`${name}_${of}`, (measures[name] as Row)[of]]),
        ),
      ),
    }));
  const byVendor = `key { vendor { companyName } } ${leadTimes}`;
  const sorted = 'orderBy: [{ field: "first.avg", direction: DESC }]';
  expect(flat(await ask(`purchaseOrders { aggregates(${sorted}) { ${byVendor} } }`))).toEqual(expected);
  expect(expected).toMatchObject([
    { company_name: 'Ace', count: 2, first_avg: 60, last_avg: 86 },
    { company_name: 'Bell', count: 5, first_avg: 12, last_avg: 12 },
  ]);
  expect(
    flat(await ask(`purchaseOrders { aggregates(having: [{ field: "last.max", lt: 50 }]) { ${byVendor} } }`)),
  ).toEqual(expected.slice(1));

  const nested = await client.graphql<{ vendors: { nodes: Row[] } }>(
    `{ vendors(orderBy: [{ field: COMPANY_NAME }]) { nodes { purchaseOrders { aggregates { ${leadTimes} } } } } }`,
  );
  expect(nested.data.vendors.nodes).toMatchObject([
    { purchaseOrders: { aggregates: [{ count: 2, first: { sum: 120 }, last: { sum: 172 }, sent: { avg: 64 } }] } },
    { purchaseOrders: { aggregates: [{ count: 5, first: { sum: 24 }, last: { sum: 24 } }] } },
  ]);
  const csv = await client.at('').request('POST', '/graphql', {
    headers: { accept: 'text/csv' },
    body: {
      query: `{ purchaseOrders { aggregates(${sorted}) { key { vendor { companyName } } first: hoursBetween(from: SENT, to: RECEIVED) { avg } } } }`,
    },
  });
  expect(csv.text.trim().split('\r\n')).toEqual(['key.vendor.companyName,first.avg', 'Ace,60', 'Bell,12']);

  const other = await (await service.tenant()).client();
  expect(await ask(`purchaseOrders { aggregates { ${leadTimes} } }`, other)).toMatchObject([
    { count: 0, first: all(null), last: all(null) },
  ]);
});

test('every list with a status measures the hours between two of them', () => {
  const types = Object.values(api.schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && type.name.endsWith('Aggregate') ? [type.getFields()] : [],
  );
  const argumentsOf = ({ args }: GraphQLField<unknown, unknown>) => args.map(({ name, type }) => `${name}: ${type}`);
  const measured = types.filter(({ hoursInStatus }) => hoursInStatus);
  expect(measured.length).toBeGreaterThan(15);
  for (const { hoursInStatus, hoursBetween } of measured as Record<string, GraphQLField<unknown, unknown>>[]) {
    const [status, where] = hoursInStatus?.args ?? [];
    expect(hoursBetween && argumentsOf(hoursBetween)).toEqual([
      `from: ${status?.type}`,
      `to: ${status?.type}`,
      'last: Boolean',
      `where: ${where?.type}`,
    ]);
  }
});

test('periods outlive the log and their row, with whose deletion they end', async () => {
  const { id } = await createRequest('Door');
  await setStatus(id, 'in-progress');
  await sql(`UPDATE changes SET at = now() - interval '40 days' WHERE company_id = $1`, tenant.company.id);
  while (await deleteOldChanges(service.database.prisma, tenant.company.id, 30));
  expect(await sql('SELECT count(*)::int AS count FROM changes WHERE row_id = $1', id)).toEqual([{ count: 0 }]);
  expect((await periodsOf(id))?.map(({ status }) => status)).toEqual(['PENDING', 'IN_PROGRESS']);
  await client.delete(`/service-requests/${String(id)}`);
  expect(
    await sql('SELECT status, left_at IS NULL AS open FROM status_periods WHERE row_id = $1 ORDER BY seq', id),
  ).toEqual([
    { status: 'pending', open: false },
    { status: 'in-progress', open: false },
  ]);
  expect(await periodsOf(id)).toBeUndefined();
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

test('periods are found by the index of their row', async () => {
  // `TG_TABLE_NAME` is a `name`, whose comparisons have another collation than the index.
  const compared = `SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
                    AND prosrc ~ '([^:]=\\s*TG_TABLE_NAME|TG_TABLE_NAME\\s*=)'`;
  expect(await sql(compared)).toEqual([]);
});
