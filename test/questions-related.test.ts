// Questions about the lists of rows: how long until the first of them, and groups by what is computed of them. Against
// SQL written by hand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import { fillLines } from './support/office-lines.ts';
import { Questions } from './support/questions.ts';

let questions: Questions;
let company: Prisma.Sql;
beforeAll(async () => {
  questions = await Questions.start();
  company = Prisma.sql`r.company_id = ${questions.companyId}::uuid`;
  await fillLines(questions.prisma, questions.companyId, questions.tenant.users[0]?.id ?? '');
});
afterAll(() => questions.close());

describe('how long does it take until somebody answers a request?', () => {
  const first = (list: Prisma.Sql) => Prisma.sql`
    (SELECT extract(epoch FROM min(c.created_at) - r.created_at) / 3600 FROM ${list} c
      WHERE c.company_id = r.company_id AND c.service_request_id = r.id)`;
  const comments = first(Prisma.sql`comments`);
  const expected = (condition = Prisma.sql`TRUE`) => questions.sql`
    SELECT upper(r.priority::text), count(*), avg(${comments}), max(${comments}), count(${comments}) AS answered
      FROM service_requests r WHERE ${company} AND ${condition} GROUP BY r.priority ORDER BY r.priority`;
  const selection = 'key { priority } count hoursToFirst(of: "comments") { avg max }';
  const places = ['key.priority', 'count', 'hoursToFirst.avg', 'hoursToFirst.max'];

  test('of all requests, across the change of summer time', async () => {
    const rows = await expected();
    expect(rows.some((row) => Number(row.at(-1)) > 0)).toBe(true);
    questions.expectGroups(
      await questions.groupsOf('serviceRequests', selection),
      places,
      rows.map((row) => row.slice(0, -1)),
    );
  });

  test('of some requests, and in REST', async () => {
    const rows = (await expected(Prisma.sql`r.status <> 'completed'`)).map((row) => row.slice(0, -1));
    questions.expectGroups(
      await questions.groupsOf('serviceRequests(filter: { status: { ne: COMPLETED } })', selection),
      places,
      rows,
    );
    const { rows: groups } = await questions.client.get('/service-requests/aggregates', {
      'status[ne]': 'completed',
      group_by: 'priority',
      measures: 'count,first:hours_to_first(comments).avg,last:hours_to_first(comments).max',
    });
    questions.expectGroups(
      groups,
      ['key.priority', 'count', 'first', 'last'],
      rows.map(([priority, ...others]) => [String(priority).toLowerCase(), ...others]),
    );
  });

  test('of those of each building', async () => {
    const { data, errors } = await questions.client.graphql<{
      buildings: { nodes: { name: string; serviceRequests: { aggregates: { hoursToFirst: { avg: number } }[] } }[] };
    }>(`{ buildings(orderBy: [{ field: NAME }]) { nodes { name serviceRequests {
      aggregates { hoursToFirst(of: "timeLogs") { avg } } } } } }`);
    expect(errors).toEqual([]);
    questions.expectGroups(
      data.buildings.nodes.map(({ name, serviceRequests }) => ({ name, first: serviceRequests.aggregates[0] })),
      ['name', 'first.hoursToFirst.avg'],
      await questions.sql`
        SELECT b.name, avg(${first(Prisma.sql`time_logs`)}) FROM buildings b
          LEFT JOIN service_requests r ON r.company_id = b.company_id AND r.building_id = b.id
         WHERE b.company_id = ${questions.companyId}::uuid GROUP BY 1 ORDER BY 1`,
    );
  });

  test('other lists are named, and those of other scopes refused', async () => {
    expect(await questions.errorOf('serviceRequests', 'hoursToFirst(of: "comment") { avg }')).toContain(
      'must begin with a list: ',
    );
    const client = await questions.tenant.client(['vendors:read']);
    const { errors } = await client.graphql('{ vendors { aggregates { hoursToFirst(of: "requisitions") { avg } } } }');
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['INSUFFICIENT_SCOPE']);
  });
});

