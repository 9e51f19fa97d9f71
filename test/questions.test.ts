// What a facilities office asks its data, each by one request, against SQL written by hand. The company's days are
// those of Berlin, where the clocks went back on October 25th, 2026 and forward on March 29th.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Prisma, type PrismaClient } from '../src/database/generated/client/client.ts';
import type { Client, Row } from './support/client.ts';
import { fillOffice } from './support/office-rows.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let client: Client;
let prisma: PrismaClient;
let companyId: string;
let policy: string;

beforeAll(async () => {
  service = await startService();
  const [tenant, other] = [await service.tenant(), await service.tenant()];
  prisma = service.database.prisma;
  for (const { company, users } of [other, tenant])
    policy = await fillOffice(
      prisma,
      company.id,
      users.map(({ id }) => id),
    );
  companyId = tenant.company.id;
  client = await tenant.client();
});
afterAll(() => service.close());

/** Asks one request. */
async function ask<Answer>(query: string, variables: Row = {}): Promise<Answer> {
  const { data, errors } = await client.graphql<Answer>(query, variables);
  expect({ query, errors }).toEqual({ query, errors: [] });
  return data;
}

/** The rows of SQL, with numbers instead of decimals and days instead of times. */
async function sql(strings: TemplateStringsArray, ...values: unknown[]): Promise<unknown[][]> {
  const rows = await prisma.$queryRaw<Row[]>(Prisma.sql(strings, ...values));
  return rows.map((row) =>
    Object.values(row).map((value) => {
      if (Prisma.Decimal.isDecimal(value)) return value.toNumber();
      if (typeof value === 'bigint') return Number(value);
      return value instanceof Date ? value.toISOString().slice(0, 10) : value;
    }),
  );
}

type Groups = readonly Row[];
type Grouped = { readonly list: { readonly aggregates: Groups } };

/** A value of a group by its place, as in `orderBy`. */
const at = (group: Row, place: string): unknown =>
  place.split('.').reduce<unknown>((inner, name) => (inner as Row)[name], group);

/** Compares groups, by places in them, with rows of SQL. */
function expectGroups(groups: Groups, places: readonly string[], expected: readonly unknown[][]): void {
  expect(expected.length).toBeGreaterThan(1);
  expect(groups.map((group) => places.map((place) => at(group, place)))).toEqual(
    expected.map((row) =>
      row.map((value) => (typeof value === 'number' && !Number.isInteger(value) ? expect.closeTo(value, 6) : value)),
    ),
  );
}

test('which leases end in 90 days, and what is their rent together?', async () => {
  const { leases } = await ask<{ leases: { nodes: Row[]; totalCount: number; aggregates: Groups } }>(
    `{ leases(first: 100, orderBy: [{ field: END_DATE }, { field: NAME }],
        filter: { status: { eq: ACTIVE }, endDate: { gte: "today", lte: "today+90" } }) {
      totalCount nodes { name endDate } aggregates { monthlyPayment { sum } } } }`,
  );
  const expected = await sql`SELECT name, end_date, sum(monthly_payment) OVER () FROM leases
    WHERE company_id = ${companyId}::uuid AND status = 'active'
      AND end_date BETWEEN (now() AT TIME ZONE 'Europe/Berlin')::date AND (now() AT TIME ZONE 'Europe/Berlin')::date + 90
    ORDER BY end_date, name`;
  expect(expected.length).toBeGreaterThan(1);
  expect(leases.nodes.map(({ name, endDate }) => [name, endDate])).toEqual(expected.map(([name, end]) => [name, end]));
  expect([leases.totalCount, at(leases.aggregates[0] ?? {}, 'monthlyPayment.sum')]).toEqual([
    expected.length,
    expected[0]?.[2],
  ]);
});

test('what rent is due in each month of the year, over all leases?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: leasePayments(filter: { status: { eq: PENDING } }) {
      aggregates(fill: { from: "2026-01-01", to: "2027-01-01" }) { key { dueDate { month } } count amount { sum } } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.dueDate.month', 'count', 'amount.sum'],
    await sql`SELECT m::date, count(p.id), sum(p.amount)
      FROM generate_series('2026-01-01'::date, '2026-12-01'::date, '1 month') AS m
      LEFT JOIN lease_payments p ON p.company_id = ${companyId}::uuid AND p.status = 'pending'
        AND p.due_date >= m AND p.due_date < m + interval '1 month'
      GROUP BY m ORDER BY m`,
  );
});

