// Questions whose answers are computed of others: conditions inside measures, ratios, totals, changes, and figures of
// related rows in filters. Against SQL written by hand; the company's days are those of Berlin.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma, type PrismaClient } from '../src/database/generated/client/client.ts';
import type { Client, Row } from './support/client.ts';
import { at, Questions } from './support/questions.ts';

let questions: Questions;
let client: Client;
let prisma: PrismaClient;
let companyId: string;
beforeAll(async () => {
  questions = await Questions.start();
  ({ client, prisma, companyId } = questions);
});
afterAll(() => questions.close());

const groupsOf: Questions['groupsOf'] = (...asked) => questions.groupsOf(...asked);
const errorOf: Questions['errorOf'] = (...asked) => questions.errorOf(...asked);
const sql: Questions['sql'] = (...given) => questions.sql(...given);
const expectGroups: Questions['expectGroups'] = (...given) => questions.expectGroups(...given);

describe('what share of urgent requests took more than 48 hours', () => {
  const selection = `
    key { building { name } createdAt { week } }
    urgent: count(where: { priority: { eq: URGENT } })
    late: count(where: { priority: { eq: URGENT }, resolutionHours: { gt: 48 } })
    derived { ratio(of: "late", to: "urgent") }`;
  const measured = Prisma.sql`
    count(*) FILTER (WHERE r.priority = 'urgent') AS urgent,
    count(*) FILTER (WHERE r.priority = 'urgent' AND r.completed_at - r.created_at > interval '48 hours') AS late,
    count(*) FILTER (WHERE r.priority = 'urgent' AND r.completed_at - r.created_at > interval '48 hours')::numeric
      / nullif(count(*) FILTER (WHERE r.priority = 'urgent'), 0) AS ratio`;

  test('by building and week', async () => {
    expectGroups(
      await groupsOf('serviceRequests', selection),
      ['key.building.name', 'key.createdAt.week', 'urgent', 'late', 'derived.ratio'],
      await sql`
        SELECT b.name, date_trunc('week', r.created_at AT TIME ZONE 'Europe/Berlin')::date AS week, ${measured}
          FROM service_requests r
          LEFT JOIN buildings b ON b.company_id = r.company_id AND b.id = r.building_id
         WHERE r.company_id = ${companyId}::uuid
         GROUP BY 1, 2 ORDER BY 1 NULLS LAST, 2`,
    );
  });

  test('with totals of each building and of all', async () => {
    const groups = await groupsOf('serviceRequests', `${selection} totalOf`, 'subtotals: [["key.building.name"], []]');
    const week = 'key.createdAt.week';
    const levels = await sql`
      SELECT b.name, ${measured} FROM service_requests r
        LEFT JOIN buildings b ON b.company_id = r.company_id AND b.id = r.building_id
       WHERE r.company_id = ${companyId}::uuid GROUP BY 1 ORDER BY 1 NULLS LAST`;
    expectGroups(
      groups.filter((group) => String(group['totalOf']) === week),
      ['key.building.name', 'urgent', 'late', 'derived.ratio'],
      levels,
    );
    const [all] = await sql`
      SELECT ${measured} FROM service_requests r WHERE r.company_id = ${companyId}::uuid`;
    const total = groups.filter((group) => (group['totalOf'] as string[]).length === 2);
    expect(total.map((group) => ['urgent', 'late', 'derived.ratio'].map((place) => at(group, place)))).toEqual([all]);
    expect(groups.filter((group) => (group['totalOf'] as string[]).length === 0)).toEqual(
      (await groupsOf('serviceRequests', selection)).map((group) => ({ ...group, totalOf: [] })),
    );
  });
});

test('what does each vendor invoice a quarter, which share of the quarter is it, and how did it change?', async () => {
  expectGroups(
    await groupsOf(
      'invoices',
      `key { vendor { companyName } issuedDate { quarter } } amount { sum }
       derived {
         share(of: "amount.sum", within: ["key.issuedDate.quarter"]) running(of: "amount.sum")
         change(of: "amount.sum") difference(of: "amount.sum", minus: "amount.sum")
       }`,
    ),
    [
      'key.vendor.companyName',
      'key.issuedDate.quarter',
      'amount.sum',
      'derived.share',
      'derived.running',
      'derived.change',
      'derived.difference',
    ],
    await sql`
      WITH groups AS (
        SELECT v.company_name AS vendor, date_trunc('quarter', i.issued_date)::date AS quarter, sum(i.amount) AS amount
          FROM invoices i LEFT JOIN vendors v ON v.company_id = i.company_id AND v.id = i.vendor_id
         WHERE i.company_id = ${companyId}::uuid GROUP BY 1, 2)
      SELECT vendor, quarter, amount,
             amount / (SELECT nullif(sum(o.amount), 0) FROM groups o WHERE o.quarter IS NOT DISTINCT FROM g.quarter) AS share,
             (SELECT sum(o.amount) FROM groups o
               WHERE o.vendor IS NOT DISTINCT FROM g.vendor AND o.quarter <= g.quarter) AS running,
             amount - (SELECT o.amount FROM groups o
               WHERE o.vendor IS NOT DISTINCT FROM g.vendor AND o.quarter = g.quarter - interval '3 months') AS change,
             amount - amount AS difference
        FROM groups g ORDER BY 1 NULLS LAST, 2 NULLS LAST`,
  );
});

