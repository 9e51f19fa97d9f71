// Groups of lists in REST, in the words of GraphQL: the same figures, as JSON, CSV and spreadsheets.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PrismaClient } from '../../src/database/generated/client/client.ts';
import type { Client, Row } from '../support/client.ts';
import { fillOffice } from '../support/office-rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let prisma: PrismaClient;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  const other = await service.tenant();
  prisma = service.database.prisma;
  for (const { company, users } of [other, tenant])
    await fillOffice(
      prisma,
      company.id,
      users.map(({ id }) => id),
    );
  client = await tenant.client();
});
afterAll(() => service.close());

/** The groups of a list in REST. */
async function groups(path: string, query: Row = {}): Promise<Row[]> {
  const reply = await client.get(`${path}/aggregates`, query);
  expect({ query, error: reply.status === 200 || reply.error }).toEqual({ query, error: true });
  return reply.rows;
}

/** The groups of a list in GraphQL. */
async function asked(list: string, selection: string, args = ''): Promise<Row[]> {
  const query = `{ list: ${list} { aggregates${args && `(${args})`} { ${selection} } } }`;
  const { data, errors } = await client.graphql<{ list: { aggregates: Row[] } }>(query);
  expect({ query, errors }).toEqual({ query, errors: [] });
  return data.list.aggregates;
}

/** The error of a request. */
async function errorOf(path: string, query: Row): Promise<unknown> {
  const { status, error } = await client.get(`${path}/aggregates`, query);
  return [status, error.code, error.message];
}