test('what is the value of low stock, by location?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: inventoryItems(filter: { lowStock: { eq: true } }) {
      aggregates { key { location { code } } count stockValue { sum } } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.location.code', 'count', 'stockValue.sum'],
    await sql`SELECT b.code, count(*), sum(i.quantity * i.unit_cost) FROM inventory_items i
      LEFT JOIN buildings b ON (b.company_id, b.id) = (i.company_id, i.location_id)
      WHERE i.company_id = ${companyId}::uuid AND i.quantity < i.reorder_point GROUP BY b.code ORDER BY b.code`,
  );
});

test('what do vendors cost in each quarter?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: invoices(filter: { status: { ne: VOID }, vendorId: { isNull: false } }) {
      aggregates(having: [{ field: "count", gte: 2 }]) {
        key { issuedDate { quarter } vendor { companyName } } count amount { sum } } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.issuedDate.quarter', 'key.vendor.companyName', 'count', 'amount.sum'],
    await sql`SELECT make_date(2026, extract(quarter FROM i.issued_date)::int * 3 - 2, 1) AS quarter, v.company_name,
        count(*), sum(i.amount)
      FROM invoices i JOIN vendors v ON (v.company_id, v.id) = (i.company_id, i.vendor_id)
      WHERE i.company_id = ${companyId}::uuid AND i.status <> 'void'
      GROUP BY 1, 2 HAVING count(*) >= 2 ORDER BY 1, 2`,
  );
});

test('how many hours did each technician work in each month?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: serviceRequestTimeLogs {
      aggregates { key { author { fullName } createdAt { month } } hours { sum } } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.author.fullName', 'key.createdAt.month', 'hours.sum'],
    await sql`SELECT u.full_name, to_char(t.created_at AT TIME ZONE 'Europe/Berlin', 'YYYY-MM-01') AS month, sum(t.hours)
      FROM time_logs t JOIN users u ON (u.company_id, u.id) = (t.company_id, t.user_id)
      WHERE t.company_id = ${companyId}::uuid AND t.service_request_id IS NOT NULL
      GROUP BY 1, 2 ORDER BY 1, 2`,
  );
});

test('how much stock was used in each month?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: stockAdjustments(filter: { type: { eq: REMOVAL } }) {
      aggregates { key { createdAt { month } } quantity { sum } value { sum } countDistinct(of: ITEM_ID) } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.createdAt.month', 'quantity.sum', 'value.sum', 'countDistinct'],
    await sql`SELECT to_char(a.created_at AT TIME ZONE 'Europe/Berlin', 'YYYY-MM-01') AS month, sum(a.quantity),
        sum(a.quantity * i.unit_cost) AS value, count(DISTINCT a.item_id)
      FROM stock_adjustments a JOIN inventory_items i ON (i.company_id, i.id) = (a.company_id, a.item_id)
      WHERE a.company_id = ${companyId}::uuid AND a.type = 'removal' GROUP BY 1 ORDER BY 1`,
  );
});

test('how many desks of each building are taken?', async () => {
  const { buildings } = await ask<{ buildings: { nodes: { code: string; desks: { aggregates: Groups } }[] } }>(
    `{ buildings(orderBy: [{ field: CODE }]) {
      nodes { code desks { aggregates(first: 2) { key { isAssigned } count } } } } }`,
  );
  expectGroups(
    buildings.nodes.flatMap(({ code, desks }) => desks.aggregates.map((group) => ({ ...group, code }))),
    ['code', 'key.isAssigned', 'count'],
    await sql`SELECT b.code, d.is_assigned, count(*) FROM buildings b
      JOIN desks d ON (d.company_id, d.building_id) = (b.company_id, b.id)
      WHERE b.company_id = ${companyId}::uuid GROUP BY 1, 2 ORDER BY 1, 2`,
  );
});

