import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import type { Database } from '../src/database/index.ts';
import { createRefresher, type Resource, refreshStale } from '../src/resource/index.ts';
import { api } from '../src/schema/index.ts';
import { testDatabase } from './support/database.ts';

let database: Database;
const statements: string[] = [];
beforeAll(async () => {
  database = await testDatabase({ onQuery: (sql: string) => statements.push(sql) });
});
afterAll(() => database.close());

const updates = () => statements.splice(0).filter((sql) => sql.includes('UPDATE leases'));
const company = { companyId: '01890000-0000-7000-8000-000000000000', timeZone: 'UTC' };

test('the first call of a company and day runs one statement, for which those at the same time wait too', async () => {
  const refresh = createRefresher(database, api.resources);
  const [first, second] = [refresh(company), refresh(company)];
  expect(first).toBeDefined();
  expect(second).toBe(first);
  await first;
  expect(refresh(company)).toBeUndefined();
  expect(updates()).toHaveLength(1);
  await refresh({ ...company, timeZone: 'Pacific/Kiritimati' });
  expect(updates()).toHaveLength(1);
});

test('an error is that of the first call; later ones skip the update for a while', async () => {
  const [lease] = api.resources.filter(({ type }) => type === 'Lease') as [Resource];
  const broken = {
    ...lease,
    refreshStale: () => ({
      steps: [Prisma.sql`nothing AS (SELECT FROM no_such_table)`],
      updated: Prisma.raw('nothing'),
    }),
  };
  const refresh = createRefresher(database, [broken]);
  await expect(refresh(company)).rejects.toThrow('no_such_table');
  expect(refresh(company)).toBeUndefined();
});

test('many rows are updated by statements of 1,000, each in a transaction of its own', async () => {
  const { id: companyId } = await database.prisma.company.create({ data: { slug: 'many', name: 'Many' } });
  const day = new Date('2026-03-02');
  await database.prisma.lease.createMany({
    data: [
      ...Array.from({ length: 2300 }, () => ({ companyId, name: 'Hall', endDate: new Date('2026-03-01') })),
      { companyId, name: 'Barn', endDate: day },
    ],
  });
  updates();
  await refreshStale(database, api.resources, companyId, day);
  expect(updates()).toHaveLength(4); // the last finds none
  const counted = await database.prisma.lease.groupBy({ by: ['status'], where: { companyId }, _count: true });
  expect(counted).toEqual(
    expect.arrayContaining([
      { status: 'EXPIRED', _count: 2300 },
      { status: 'ACTIVE', _count: 1 },
    ]),
  );
  const transactions = await database.prisma.change.groupBy({
    by: ['xid'],
    where: { companyId, tableName: 'leases', action: 'UPDATE' },
    _count: true,
  });
  expect(transactions.map(({ _count }) => _count).toSorted((a, b) => a - b)).toEqual([300, 1000, 1000]);
});
