import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { at, day } from '../resources/days.ts';
import { analytics, path } from '../support/analytics.ts';
import { signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { insertRows } from './dashboard-rows.ts';

let service: Service;
let tenant: Tenant;
let people: Awaited<ReturnType<typeof signInAll>>;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  people = await signInAll(service, tenant);
});
afterAll(async () => {
  await service.close();
});

const nothing = (days: readonly string[]) => ({
  total: 0,
  by_status: { pending: 0, 'in-progress': 0, completed: 0 },
  by_priority: { low: 0, normal: 0, high: 0, urgent: 0 },
  created_per_day: days.map((date) => ({ date, count: 0 })),
  average_hours_to_complete: null,
});

test('an empty company has every figure, at zero', async () => {
  const days = Array.from({ length: 30 }, (_, n) => day(n - 29));
  expect(await analytics(people.member)).toEqual({
    range: { start_date: day(-29), end_date: day() },
    service_requests: nothing(days),
    move_requests: nothing(days),
    inventory: { items: 0, low_stock: 0, stock_value: 0 },
    leases: { active: 0, expiring_in_90_days: 0, due_this_month: 0 },
    assets: { by_status: { active: 0, retired: 0, disposed: 0 }, overdue_maintenance: 0 },
    procurement: { open_requisitions: 0, open_amount: 0 },
    packages: { expected: 0, received: 0 },
    reminders: { due: 0 },
  });
});

