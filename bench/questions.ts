/** `npm run bench:questions`: what an office asks, of a million rows; see README.md. */
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createToken } from '../src/auth/tokens.ts';
import { type Database, openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { createRefresher } from '../src/resource/index.ts';
import { api } from '../src/schema/index.ts';
import { bulkInserts } from '../test/support/bulk-rows.ts';
import { createDatabase } from './data.ts';
import { servers, start, stop } from './servers.ts';

const { values: options } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, keep: { type: 'boolean', default: false } },
});
const requests = Number(options.requests);
const part = (share: number) => Math.max(10, Math.round(requests * share));

/** How many rows there are of each kind. */
const sizes = {
  ServiceRequest: requests,
  Comment: requests,
  TimeLog: part(0.5),
  StockAdjustment: part(0.5),
  Invoice: part(0.3),
  PurchaseOrder: part(0.2),
  PurchaseOrderLine: part(0.5),
  AssetMaintenance: part(0.3),
  Asset: part(0.1),
  Warranty: part(0.1),
  LeasePayment: part(0.2),
  Lease: part(0.02),
  WorkspaceRecord: part(0.2),
  Desk: part(0.02),
  TrainingCompletion: part(0.1),
  TrainingProgram: 50,
  User: 1000,
  Vendor: 500,
  Building: 40,
  others: 1000,
};