test('which are the two most expensive vendors of each quarter?', async () => {
  expectGroups(
    await groupsOf(
      'invoices',
      'key { issuedDate { quarter } vendor { companyName } } amount { sum }',
      `first: 2, per: ["key.issuedDate.quarter"],
       orderBy: [{ field: "key.issuedDate.quarter" }, { field: "amount.sum", direction: DESC }]`,
    ),
    ['key.issuedDate.quarter', 'key.vendor.companyName', 'amount.sum'],
    await sql`
      SELECT quarter, vendor, amount FROM (
        SELECT *, row_number() OVER (PARTITION BY quarter ORDER BY amount DESC NULLS LAST, vendor NULLS LAST) AS place
          FROM (SELECT date_trunc('quarter', i.issued_date)::date AS quarter, v.company_name AS vendor,
                       sum(i.amount) AS amount
                  FROM invoices i LEFT JOIN vendors v ON v.company_id = i.company_id AND v.id = i.vendor_id
                 WHERE i.company_id = ${companyId}::uuid GROUP BY 1, 2) AS g) AS placed
       WHERE place <= 2 ORDER BY 1 NULLS LAST, amount DESC NULLS LAST, 2 NULLS LAST`,
  );
});

describe('figures of related rows', () => {
  let vendors: string[];
  beforeAll(async () => {
    const create = (name: string, amounts: readonly number[]) =>
      prisma.vendor.create({
        data: {
          companyId,
          companyName: name,
          invoices: {
            create: amounts.map((amount, n) => ({
              invoiceNumber: `${name} ${n}`,
              amount,
              status: n === 0 ? ('VOID' as const) : ('PENDING' as const),
              issuedDate: new Date('2026-02-03'),
            })),
          },
        },
      });
    vendors = ['None', 'One', 'Many'];
    await create('None', []);
    await create('One', [100.25]);
    await create('Many', [1, 2.5, 300]);
  });

  const found = async (measure: string) => {
    const filter = `{ companyName: { in: ["None", "One", "Many"] }, invoices: { measure: ${measure} } }`;
    const { data, errors } = await client.graphql<{ vendors: { nodes: { companyName: string }[] } }>(
      `{ vendors(filter: ${filter}, orderBy: [{ field: COMPANY_NAME }]) { nodes { companyName } } }`,
    );
    expect({ measure, errors }).toEqual({ measure, errors: [] });
    return data.vendors.nodes.map(({ companyName }) => companyName);
  };

  test.each([
    ['{ count: { eq: 0 } }', ['None']],
    ['{ count: { gte: 1, lt: 3 } }', ['One']],
    ['{ amount: { sum: { gt: 100 } } }', ['Many', 'One']],
    ['{ amount: { sum: { isNull: true } } }', ['None']],
    ['{ amount: { max: { gt: 100 }, min: { lt: 2 } } }', ['Many']],
    ['{ where: { status: { ne: VOID } }, amount: { sum: { gte: 302.5 } } }', ['Many']],
    ['{ where: { status: { eq: VOID } }, amount: { avg: { eq: 100.25 } } }', ['One']],
    ['{}', ['Many', 'None', 'One']],
  ])('%s', async (measure, expected) => {
    expect(vendors).toHaveLength(3);
    expect(await found(measure)).toEqual(expected);
  });

  test('are compared with a field of the row, by a factor: which assets cost more than half their price?', async () => {
    const create = (name: string, purchasePrice: number | null, costs: readonly number[]) =>
      prisma.asset.create({
        data: {
          companyId,
          assetName: name,
          purchasePrice,
          maintenance: { create: costs.map((cost) => ({ estimatedCost: cost })) },
        },
      });
    await create('Pump', 100, [30, 20.01]);
    await create('Lift', 100, [30, 20]);
    await create('Door', null, [30]);
    await create('Roof', 100, []);
    const expensive =
      'maintenance: { measure: { estimatedCost: { sum: { compare: { is: GT, field: "purchasePrice", times: 0.5 } } } } }';
    const ask = async (filter: string) => {
      const { data, errors } = await client.graphql<{ assets: { nodes: { assetName: string }[] } }>(
        `{ assets(filter: { assetName: { in: ["Pump", "Lift", "Door", "Roof"] }, ${filter} }, orderBy: [{ field: ASSET_NAME }]) { nodes { assetName } } }`,
      );
      expect(errors).toEqual([]);
      return data.assets.nodes.map(({ assetName }) => assetName);
    };
    expect(await ask(expensive)).toEqual(['Pump']);
    // Each row matches exactly one of a filter and its negation.
    expect(await ask(`not: { ${expensive} }`)).toEqual(['Door', 'Lift', 'Roof']);
  });
});