describe('on 15 March 2026 at noon', () => {
  const noon = '2026-03-15T12:00:00Z';
  let company: Tenant;
  let person: Client;
  beforeAll(async () => {
    company = await service.tenant();
    person = (await signInAll(service, company)).member;
    // Rows of another company and the sandbox must not count.
    const { prisma } = service.database;
    const [user, other] = [company.users[0]?.id ?? '', tenant.users[0]?.id ?? ''];
    await insertRows(prisma, company.company.id, user, 1);
    await insertRows(prisma, company.company.sandbox.id, user, 2);
    await insertRows(prisma, tenant.company.sandbox.id, other, 2);
  });

  test('the figures are those counted by hand', async () => {
    const row = await at(noon, () => analytics(person));
    const { created_per_day: perDay, ...requests } = row['service_requests'] as { created_per_day: Row[] };
    const { created_per_day: movesPerDay, ...moves } = row['move_requests'] as { created_per_day: Row[] };
    expect(row).toMatchObject({ range: { start_date: '2026-02-14', end_date: '2026-03-15' } });
    expect(requests).toEqual({
      total: 5,
      by_status: { pending: 1, 'in-progress': 1, completed: 3 },
      by_priority: { low: 1, normal: 2, high: 2, urgent: 0 },
      average_hours_to_complete: 3.42,
    });
    expect(perDay).toHaveLength(30);
    expect([perDay[0], perDay[29]?.['date']]).toEqual([{ date: '2026-02-14', count: 2 }, '2026-03-15']);
    expect(perDay.filter(({ count }) => count !== 0)).toEqual([
      { date: '2026-02-14', count: 2 },
      { date: '2026-03-01', count: 2 },
      { date: '2026-03-15', count: 1 },
    ]);
    expect(moves).toEqual({
      total: 2,
      by_status: { pending: 1, 'in-progress': 0, completed: 1 },
      by_priority: { low: 0, normal: 0, high: 0, urgent: 2 },
      average_hours_to_complete: 0.01,
    });
    expect(movesPerDay.filter(({ count }) => count !== 0)).toEqual([{ date: '2026-03-02', count: 2 }]);
    const { range: _range, service_requests: _requests, move_requests: _moves, ...rest } = row;
    expect(rest).toEqual({
      inventory: { items: 5, low_stock: 2, stock_value: 1.5 },
      leases: { active: 4, expiring_in_90_days: 2, due_this_month: 2.5 },
      assets: { by_status: { active: 2, retired: 0, disposed: 1 }, overdue_maintenance: 2 },
      procurement: { open_requisitions: 3, open_amount: 0.3 },
      packages: { expected: 2, received: 1 },
      reminders: { due: 2 },
    });
  });

  test('the figures agree with the lists', async () => {
    await at(noon, async () => {
      const client = await company.client();
      const row = await analytics(person);
      const total = async (path: string, query: Row) => (await client.get(path, query)).meta.total;
      expect(row['inventory']).toMatchObject({
        items: await total('/inventory', {}),
        low_stock: await total('/inventory', { low_stock: true }),
      });
      expect(row['leases']).toMatchObject({ active: await total('/leases', { status: 'active' }) });
      expect(row['procurement']).toMatchObject({
        open_requisitions: await total('/procurement/requisitions', { status: 'draft,pending' }),
      });
    });
  });

  test('a range includes its first and last day', async () => {
    const days = (query: Row) =>
      at(noon, async () => {
        const { range, service_requests } = await analytics(person, query);
        const { total, created_per_day } = service_requests as { total: number; created_per_day: Row[] };
        return { range, total, days: created_per_day.length };
      });
    const range = (start_date: string, end_date: string) => ({ start_date, end_date });
    expect(await days({ startDate: '2026-02-14', endDate: '2026-02-14' })).toEqual({
      range: range('2026-02-14', '2026-02-14'),
      total: 2,
      days: 1,
    });
    expect(await days({ startDate: '2026-02-13', endDate: '2026-03-16' })).toEqual({
      range: range('2026-02-13', '2026-03-16'),
      total: 7,
      days: 32,
    });
    expect(await days({ startDate: '2016-03-16' })).toMatchObject({ days: 3652 });
  });

  test('GraphQL returns the same figures', async () => {
    const { data, errors } = await at(noon, () =>
      person.graphql(`{
      dashboardAnalytics(startDate: "2026-03-01", endDate: "2026-03-02", mode: BATCH) {
        range { startDate endDate }
        serviceRequests { total byStatus byPriority createdPerDay { date count } averageHoursToComplete }
        leases { expiringIn90Days }
      }
    }`),
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      dashboardAnalytics: {
        range: { startDate: '2026-03-01', endDate: '2026-03-02' },
        serviceRequests: {
          total: 2,
          byStatus: { pending: 1, 'in-progress': 0, completed: 1 },
          byPriority: { low: 0, normal: 2, high: 0, urgent: 0 },
          createdPerDay: [
            { date: '2026-03-01', count: 2 },
            { date: '2026-03-02', count: 0 },
          ],
          averageHoursToComplete: 7.25,
        },
        leases: { expiringIn90Days: 2 },
      },
    });
  });

  // Must be last: expired rows stay expired when the clock is reset.
  test('the figures of the next day include an expired lease, overdue maintenance and due reminders', async () => {
    expect(await at('2026-03-16T12:00:00Z', () => analytics(person))).toMatchObject({
      leases: { active: 3, expiring_in_90_days: 2 },
      assets: { overdue_maintenance: 3 },
      reminders: { due: 3 },
    });
  });
});

test.each<[Row, string]>([
  [{ startDate: '2026-03-02', endDate: '2026-03-01' }, 'endDate'],
  [{ startDate: '2026-02-30' }, 'startDate'],
  [{ endDate: 'yesterday' }, 'endDate'],
  [{ endDate: '2026-03-01T00:00:00Z' }, 'endDate'],
  [{ startDate: '' }, 'startDate'],
  [{ startDate: ['2026-03-01', '2026-03-02'] }, 'startDate'],
  [{ startDate: '1900-01-01' }, 'startDate'],
  [{ mode: 'both' }, 'mode'],
  [{ mode: 'RPC' }, 'mode'],
  [{ start_date: '2026-03-01' }, 'start_date'],
  [{ limit: 5 }, 'limit'],
])('names the invalid parameter of %j: %s', async (query, parameter) => {
  const reply = await people.admin.get(path, query);
  expect(reply).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', message: expect.stringMatching(new RegExp(`^${parameter}: `)) },
  });
});
