import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { at } from './days.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const lastMonth = 'createdAt: { gte: "startOfMonth-1month", lte: "endOfMonth-1month" }';
const query = `{ notes(filter: { ${lastMonth} }) { nodes { title } aggregates(fill: { from: "startOfMonth-1month", to: "startOfMonth" }) { key { createdAt { month } } count } } }`;

/** The notes of last month that GraphQL and REST find, and their months. */
async function find(client: Client) {
  const { data, errors } = await client.graphql<{
    notes: { nodes: Row[]; aggregates: { key: { createdAt: Row }; count: number }[] };
  }>(query);
  expect(errors).toEqual([]);
  const { rows } = await client.get('/notes', {
    'created_at[gte]': 'startOfMonth-1month',
    'created_at[lte]': 'endOfMonth-1month',
  });
  const titles = data.notes.nodes.map(({ title }) => title).sort();
  expect(rows.map(({ title }) => title).sort()).toEqual(titles);
  return [titles, data.notes.aggregates.map(({ key, count }) => [key.createdAt['month'], count])];
}

// In Havana, the 1st of November 2026 has two midnights, an hour apart.
test.each(['America/Havana', 'Pacific/Auckland'])(
  'last month, saved today, is right next month in %s',
  async (zone) => {
    const tenant = await service.tenant();
    const admin = (await openSession(service, tenant.users[0]?.id ?? '')).at('/api/v1');
    const settings =
      'mutation ($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { timeZone } }';
    expect((await admin.graphql(settings, { input: { timeZone: zone } })).errors).toEqual([]);
    const client = await tenant.client();
    const hour = 3_600_000;
    const november = zone === 'America/Havana' ? '2026-11-01T04:00:00Z' : '2026-10-31T11:00:00Z';
    const december = zone === 'America/Havana' ? '2026-12-01T05:00:00Z' : '2026-11-30T11:00:00Z';
    const times = [november, december].flatMap((start) => [
      Date.parse(start) - 1,
      Date.parse(start),
      Date.parse(start) + hour / 2,
    ]);
    const titles = ['October ends', 'November starts', 'November', 'November ends', 'December starts', 'December'];
    for (const [n, title] of titles.entries())
      await service.database.prisma.note.create({
        data: {
          companyId: tenant.company.id,
          title,
          userId: tenant.users[0]?.id ?? '',
          createdAt: new Date(times[n] ?? 0),
        },
      });
    expect(await at('2026-11-15T12:00:00Z', () => find(client))).toEqual([['October ends'], [['2026-10-01', 1]]]);
    expect(await at('2026-12-15T12:00:00Z', () => find(client))).toEqual([
      ['November', 'November ends', 'November starts'],
      [['2026-11-01', 3]],
    ]);
  },
);