/** What is asked; all dates are those of the rows. */
const questions: Record<string, string> = {
  'leases that end in 90 days, and their rent': `{ leases(first: 50, orderBy: [{ field: END_DATE }], filter: { status: { eq: ACTIVE }, endDate: { gte: "today", lte: "today+90" } }) { totalCount nodes { name endDate } aggregates { monthlyPayment { sum } } } }`,
  'rent due in each month': `{ leasePayments(filter: { status: { eq: PENDING } }) { aggregates(fill: { from: "2026-01-01", to: "2027-01-01" }) { key { dueDate { month } } count amount { sum } } } }`,
  'value of low stock by location': `{ inventoryItems(filter: { lowStock: { eq: true } }) { aggregates { key { location { code } } count stockValue { sum } } } }`,
  'what vendors cost in each quarter': `{ invoices(filter: { status: { ne: VOID }, vendorId: { isNull: false }, issuedDate: { gte: "2026-01-01", lt: "2026-07-01" } }) { aggregates(first: 1000) { key { issuedDate { quarter } vendor { id companyName } } count amount { sum } } } }`,
  'hours of each technician in a month': `{ serviceRequestTimeLogs(filter: { createdAt: { gte: "2026-03-01T00:00:00Z", lt: "2026-03-31T00:00:00Z" } }) { aggregates { key { author { id fullName } } hours { sum } } } }`,
  'stock used in each month': `{ stockAdjustments(filter: { type: { eq: REMOVAL } }) { aggregates { key { createdAt { month } } quantity { sum } value { sum } countDistinct(of: ITEM_ID) } } }`,
  'desks of each building that are taken': `{ buildings(first: 40) { nodes { code desks { aggregates(first: 2) { key { isAssigned } count } } } } }`,
  'age of the backlog by priority': `{ serviceRequests(filter: { status: { ne: COMPLETED } }) { aggregates { key { priority } count ageDays { avg percentile(p: 0.9) } createdAt { min } } } }`,
  'when requests come, and how long they take': `{ serviceRequests { aggregates { key { createdAt { weekday hour } } count resolutionHours { percentile(p: 0.5) max } } } }`,
  'who has not acknowledged a policy': `{ users(first: 50, orderBy: [{ field: FULL_NAME }], filter: { hrAcknowledgments: { none: { documentId: { eq: "01980000-0000-7000-8000-000000000000" } } } }) { totalCount nodes { fullName } } }`,
  'assets without a warranty that holds': `{ assets(first: 50, filter: { warranties: { none: { endDate: { gte: "today" } } } }) { totalCount nodes { assetName } } }`,
  'desks that nobody holds, by building': `{ desks(filter: { workspaceRecords: { none: { or: [{ endDate: { isNull: true } }, { endDate: { gte: "today" } }] } } }) { aggregates { key { building { code } } count } } }`,
  'share of late urgent requests by building and week': `{ serviceRequests(filter: { createdAt: { gte: "2026-06-01T00:00:00Z", lt: "2026-10-01T00:00:00Z" } }) { aggregates { key { building { name } createdAt { week } } urgent: count(where: { priority: { eq: URGENT } }) late: count(where: { priority: { eq: URGENT }, resolutionHours: { gt: 48 } }) derived { ratio(of: "late", to: "urgent") } } } }`,
  'pass rate of each training by quarter': `{ trainingCompletions(filter: { passed: { isNull: false } }) { aggregates { key { program { id title } completedAt { quarter } } passed: count(where: { passed: { eq: true } }) count derived { ratio(of: "passed", to: "count") } } } }`,
  'turnover of people': `{ users { aggregates { left: count(where: { deactivatedAt: { gte: "2026-01-01T00:00:00Z" } }) all: count derived { ratio(of: "left", to: "all") } } } }`,
  'orders whose invoices are more than their total': `{ purchaseOrders(first: 50, filter: { invoices: { measure: { amount: { sum: { compare: { is: GT, field: "totalAmount" } } } } } }) { totalCount nodes { number } } }`,
  'assets whose maintenance costs more than half their price': `{ assets(first: 50, filter: { maintenance: { measure: { estimatedCost: { sum: { compare: { is: GT, field: "purchasePrice", times: 0.5 } } } } } }) { totalCount nodes { assetName } } }`,
  'hours from sending to receipt of orders': `{ purchaseOrders { aggregates { key { orderDate { quarter } } count hoursBetween(from: SENT, to: RECEIVED) { avg } } } }`,
  'open requests at the end of each month': `{ serviceRequests { aggregates(periods: { from: "2026-01-01", to: "today", every: MONTH }) { key { period } open: count(where: { status: { ne: COMPLETED } }) derived { change(of: "open", periods: 3) } } } }`,
  'occupied desks in each week': `{ workspaceRecords { aggregates(periods: { from: "2026-06-01", to: "2026-10-01", every: WEEK, by: "assignment" }) { key { period } countDistinct(of: DESK_ID) daysInPeriod { sum } } } }`,
  'rent that accrues in each month': `{ leases { aggregates(periods: { from: "startOfYear", to: "endOfYear", every: MONTH, by: "term", share: PERIOD }) { key { period } monthlyPayment { sum } } } }`,
  'requests of each month, so far and against a year before': `{ serviceRequests { aggregates { key { createdAt { month } } count derived { running(of: "count") change(of: "count", periods: 12) } } } }`,
  'backlog by ranges of its age': `{ serviceRequests(filter: { status: { ne: COMPLETED } }) { aggregates { key { ageDays { bucket(bounds: [0, 31, 61, 91]) } } count } } }`,
  'spending of fiscal years by vendor, with totals': `{ invoices(filter: { vendorId: { isNull: false } }) { aggregates(first: 500, orderBy: [{ field: "amount.sum", direction: DESC }], subtotals: [["key.issuedDate.fiscalYear"], []]) { key { issuedDate { fiscalYear } vendor { id } } totalOf amount { sum } } } }`,
  'vendors by the sum of their invoices': `{ vendors(first: 50, orderBy: [{ measure: "invoices.amount.sum", direction: DESC }]) { totalCount nodes { companyName } } }`,
  'how long requests wait, by the month in which they began to': `{ statusPeriods(filter: { resource: { eq: "service_requests" }, status: { eq: "pending" }, enteredAt: { gte: "2026-06-01T00:00:00Z", lt: "2026-10-01T00:00:00Z" } }) { aggregates { key { enteredAt { month } } count hours { avg } } } }`,
  'value of what was ordered, by item': `{ purchaseOrderLineItems { aggregates(first: 50, orderBy: [{ field: "value.sum", direction: DESC }]) { key { item { id name } } quantity { sum } value { sum } } } }`,
  'the two most expensive vendors of each quarter': `{ invoices(filter: { vendorId: { isNull: false } }) { aggregates(per: ["key.issuedDate.quarter"], first: 2, orderBy: [{ field: "amount.sum", direction: DESC }]) { key { issuedDate { quarter } vendor { id } } amount { sum } } } }`,
};

