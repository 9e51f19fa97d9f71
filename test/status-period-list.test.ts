// The periods of the statuses of all rows as a list: whose they are, and figures of them against SQL written by hand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import type { Row } from './support/client.ts';
import { Questions } from './support/questions.ts';

let questions: Questions;
let company: Prisma.Sql;
beforeAll(async () => {
  questions = await Questions.start();
  company = Prisma.sql`r.company_id = ${questions.companyId}::uuid`;
});
afterAll(() => questions.close());

test('how long requests had each status, by the month in which they got it, across the change of summer time', async () => {
  const expected = await questions.sql`
    SELECT r.status, date_trunc('month', r.entered_at AT TIME ZONE 'Europe/Berlin')::date::text, count(*),
           avg(extract(epoch FROM r.left_at - r.entered_at) / 3600) AS hours, count(DISTINCT r.row_id) AS rows
      FROM status_periods r WHERE ${company} AND r.table_name = 'service_requests' GROUP BY 1, 2 ORDER BY 1, 2`;
  expect(new Set(expected.map(([, month]) => month)).size).toBeGreaterThan(5);
  const places = ['key.status', 'key.enteredAt.month', 'count', 'hours.avg', 'countDistinct'];
  questions.expectGroups(
    await questions.groupsOf(
      'statusPeriods(filter: { resource: { eq: "service_requests" } })',
      'key { status enteredAt { month } } count hours { avg } countDistinct(of: ROW_ID)',
    ),
    places,
    expected,
    5,
  );
  const { rows } = await questions.client.get('/status-periods/aggregates', {
    resource: 'service_requests',
    group_by: 'status,entered_at.month',
    measures: 'count,hours.avg,countDistinct:count_distinct(row_id)',
  });
  questions.expectGroups(rows, ['key.status', 'key.entered_at.month', ...places.slice(2)], expected, 5);
});

test('in pages, filtered and sorted, those of deleted rows too', async () => {
  const expected = await questions.sql`
    SELECT r.period_id, r.row_id, NOT EXISTS (SELECT FROM service_requests s WHERE s.company_id = r.company_id AND s.id = r.row_id)
      FROM status_periods r WHERE ${company} AND r.table_name = 'service_requests' AND r.status = 'in-progress'
       AND r.left_at - r.entered_at > interval '48 hours' ORDER BY r.entered_at, r.period_id`;
  expect(expected.some(([, , isDeleted]) => isDeleted)).toBe(true);
  const found: Row[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await questions.client.get('/status-periods', {
      resource: 'service_requests',
      status: 'in-progress',
      filter: JSON.stringify({ hours: { gt: 48 } }),
      sort: 'entered_at,id',
      limit: 7,
      ...(cursor && { cursor }),
    });
    found.push(...page.rows);
    cursor = page.meta.pagination?.next_cursor ?? undefined;
    more = cursor !== undefined;
  }
  expect(found.map(({ id, row_id }) => [id, row_id])).toEqual(expected.map(([id, row]) => [id, row]));
});

describe('whose periods there are', () => {
  const tables = async (scopes: readonly string[]) => {
    const { data, errors } = await (await questions.tenant.client([...scopes])).graphql<{
      statusPeriods: { aggregates: { key: { resource: string }; count: number }[] };
    }>('{ statusPeriods { aggregates { key { resource } count } } }');
    expect(errors).toEqual([]);
    return data.statusPeriods.aggregates.map(({ key, count }) => [key.resource, count]);
  };
  const stored = (condition: Prisma.Sql) =>
    questions.sql`SELECT r.table_name, count(*) FROM status_periods r WHERE ${company} AND ${condition} GROUP BY 1 ORDER BY 1`;

  test('those of the resources that a token may read, and of its company alone', async () => {
    expect(await tables(['*'])).toEqual(await stored(Prisma.sql`TRUE`));
    expect(await tables(['procurement:read', 'service_requests:write'])).toEqual(
      await stored(
        Prisma.sql`r.table_name IN ('requisitions', 'purchase_orders', 'receiving_records', 'invoices', 'inventory_transfers')`,
      ),
    );
    expect(await tables(['buildings:read'])).toEqual([]);
    const { total } = await questions.sql`SELECT count(*)::int FROM status_periods`.then(([row]) => ({
      total: row?.[0],
    }));
    const own = (await tables(['*'])).reduce((sum, [, count]) => sum + Number(count), 0);
    expect(Number(total)).toBeGreaterThan(own);
  });

  test('none without a token', async () => {
    const guest = questions.service.anonymous;
    expect((await guest.get('/status-periods')).status).toBe(401);
  });
});