describe('how many vendors have how many invoices?', () => {
  const count = Prisma.sql`
    (SELECT count(*) FROM invoices i WHERE i.company_id = r.company_id AND i.vendor_id = r.id)`;
  const sum = Prisma.sql`
    (SELECT sum(i.amount) FROM invoices i WHERE i.company_id = r.company_id AND i.vendor_id = r.id)`;
  const key = (value: Prisma.Sql, size: number) => Prisma.sql`floor(${value} / ${size}::numeric) * ${size}::numeric`;

  test('in ranges of their number', async () => {
    const expected = await questions.sql`
      SELECT ${key(count, 10)} AS bound, count(*) FROM vendors r WHERE ${company} GROUP BY 1 ORDER BY 1`;
    const groups = await questions.groupsOf(
      'vendors',
      'key { measure(of: "invoices.count") { bucket(size: 10) } } count',
    );
    questions.expectGroups(groups, ['key.measure.bucket', 'count'], expected);
    const { rows } = await questions.client.get('/vendors/aggregates', {
      group_by: 'many:measure(invoices.count).bucket(size=10)',
    });
    questions.expectGroups(rows, ['key.many', 'count'], expected);
  });

  test('in ranges of their sum, of some vendors and of the vendor of each invoice', async () => {
    questions.expectGroups(
      await questions.groupsOf(
        'vendors(filter: { companyName: { startsWith: "Vendor" } })',
        'key { measure(of: "invoices.amount.sum") { bucket(size: 1000) } } count',
      ),
      ['key.measure.bucket', 'count'],
      await questions.sql`
        SELECT ${key(sum, 1000)} AS bound, count(*) FROM vendors r
         WHERE ${company} AND r.company_name LIKE 'Vendor%' GROUP BY 1 ORDER BY 1`,
      1,
    );
    questions.expectGroups(
      await questions.groupsOf(
        'invoices',
        'key { vendor { measure(of: "invoices.count") { bucket(size: 10) } } } count amount { sum }',
      ),
      ['key.vendor.measure.bucket', 'count', 'amount.sum'],
      await questions.sql`
        SELECT ${key(count, 10)} AS bound, count(*), sum(n.amount) FROM invoices n
          LEFT JOIN vendors r ON r.company_id = n.company_id AND r.id = n.vendor_id
         WHERE n.company_id = ${questions.companyId}::uuid AND r.id IS NOT NULL GROUP BY 1
        UNION ALL SELECT NULL, count(*), sum(amount) FROM invoices n
         WHERE n.company_id = ${questions.companyId}::uuid AND vendor_id IS NULL ORDER BY 1`,
      1,
    );
  });

  test.each([
    ['invoices', 'must be one of invoices.count'],
    ['invoices.amount', 'must be one of invoices.count'],
    ['invoices.status.sum', 'must be one of invoices.count'],
    ['bills.count', 'must begin with a list'],
  ])('%s is refused', async (of, message) => {
    const error = await questions.errorOf('vendors', `key { measure(of: "${of}") { bucket(size: 1) } } count`);
    expect(error).toContain(message);
  });
});

describe('which requisitions exceed a part of their total?', () => {
  test('a figure of a list is compared with a field of the row, by a factor', async () => {
    const { data, errors } = await questions.client.graphql<{ list: { nodes: { id: string }[] } }>(`{
      list: requisitions(first: 100, orderBy: [{ field: ID }], filter: { lineItems: { measure: {
        where: { itemId: { isNull: false } }, quantity: { sum: { compare: { is: GT, field: "totalAmount", times: 0.05 } } } } } }) { nodes { id } } }`);
    expect(errors).toEqual([]);
    const rows = await questions.sql`
      SELECT r.id::text FROM requisitions r CROSS JOIN LATERAL (SELECT sum(l.quantity) AS quantity
        FROM requisition_lines l WHERE l.company_id = r.company_id AND l.requisition_id = r.id AND l.item_id IS NOT NULL) AS l
       WHERE ${company} AND l.quantity > r.total_amount * 0.05 ORDER BY r.id`;
    expect(rows.length).toBeGreaterThan(1);
    expect(data.list.nodes.map(({ id }) => [id])).toEqual(rows);
  });
});