test('how old is the backlog, by priority?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: serviceRequests(filter: { status: { ne: COMPLETED } }) {
      aggregates { key { priority } count ageDays { avg percentile(p: 0.9) } createdAt { min } } } }`,
  );
  const expected = await sql`SELECT upper(priority::text), count(*),
      avg(extract(epoch FROM now() - created_at) / 86400),
      percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM now() - created_at) / 86400),
      to_char(min(created_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    FROM service_requests WHERE company_id = ${companyId}::uuid AND status <> 'completed'
    GROUP BY priority ORDER BY priority`;
  // The seconds between the two statements do not matter.
  const soon = (value: unknown) => expect.closeTo(value as number, 2);
  expect(list.aggregates).toEqual(
    expected.map(([priority, count, avg, percentile, min]) => ({
      key: { priority },
      count,
      ageDays: { avg: soon(avg), percentile: soon(percentile) },
      createdAt: { min },
    })),
  );
});

test('when do requests come, and how long do they take?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: serviceRequests { aggregates { key { createdAt { weekday hour } } count resolutionHours { percentile(p: 0.5) max } } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.createdAt.weekday', 'key.createdAt.hour', 'count', 'resolutionHours.percentile', 'resolutionHours.max'],
    await sql`SELECT extract(isodow FROM created_at AT TIME ZONE 'Europe/Berlin')::int AS weekday,
        extract(hour FROM created_at AT TIME ZONE 'Europe/Berlin')::int AS hour, count(*),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - created_at) / 3600),
        max(extract(epoch FROM completed_at - created_at) / 3600)
      FROM service_requests WHERE company_id = ${companyId}::uuid GROUP BY 1, 2 ORDER BY 1, 2`,
  );
});

test('who has not acknowledged a policy?', async () => {
  const { users } = await ask<{ users: { nodes: { fullName: string }[] } }>(
    `query ($policy: ID!) { users(orderBy: [{ field: FULL_NAME }],
      filter: { hrAcknowledgments: { none: { documentId: { eq: $policy } } } }) { nodes { fullName } } }`,
    { policy },
  );
  const expected = await sql`SELECT full_name FROM users u WHERE company_id = ${companyId}::uuid AND NOT EXISTS (
      SELECT FROM hr_acknowledgments a WHERE (a.company_id, a.user_id) = (u.company_id, u.id) AND a.document_id = ${policy}::uuid)
    ORDER BY full_name`;
  expect(expected).toHaveLength(2);
  expect(users.nodes.map(({ fullName }) => [fullName])).toEqual(expected);
});

test('which assets have no warranty, or none that still holds?', async () => {
  const { without, expired } = await ask<Record<string, { nodes: { assetName: string }[] }>>(
    `{ without: assets(orderBy: [{ field: ASSET_NAME }], filter: { warranties: { none: {} } }) { nodes { assetName } }
       expired: assets(orderBy: [{ field: ASSET_NAME }], filter: { warranties: { some: {}, none: { endDate: { gte: "today" } } } }) { nodes { assetName } } }`,
  );
  const names = (list?: { nodes: { assetName: string }[] }) => list?.nodes.map(({ assetName }) => [assetName]);
  const expected = await sql`SELECT asset_name FROM assets WHERE company_id = ${companyId}::uuid
    AND id NOT IN (SELECT asset_id FROM asset_warranties) ORDER BY asset_name`;
  expect(expected.length).toBeGreaterThan(1);
  expect(names(without)).toEqual(expected);
  expect(names(expired)).toEqual(
    await sql`SELECT asset_name FROM assets a JOIN asset_warranties w ON w.asset_id = a.id
      WHERE a.company_id = ${companyId}::uuid GROUP BY a.id, asset_name
      HAVING bool_and(w.end_date IS NULL OR w.end_date < (now() AT TIME ZONE 'Europe/Berlin')::date) ORDER BY asset_name`,
  );
});

test('how many desks does nobody hold, in each building?', async () => {
  const { list } = await ask<Grouped>(
    `{ list: desks(filter: { workspaceRecords: { none: { or: [{ endDate: { isNull: true } }, { endDate: { gte: "today" } }] } } }) {
      aggregates { key { building { code } } count } } }`,
  );
  expectGroups(
    list.aggregates,
    ['key.building.code', 'count'],
    await sql`SELECT b.code, count(*) FROM desks d LEFT JOIN buildings b ON b.id = d.building_id
      WHERE d.company_id = ${companyId}::uuid AND d.id NOT IN (
        SELECT desk_id FROM workspace_records
        WHERE desk_id IS NOT NULL AND (end_date IS NULL OR end_date >= (now() AT TIME ZONE 'Europe/Berlin')::date))
      GROUP BY 1 ORDER BY 1`,
  );
});
