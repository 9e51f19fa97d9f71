// What groups cost, and asking for the cost of an operation alone.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = (await (await service.tenant()).client()).at('');
});
afterAll(() => service.close());

describe('aggregates cost the groups that their keys can have', () => {
  const nested = (filter: string, key: string, args = '') =>
    `{ leases(first: 100) { nodes { payments${filter} { aggregates${args} { key { ${key} } count } } } } }`;

  // 100 rows, of each its page of payments and its groups: `key`, what is selected in it, and `count`.
  test.each([
    // Three statuses, and a payment always has one.
    [nested('', 'status'), 3],
    // A year has at most 14 months of at least 28 days, as its ends may lie in other time zones, and one more begun.
    [nested('(filter: { dueDate: { gte: "2026-01-01", lt: "2027-01-01" } })', 'dueDate { month }'), 15],
    [
      nested(
        '(filter: { and: [{ dueDate: { gt: "2026-01-01" } }, { dueDate: { lte: "2026-03-01" } }] })',
        'dueDate { quarter }',
      ),
      2,
    ],
    [nested('', 'amount { bucket(bounds: [0, 100, 1000]) }'), 4],
    [nested('', 'status', '(subtotals: [[]])'), 6],
  ])('%s has up to %d groups in each row', async (query, groups) => {
    const { data, errors, cost } = await costOnly(query);
    expect({ data, errors }).toEqual({ data: null, errors: undefined });
    const inKey = / (month|quarter|bucket)/.test(query) ? 3 : 2;
    const conditions = (query.match(/\b(gte?|lte?):/g) ?? []).length * 1000;
    // The list, its nodes, the lists inside, their aggregates and all of their groups.
    expect(cost.counted).toBe(1 + 100 * (1 + 1 + 1 + groups * (inKey + 1)) + 15_000 + conditions);
  });

  test('added groups are not limited by the filter, and without bounds a thousand are possible', async () => {
    const filter = '(filter: { dueDate: { gte: "2026-01-01", lt: "2026-02-01" } })';
    for (const query of [
      nested(filter, 'dueDate { month }', '(fill: { from: "1900-01-01", to: "2000-01-01" })'),
      nested('(filter: { dueDate: { gte: "2026-01-01" } })', 'dueDate { month }'),
      nested(filter, 'createdAt { month }'),
    ]) {
      const { errors } = await costOnly(query);
      expect(errors?.[0]?.message).toMatch(/more than the limit of 200000: .*filter them to a range of the dates/);
    }
  });

  test('what only asks for the cost reads and writes nothing', async () => {
    const before = await client.graphql<{ paints: { totalCount: number } }>('{ paints { totalCount } }');
    const mutation = 'mutation { createPaint(input: { name: "Never" }) { id } }';
    expect((await costOnly(mutation)).data).toBeNull();
    expect((await client.graphql('{ paints { totalCount } }')).data).toEqual(before.data);
    expect((await costOnly('{ nothing }')).errors?.[0]?.message).toContain('Cannot query field');
    expect((await costOnly('{ paints { totalCount } }', 'none')).errors?.[0]?.message).toBe('cost: must be only');
  });

  async function costOnly(query: string, asked = 'only') {
    const response = await fetch(`${service.origin}/graphql?cost=${asked}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data, errors, extensions } = (await response.json()) as {
      data: unknown;
      errors?: { message: string }[];
      extensions?: { cost: { counted: number } };
    };
    return { data, errors, cost: extensions?.cost ?? { counted: 0 } };
  }
});