/** Fills the company, with the periods of the statuses of its requests and orders. */
async function fill(database: Database): Promise<string> {
  const found = await database.prisma.company.findFirst({ where: { slug: 'asking', timeZone: 'Europe/Berlin' } });
  if (found) return found.id;
  await database.prisma.company.deleteMany({ where: { slug: 'asking' } });
  const { id } = await database.prisma.company.create({ data: { name: 'Asking', slug: 'asking' } });
  process.stderr.write('filling the database …\n');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  // References are right by construction, and nothing here is about the log of changes.
  await client.query('SET session_replication_role = replica');
  for (const statement of bulkInserts(id, sizes)) await client.query(statement);
  await client.query(
    `UPDATE companies SET statuses_since = '2025-01-01', time_zone = 'Europe/Berlin' WHERE id = '${id}'`,
  );
  await client.query(periodsOf(id, 'service_requests', ['pending', 'in-progress']));
  await client.query(periodsOf(id, 'purchase_orders', ['sent', 'received']));
  await client.query('ANALYZE');
  await client.end();
  // What follows from the day would otherwise be written before the first answers.
  await createRefresher(database, api.resources)({ companyId: id, timeZone: 'Europe/Berlin' });
  return id;
}

/** Periods of statuses: each row was in two before the one that it has. */
const periodsOf = (companyId: string, table: string, [first, second]: readonly string[] & { 0: string; 1: string }) => `
  INSERT INTO status_periods (company_id, table_name, row_id, status, entered_at, left_at)
  SELECT company_id, '${table}', id, s.status, s.entered_at, s.left_at FROM ${table} AS r CROSS JOIN LATERAL (VALUES
    ('${first}', r.created_at, r.created_at + interval '3 days'),
    ('${second}', r.created_at + interval '3 days', r.created_at + interval '20 days'),
    (r.status::text, r.created_at + interval '20 days', NULL::timestamptz)) AS s(status, entered_at, left_at)
  WHERE company_id = '${companyId}'`;

/** A token of a person of the company. */
async function tokenOf(database: Database, companyId: string): Promise<string> {
  const { id: userId } = await database.prisma.user.findFirstOrThrow({ where: { companyId } });
  await database.prisma.user.update({
    where: { companyId_id: { companyId, id: userId } },
    data: { role: 'ADMIN', deactivatedAt: null },
  });
  const facts = { companyId, userId, name: 'Benchmark', scopes: ['*'], live: true, rateLimit: 1_000_000_000 } as const;
  return (await createToken(database.prisma, facts)).token;
}

const url = new URL(process.env['BENCH_DATABASE_URL'] ?? 'postgresql://127.0.0.1:5432/');
url.username ||= userInfo().username;
const name = `${url.pathname.slice(1) || 'premises_bench'}_questions`;
url.pathname = name;
await createDatabase(url);
const database = await openDatabase({ databaseUrl: url.href, dataDir: '' });
await migrate(database);
const token = await tokenOf(database, await fill(database));
await database.close();

const server = await start(servers[0]!, url.href, token);
try {
  console.log(`| of ${requests} requests | first (ms) | median (ms) |\n| --- | --: | --: |`);
  for (const [question, query] of Object.entries(questions)) {
    const times: number[] = [];
    let refusal: string | undefined;
    for (let n = 0; n < 4 && refusal === undefined; n++) {
      const from = performance.now();
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { errors } = (await response.json()) as { errors?: readonly { message: string }[] };
      times.push(performance.now() - from);
      refusal = errors?.[0]?.message;
    }
    const [first = 0, ...others] = times;
    const median = others.toSorted((one, other) => one - other)[1];
    console.log(`| ${question} | ${refusal ?? first.toFixed(0)} | ${median?.toFixed(0) ?? ''} |`);
  }
} finally {
  await stop(server);
  if (!options.keep) {
    const other = await openDatabase({ databaseUrl: new URL('/postgres', url).href, dataDir: '' });
    await other.query({ text: `DROP DATABASE "${name}" WITH (FORCE)` });
    await other.close();
  }
}
