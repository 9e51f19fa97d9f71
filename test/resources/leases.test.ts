import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { refresh } from '../support/stale.ts';
import { at, countStatuses, date, day } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, so that lists contain only its rows.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const make = async (body: Row = {}) => (await client.post('/leases', { name: 'Hall', ...body })).row;
const itemOf = ({ id }: Row) => `/leases/${String(id)}`;
const statusOf = async (lease: Row) => (await client.get(itemOf(lease))).row['status'];

describe('a lease', () => {
  test.each([
    [{}, 'active'],
    [{ end_date: day(1) }, 'active'],
    [{ end_date: day() }, 'active'],
    [{ end_date: day(-1) }, 'expired'],
    [{ end_date: day(-1), status: 'active' }, 'expired'],
    [{ end_date: day(-1), status: 'terminated' }, 'terminated'],
    [{ end_date: day(1), status: 'terminated' }, 'terminated'],
    [{ end_date: day(1), status: 'expired' }, 'expired'],
  ])('created with %j is %s', async (body, status) => {
    const made = await make(body);
    expect(made['status']).toBe(status);
    expect(await statusOf(made)).toBe(status);
  });

  test.each([
    ['its end moved to the past', { end_date: day(5) }, { end_date: day(-1) }, 'expired'],
    ['its end moved to today', { end_date: day(-5) }, { end_date: day() }, 'active'],
    ['its end moved to later', { end_date: day(-5) }, { end_date: day(5) }, 'active'],
    ['its end moved, but not far enough', { end_date: day(-5) }, { end_date: day(-1) }, 'expired'],
    ['no end any more', { end_date: day(-5) }, { end_date: null }, 'active'],
    ['another name only', { end_date: day(-5) }, { name: 'Barn' }, 'expired'],
    [
      'its end moved to later, and expired on purpose',
      { end_date: day(-5) },
      { end_date: day(5), status: 'expired' },
      'expired',
    ],
    [
      'its end moved to later, and terminated',
      { end_date: day(-5) },
      { end_date: day(5), status: 'terminated' },
      'terminated',
    ],
    ['active although it has ended', { end_date: day(-5) }, { status: 'active' }, 'expired'],
    [
      'expired before its end, and the same end again',
      { end_date: day(5), status: 'expired' },
      { end_date: day(5) },
      'expired',
    ],
    ['active again before its end', { end_date: day(5), status: 'expired' }, { status: 'active' }, 'active'],
    [
      'terminated, and its end moved to later',
      { end_date: day(-5), status: 'terminated' },
      { end_date: day(5) },
      'terminated',
    ],
    [
      'terminated, and its end moved to the past',
      { end_date: day(5), status: 'terminated' },
      { end_date: day(-5) },
      'terminated',
    ],
  ])('%s', async (_, body, change, status) => {
    const made = await make(body);
    const changed = await client.patch(itemOf(made), change, { prefer: 'return=representation' });
    expect(changed).toMatchObject({ status: 200, row: { status } });
    expect(await statusOf(made)).toBe(status);
  });

  // Whoever ends a lease early, in whatever way, has said so: its date does not take that back.
  describe.each([
    ['created so', (body: Row) => make({ ...body, status: 'expired' })],
    [
      'by a PATCH',
      async (body: Row) => {
        const made = await make(body);
        return (await client.patch(itemOf(made), { status: 'expired' }, { prefer: 'return=representation' })).row;
      },
    ],
    [
      'by a PATCH of both',
      async (body: Row) => {
        const made = await make({ end_date: day(-4) });
        const both = { ...body, status: 'expired' };
        return (await client.patch(itemOf(made), both, { prefer: 'return=representation' })).row;
      },
    ],
    [
      'in GraphQL',
      async (body: Row) => {
        const made = await make(body);
        const mutation = 'mutation ($id: ID!) { updateLease(id: $id, input: { status: EXPIRED }) { id } }';
        await client.graphql(mutation, { id: made['id'] });
        return (await client.get(itemOf(made))).row;
      },
    ],
  ])('that a client expired before its end, %s,', (_, expire) => {
    test.each([[day(9)], [day(3)], [day()], [day(-2)], [null]])(
      'stays expired when its end moves to %s',
      async (end) => {
        const made = await expire({ end_date: day(5) });
        expect(made['status']).toBe('expired');
        expect((await client.patch(itemOf(made), { end_date: end })).status).toBe(200);
        expect(await statusOf(made)).toBe('expired');
        await client.patch(itemOf(made), { end_date: day(7) });
        expect(await statusOf(made)).toBe('expired');
        await client.patch(itemOf(made), { status: 'active' });
        await client.patch(itemOf(made), { end_date: day(-1) });
        await client.patch(itemOf(made), { end_date: day(8) });
        expect(await statusOf(made)).toBe('active');
      },
    );

    test('stays expired after its end has passed', async () => {
      const made = await expire({ end_date: day(5) });
      await at(`${day(10)}T12:00:00Z`, async () => {
        await refresh(service, tenant);
        await client.patch(itemOf(made), { end_date: day(20) });
        expect(await statusOf(made)).toBe('expired');
      });
    });
  });

  test('must not end before it starts', async () => {
    expect(
      (await client.post('/leases', { name: 'Hall', start_date: '2026-05-02', end_date: '2026-05-01' })).details,
    ).toEqual({ end_date: expect.any(String) });
    const made = await make({ start_date: '2027-05-01', end_date: '2027-05-01' });
    expect((await client.patch(itemOf(made), { end_date: '2027-04-30' })).details).toEqual({
      end_date: expect.any(String),
    });
    expect((await client.patch(itemOf(made), { start_date: '2027-05-02' })).status).toBe(422);
    expect((await client.patch(itemOf(made), { start_date: '2027-05-02', end_date: '2027-05-02' })).status).toBe(200);
  });
});

