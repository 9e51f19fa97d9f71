import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import type { Database } from '../src/database/index.ts';
import { createRefresher, type Resource } from '../src/resource/index.ts';
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
  const broken = { ...lease, refreshStale: () => [Prisma.sql`nothing AS (SELECT FROM no_such_table)`] };
  const refresh = createRefresher(database, [broken]);
  await expect(refresh(company)).rejects.toThrow('no_such_table');
  expect(refresh(company)).toBeUndefined();
});