describe('the figures are those of GraphQL', () => {
  test('without parameters all rows are counted', async () => {
    const companyId = tenant.company.id;
    expect(await groups('/service-requests')).toEqual([
      { count: await prisma.serviceRequest.count({ where: { companyId } }) },
    ]);
  });

  test('by keys, parts of times and fields of related rows, with filters of the list', async () => {
    const found = await groups('/service-requests', {
      group_by: 'status,created_at.month,building.code',
      measures: 'count,resolution_hours.avg',
      priority: 'high,urgent',
      'created_at[gte]': '2026-01-01',
    });
    const expected = await asked(
      'serviceRequests(filter: { priority: { in: [HIGH, URGENT] }, createdAt: { gte: "2026-01-01" } })',
      'key { status createdAt { month } building { code } } count resolutionHours { avg }',
    );
    expect(found.length).toBeGreaterThan(3);
    expect(found).toEqual(
      expected.map(({ key, count, resolutionHours }) => {
        const { status, createdAt, building } = key as Row;
        return {
          key: { status: String(status).toLowerCase().replace('_', '-'), created_at: createdAt, building },
          count,
          resolution_hours: resolutionHours,
        };
      }),
    );
  });

  test('conditions, names, and what is computed of measures', async () => {
    const found = await groups('/service-requests', {
      group_by: 'building.name',
      measures:
        'urgent:count,late:count,ratio(late,urgent),rest:difference(urgent,late),part:share(urgent),p90:resolution_hours.percentile(0.9),people:count_distinct(created_by)',
      where: JSON.stringify({
        urgent: { priority: { eq: 'urgent' } },
        late: { priority: { eq: 'urgent' }, resolution_hours: { gt: 48 } },
      }),
      having: JSON.stringify([{ field: 'urgent', gte: 1 }]),
      sort: '-urgent,building.name',
      limit: 2,
    });
    const expected = await asked(
      'serviceRequests',
      `key { building { name } } urgent: count(where: { priority: { eq: URGENT } })
       late: count(where: { priority: { eq: URGENT }, resolutionHours: { gt: 48 } })
       derived { ratio(of: "late", to: "urgent") difference(of: "urgent", minus: "late") share(of: "urgent") }
       resolutionHours { percentile(p: 0.9) } countDistinct(of: CREATED_BY)`,
      'having: [{ field: "urgent", gte: 1 }], first: 2, orderBy: [{ field: "urgent", direction: DESC }, { field: "key.building.name" }]',
    );
    expect(found.length).toBe(2);
    expect(found).toEqual(
      expected.map(({ key, urgent, late, derived, resolutionHours, countDistinct }) => {
        const { ratio, difference, share } = derived as Row;
        const { percentile } = resolutionHours as Row;
        return { key, urgent, late, ratio, rest: difference, part: share, p90: percentile, people: countDistinct };
      }),
    );
  });

  test('times in statuses, by the names of statuses in REST', async () => {
    const [found] = await groups('/procurement/orders', {
      measures: 'hours_in_status(draft).avg,lead:hours_between(sent,received,last=true).max',
    });
    const [expected] = await asked(
      'purchaseOrders',
      'hoursInStatus(of: DRAFT) { avg } lead: hoursBetween(from: SENT, to: RECEIVED, last: true) { max }',
    );
    expect(found).toEqual({
      hours_in_status: expected?.['hoursInStatus'],
      lead: (expected?.['lead'] as Row)['max'],
    });
  });

  test('totals, periods without rows, and the first within each period', async () => {
    const fill = { from: '2026-01-01', to: '2026-04-01' };
    const totals = await groups('/procurement/invoices', {
      group_by: 'status,issued_date.quarter',
      measures: 'amount.sum,running(amount.sum)',
      subtotals: '[["issued_date.quarter"],[]]',
    });
    const expected = await asked(
      'invoices',
      'key { status issuedDate { quarter } } amount { sum } derived { running(of: "amount.sum") } totalOf',
      'subtotals: [["key.issuedDate.quarter"], []]',
    );
    expect(totals).toEqual(
      expected.map(({ key, amount, derived, totalOf }) => {
        const { status, issuedDate } = key as Row;
        return {
          key: { status: (status as string | null)?.toLowerCase() ?? null, issued_date: issuedDate },
          amount,
          running: (derived as Row)['running'],
          total_of: (totalOf as string[]).map((name) => (name === 'key.status' ? 'status' : 'issued_date.quarter')),
        };
      }),
    );
    const filled = await groups('/procurement/invoices', { group_by: 'issued_date.month', fill: JSON.stringify(fill) });
    const months = await asked(
      'invoices',
      'key { issuedDate { month } } count',
      'fill: { from: "2026-01-01", to: "2026-04-01" }',
    );
    expect(filled).toEqual(
      months.map(({ key, count }) => ({ key: { issued_date: (key as Row)['issuedDate'] }, count })),
    );
    const first = await groups('/procurement/invoices', {
      group_by: 'issued_date.quarter,vendor.id',
      measures: 'amount.sum',
      per: 'issued_date.quarter',
      sort: '-amount.sum',
      limit: 1,
    });
    const quarters = first.map(({ key }) => ((key as Row)['issued_date'] as Row)['quarter']);
    expect(new Set(quarters).size).toBe(quarters.length);
  });

  test('of one parent, and of all', async () => {
    const { rows } = await client.get('/leases/payments', { limit: 1 });
    const leaseId = String(rows[0]?.['lease_id']);
    const [one] = await groups(`/leases/${leaseId}/payments`, { measures: 'count,amount.sum' });
    const [same] = await groups('/leases/payments', { measures: 'count,amount.sum', lease_id: leaseId });
    expect(one).toEqual(same);
    expect(await groups('/leases/payments')).toEqual([
      { count: await prisma.leasePayment.count({ where: { companyId: tenant.company.id } }) },
    ]);
  });
});

describe('tables', () => {
  const query = { group_by: 'status,created_at.month', measures: 'count,hours:resolution_hours.sum' };

  test('CSV has a line for each group', async () => {
    const csv = await client.get('/service-requests/aggregates', query, { accept: 'text/csv' });
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="service-requests-aggregates.csv"');
    const [head, ...lines] = csv.text.trimEnd().split('\r\n');
    const expected = (await groups('/service-requests', query)).map(({ key, count, hours }) => {
      const { status, created_at: createdAt } = key as Row;
      return [status, (createdAt as Row)['month'], count, hours];
    });
    expect(head).toBe('status,created_at.month,count,hours');
    const cells = lines.map((line) => line.split(','));
    expect(
      cells.map(([status, month, count, sum]) => [status, month, Number(count), sum === '' ? null : Number(sum)]),
    ).toEqual(expected);
  });

  test('a spreadsheet has them too', async () => {
    const accept = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const sheet = await client.get('/service-requests/aggregates', query, { accept });
    expect([sheet.status, sheet.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="service-requests-aggregates.xlsx"',
    ]);
  });

  test('CSV has more than a thousand groups, and JSON says that they are too many', async () => {
    const { id: companyId } = tenant.company;
    await prisma.vendor.createMany({
      data: Array.from({ length: 1100 }, (_, n) => ({
        companyId,
        companyName: `Many ${String(n).padStart(4, '0')}`,
      })),
    });
    const named = { group_by: 'company_name', 'company_name[starts_with]': 'Many ' };
    expect(await errorOf('/vendors', named)).toEqual([
      400,
      'BAD_REQUEST',
      expect.stringMatching(/^limit: more than 1000 groups were found; /),
    ]);
    const csv = await client.get('/vendors/aggregates', named, { accept: 'text/csv' });
    const lines = csv.text.trimEnd().split('\r\n');
    expect([lines.length, lines[1], lines.at(-1)]).toEqual([1101, 'Many 0000,1', 'Many 1099,1']);
    const some = await client.get('/vendors/aggregates', { ...named, limit: 3 }, { accept: 'text/csv' });
    expect(some.text.trimEnd().split('\r\n')).toHaveLength(4);
  });
});