describe('leases whose end has passed', () => {
  const ids: Record<string, string> = {};
  /** Four leases before the first request of a day: the first should be expired by now. */
  beforeEach(async () => {
    for (const [name, endDate, status] of [
      ['stale', date(day(-1)), 'ACTIVE'],
      ['current', date(day()), 'ACTIVE'],
      ['open', null, 'ACTIVE'],
      ['left', date(day(-1)), 'TERMINATED'],
    ] as const) {
      const dates = { create: [{ date: date(day()) }] };
      ids[name] = (
        await service.database.prisma.lease.create({
          data: { companyId: tenant.company.id, name, endDate, status, dates },
        })
      ).id;
    }
    await refresh(service, tenant);
  });
  const namesOf = (rows: Row[]) => rows.map(({ name }) => name).sort();

  test('are expired in a read', async () => {
    expect((await client.get(`/leases/${ids['stale']}`)).row['status']).toBe('expired');
  });

  test('are expired in a list', async () => {
    const { rows } = await client.get('/leases');
    expect(Object.fromEntries(rows.map(({ name, status }) => [name, status]))).toEqual({
      stale: 'expired',
      current: 'active',
      open: 'active',
      left: 'terminated',
    });
  });

  test.each([
    ['active', ['current', 'open']],
    ['expired', ['stale']],
    ['terminated', ['left']],
    ['active,expired', ['current', 'open', 'stale']],
  ])('status=%s matches and counts %j', async (status, names) => {
    const found = await client.get('/leases', { status, limit: 1 });
    expect(found.meta).toMatchObject({ total: names.length, pagination: { total: names.length } });
    expect(namesOf((await client.get('/leases', { status })).rows)).toEqual(names);
  });

  test('are sorted by status', async () => {
    const { rows } = await client.get('/leases', { sort: 'status', order: 'asc' });
    expect(rows.map(({ status }) => status)).toEqual(['active', 'active', 'expired', 'terminated']);
    expect(rows[2]?.['name']).toBe('stale');
  });

  test('are filtered and counted in GraphQL', async () => {
    const { data } = await client.graphql<Record<string, { totalCount: number; nodes: Row[] }>>(`{
      expired: leases(filter: { status: { eq: EXPIRED } }) { totalCount nodes { name status } }
      active: leases(filter: { status: { eq: ACTIVE } }, first: 1) { totalCount }
    }`);
    expect(data).toEqual({
      expired: { totalCount: 1, nodes: [{ name: 'stale', status: 'EXPIRED' }] },
      active: { totalCount: 2 },
    });
  });

  test('are expired through a sub-resource in GraphQL', async () => {
    const { data } = await client.graphql<Record<string, { nodes: Row[] }>>(
      'query ($id: ID!) { leaseDates(leaseId: $id) { nodes { lease { status } } } }',
      { id: ids['stale'] },
    );
    expect(data['leaseDates']?.nodes).toEqual([{ lease: { status: 'EXPIRED' } }]);
  });

  test('a change returns the current status', async () => {
    const changed = await client.patch(
      `/leases/${ids['stale']}`,
      { name: 'stale' },
      { prefer: 'return=representation' },
    );
    expect(changed.row['status']).toBe('expired');
  });

  test('a later end makes one active again', async () => {
    await client.patch(`/leases/${ids['stale']}`, { end_date: day(1) });
    expect((await client.get(`/leases/${ids['stale']}`)).row['status']).toBe('active');
  });

  test('do not change in other companies', async () => {
    await service.database.prisma.lease.updateMany({ where: { id: ids['stale'] }, data: { status: 'ACTIVE' } });
    await refresh(service, await service.tenant());
    expect((await service.database.prisma.lease.findFirstOrThrow({ where: { id: ids['stale'] } })).status).toBe(
      'ACTIVE',
    );
  });

  test('are the same for twenty concurrent readers', async () => {
    const found = await Promise.all(Array.from({ length: 20 }, () => client.get('/leases', { status: 'expired' })));
    expect(new Set(found.map(({ meta: { total } }) => total))).toEqual(new Set([1]));
  });
});