describe('comparisons in REST', () => {
  test('with an unset field: only being different holds, and of a filter and its negation exactly one', async () => {
    const create = (name: string, quantity: number, reorderPoint: number | null) =>
      prisma.inventoryItem.create({ data: { companyId, name, quantity, reorderPoint } });
    await create('Same', 4, 4);
    await create('More', 5, 4);
    await create('Unset', 4, null);
    const names = async (quantity: Row) => {
      const filter = { name: { in: ['Same', 'More', 'Unset'] }, ...quantity };
      const { rows } = await client.get('/inventory', { filter: JSON.stringify(filter) });
      return rows.map(({ name }) => name).sort();
    };
    const compare = (is: string) => ({ quantity: { compare: { is, field: 'reorder_point' } } });
    const expected: Record<string, string[]> = { eq: ['Same'], ne: ['More', 'Unset'], lte: ['Same'], gt: ['More'] };
    for (const [is, holds] of Object.entries(expected)) {
      expect([is, await names(compare(is))]).toEqual([is, holds]);
      const others = ['More', 'Same', 'Unset'].filter((name) => !holds.includes(name));
      expect([is, await names({ not: compare(is) })]).toEqual([is, others]);
    }
  });

  test('of a field with another, and of what is computed of a row', async () => {
    const filter = { quantity: { compare: { is: 'lt', field: 'reorder_point' } } };
    const { rows } = await client.get('/inventory', { filter: JSON.stringify(filter), limit: 100 });
    const low = await sql`
      SELECT id::text FROM inventory_items WHERE company_id = ${companyId}::uuid AND quantity < reorder_point`;
    expect(low.length).toBeGreaterThan(0);
    expect(rows.map(({ id }) => id).sort()).toEqual(low.flat().sort());
    const slow = await client.get('/service-requests', { 'resolution_hours[gt]': 48, limit: 100 });
    const [[count] = []] = await sql`
      SELECT count(*) FROM service_requests
       WHERE company_id = ${companyId}::uuid AND completed_at - created_at > interval '48 hours'`;
    expect(slow.meta.total).toBe(count);
    const unknown = { quantity: { compare: { is: 'lt', field: 'name' } } };
    expect((await client.get('/inventory', { filter: JSON.stringify(unknown) })).error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('quantity.compare.field: must be one of quantity'),
    });
  });
});

test.each([
  [
    'key { issuedDate { month } } count derived { ratio(of: "count", to: "amount.sum") }',
    '',
    /derived.ratio.to: must be a selected number: count/,
  ],
  [
    'key { issuedDate { weekday } } count derived { running(of: "count") }',
    '',
    /derived.running: requires exactly one key/,
  ],
  [
    'key { issuedDate { month } } count derived { change(of: "count", periods: 0) }',
    '',
    /derived.change.periods: must be between 1 and 1000/,
  ],
  [
    'key { issuedDate { month } } count derived { share(of: "count", within: ["count"]) }',
    '',
    /derived.share.within: must be a selected key: key.issuedDate.month/,
  ],
  ['key { status } count', 'subtotals: [["key.status"]]', /subtotals.0: must leave out a key/],
  ['key { status } count', 'subtotals: [["status"]]', /subtotals.0: must be a selected key: key.status/],
  ['count', 'subtotals: [[]]', /subtotals: requires 1 to 10 keys/],
  ['key { status } count', 'per: ["count"]', /per: must be a selected key: key.status/],
])('%s (%s) is refused with what to change', async (selection, args, message) => {
  expect(await errorOf('invoices', selection, args)).toMatch(message);
});

test('lists inside rows have totals, shares and the first of each key too', async () => {
  const { data, errors } = await client.graphql<{
    buildings: { nodes: { name: string; list: { aggregates: Row[] } }[] };
  }>(
    `{ buildings(orderBy: [{ field: NAME }]) { nodes { name list: serviceRequests { aggregates(subtotals: [[]], orderBy: [{ field: "count", direction: DESC }]) {
       key { status } totalOf count derived { share(of: "count") } } } } } }`,
  );
  expect(errors).toEqual([]);
  const groups = data.buildings.nodes.flatMap(({ name, list }) =>
    list.aggregates.map((group) => [
      name,
      at(group, 'key.status'),
      (group['totalOf'] as string[]).length,
      group['count'],
      at(group, 'derived.share'),
    ]),
  );
  const expected = await sql`
    WITH groups AS (
      SELECT b.name, r.status, GROUPING(r.status) AS level, count(*) AS count FROM buildings b
        JOIN service_requests r ON r.company_id = b.company_id AND r.building_id = b.id
       WHERE b.company_id = ${companyId}::uuid GROUP BY GROUPING SETS ((b.name, r.status), (b.name)))
    SELECT name, upper(status::text), level, count,
           count / sum(count) OVER (PARTITION BY name, level) AS share
      FROM groups ORDER BY name, count DESC, status NULLS LAST`;
  expect(expected.length).toBeGreaterThan(3);
  expect(groups).toEqual(expected);
});