describe('errors name the parameter', () => {
  test.each<[string, Row, string]>([
    ['/procurement/invoices', { group_by: 'nothing' }, 'group_by: has no nothing'],
    [
      '/procurement/invoices',
      { group_by: 'issued_date' },
      'group_by: issued_date must go on with day, week, month, quarter, year, fiscal_year, weekday',
    ],
    ['/procurement/invoices', { measures: 'amuont.sum' }, 'measures: has no amuont; did you mean amount?'],
    [
      '/procurement/invoices',
      { measures: 'amount' },
      'measures: amount must be amount with sum, avg, min, max, percentile',
    ],
    [
      '/procurement/invoices',
      { measures: 'amount.percentile(2)' },
      'measures: amount.percentile must be between 0 and 1',
    ],
    ['/procurement/invoices', { measures: 'amount.percentile' }, 'measures: must give percentile p in brackets'],
    [
      '/procurement/invoices',
      { measures: 'count,count' },
      'measures: has count twice; give one a name of its own, as in other:count',
    ],
    [
      '/procurement/invoices',
      { measures: 'ratio(late,count),count' },
      'measures: names late, which must be another measure: count',
    ],
    ['/procurement/invoices', { measures: 'key:count' }, 'measures: cannot have the name key'],
    ['/procurement/invoices', { sort: '-amount.sum' }, 'sort: must be a key or measure: count'],
    ['/procurement/invoices', { having: '{}' }, 'having: must be a JSON array'],
    ['/procurement/invoices', { having: '[{"field":"count","gt":"x"}]' }, 'having.0.gt: must be a number'],
    ['/procurement/invoices', { where: '{"late":{}}' }, 'where: must name measures: count'],
    ['/procurement/invoices', { where: '{"count":{"nothing":{}}}' }, 'where.count.nothing: '],
    [
      '/procurement/invoices',
      { subtotals: '[["status"]]', group_by: 'vendor.id' },
      'subtotals.0: must be a key: vendor.id',
    ],
    ['/procurement/invoices', { limit: 1001 }, 'limit: must be between 1 and 1000'],
    [
      '/procurement/invoices',
      { time_zone: 'Nowhere', group_by: 'created_at.hour' },
      'time_zone: must be the IANA name',
    ],
    ['/procurement/invoices', { offset: 3 }, 'offset: is not a parameter here'],
    ['/procurement/invoices', { csv_bom: 'true' }, 'csv_bom: is for CSV alone'],
  ])('%s %j', async (path, query, message) => {
    const [status, code, text] = (await errorOf(path, query)) as [number, string, string];
    expect([status, code, text.slice(0, message.length)]).toEqual([400, 'BAD_REQUEST', message]);
  });
});

test('keys of related rows require their scope, and the cost of a request is limited as in GraphQL', async () => {
  const limited = await tenant.client(['procurement:read']);
  const reply = await limited.get('/procurement/invoices/aggregates', { group_by: 'vendor.company_name' });
  expect([reply.status, reply.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  expect((await limited.get('/procurement/invoices/aggregates', { group_by: 'status' })).status).toBe(200);
  const shares = Array.from({ length: 9 }, (_, n) => `p${n}:amount.percentile(0.${n + 1})`).join();
  expect(await errorOf('/procurement/invoices', { measures: shares })).toEqual([
    400,
    'BAD_REQUEST',
    expect.stringMatching(/more than the limit of 200000: .*9 × percentile/),
  ]);
});