test('a lease is active until the end of its last day in UTC, then expired', async () => {
  const made = await make({ end_date: '2031-06-30' });
  const seen = async () => ({
    status: await statusOf(made),
    expired: (await client.get('/leases', { status: 'expired' })).meta.total,
    active: (await client.get('/leases', { status: 'active' })).meta.total,
  });
  expect(await at('2031-06-30T23:59:59.999Z', seen)).toEqual({ status: 'active', expired: 0, active: 1 });
  expect(await at('2031-07-01T00:00:00.000Z', seen)).toEqual({ status: 'expired', expired: 1, active: 0 });
  expect(
    await at('2031-07-01T00:00:00.000Z', async () => {
      await client.patch(itemOf(made), { end_date: '2031-07-01' });
      return seen();
    }),
  ).toEqual({ status: 'active', expired: 0, active: 1 });
  expect(await at('2031-07-02T12:00:00.000Z', seen)).toEqual({ status: 'expired', expired: 1, active: 0 });
});

describe('a version of its document', () => {
  test('is unique per lease', async () => {
    const [one, other] = [await make(), await make()];
    expect((await client.post(`${itemOf(one)}/documents`, { version: '1.0' })).status).toBe(201);
    expect(await client.post(`${itemOf(one)}/documents`, { version: ' 1.0 ' })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { version: expect.any(String) } },
    });
    expect((await client.post(`${itemOf(one)}/documents`, { version: '1.1' })).status).toBe(201);
    expect((await client.post(`${itemOf(other)}/documents`, { version: '1.0' })).status).toBe(201);
  });

  test('is created once of thirty concurrent ones', async () => {
    const documents = `${itemOf(await make())}/documents`;
    expect(await countStatuses(30, () => client.post(documents, { version: '2' }))).toEqual({ 201: 1, 409: 29 });
    expect((await client.get(documents)).meta.total).toBe(1);
  });

  test('requires an http URL, if any', async () => {
    const documents = `${itemOf(await make())}/documents`;
    expect((await client.post(documents, { version: '1', file_url: 'ftp://example.com/1' })).details).toEqual({
      file_url: expect.any(String),
    });
    expect((await client.post(documents, { version: '1', file_url: 'https://example.com/1.pdf' })).status).toBe(201);
  });
});

test('a lease is deleted with its sub-resources', async () => {
  const lease = await make();
  await client.post(`${itemOf(lease)}/documents`, { version: '1' });
  await client.post(`${itemOf(lease)}/dates`, { date: day(9), type: 'renewal_option' });
  await client.post(`${itemOf(lease)}/payments`, { due_date: day(9), amount: 1 });
  const { data } = await client.graphql<{ lease: Row }>(
    'query ($id: ID!) { lease(id: $id) { documents { nodes { version } } dates { nodes { type } } payments { totalCount nodes { status } } } }',
    { id: lease['id'] },
  );
  expect(data.lease).toEqual({
    documents: { nodes: [{ version: '1' }] },
    dates: { nodes: [{ type: 'renewal_option' }] },
    payments: { totalCount: 1, nodes: [{ status: 'PENDING' }] },
  });
  expect((await client.delete(itemOf(lease))).status).toBe(204);
  expect(await service.database.prisma.leasePayment.count({ where: { companyId: tenant.company.id } })).toBe(0);
});
