// Questions about how things stood at the end of each period, and about ranges of days. Against SQL written by hand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import { Questions } from './support/questions.ts';

let questions: Questions;
beforeAll(async () => {
  questions = await Questions.start();
});
afterAll(() => questions.close());

const inYear = 'from: "2026-01-01", to: "today"';
/** The months until today, each with the end of its last day in Berlin. */
const months = Prisma.sql`
  (SELECT m::date AS month, (m + interval '1 month') AT TIME ZONE 'Europe/Berlin' AS end_at
     FROM generate_series(timestamp '2026-01-01', (now() AT TIME ZONE 'Europe/Berlin')::date - interval '1 day', '1 month') AS m)`;
/** The periods of requests, those of deleted ones too. */
const held = () => Prisma.sql`
  (SELECT p.* FROM status_periods p WHERE p.company_id = ${questions.companyId}::uuid AND p.table_name = 'service_requests')`;

describe('how many requests were open at the end of each month?', () => {
  const query = `aggregates(periods: { ${inYear}, every: MONTH })`;
  const expected = () => questions.sql`
    SELECT month, count(p.row_id) FILTER (WHERE p.status <> 'completed') AS open, count(p.row_id) AS all
      FROM ${months} m LEFT JOIN ${held()} p ON p.entered_at < end_at AND (p.left_at IS NULL OR p.left_at >= end_at)
     GROUP BY 1 ORDER BY 1`;

  test('those that were deleted later are counted as they were', async () => {
    const groups = await questions.groupsOf(
      'serviceRequests',
      'key { period } open: count(where: { status: { ne: COMPLETED } }) count',
      query.slice('aggregates('.length, -1),
    );
    questions.expectGroups(groups, ['key.period', 'open', 'count'], await expected(), 10);
    const existing =
      await questions.sql`SELECT count(*) FROM service_requests WHERE company_id = ${questions.companyId}::uuid`;
    const [before] = await questions.sql`
      SELECT count(*) FROM ${held()} p WHERE NOT EXISTS (SELECT FROM service_requests r WHERE r.id = p.row_id)`;
    expect([Number(before?.[0]) > 15, Number(existing[0]?.[0]) >= 85]).toEqual([true, true]);
  });

  test('by status, with the change of a month, in REST too', async () => {
    const groups = await questions.groupsOf(
      'serviceRequests',
      'key { period status } count derived { change(of: "count") }',
      `periods: { ${inYear}, every: MONTH }`,
    );
    questions.expectGroups(
      groups,
      ['key.period', 'key.status', 'count', 'derived.change'],
      await questions.sql`
        SELECT month, replace(upper(s::text), '-', '_'), count(p.row_id),
               count(p.row_id) - lag(count(p.row_id)) OVER (PARTITION BY s ORDER BY month) AS change
          FROM ${months} m
          CROSS JOIN (SELECT unnest(enum_range(NULL::request_status)) AS s) AS statuses
          LEFT JOIN ${held()} p ON p.status = s::text AND p.entered_at < end_at AND (p.left_at IS NULL OR p.left_at >= end_at)
         WHERE s::text IN (SELECT status FROM ${held()} AS used)
         GROUP BY month, s ORDER BY month, s`,
    );
    const { rows } = await questions.client.get('/service-requests/aggregates', {
      group_by: 'period',
      measures: 'open:count,count',
      where: '{"open":{"status":{"ne":"completed"}}}',
      periods: '{"from":"2026-01-01","to":"today","every":"month"}',
    });
    questions.expectGroups(rows, ['key.period', 'open', 'count'], await expected(), 10);
  });

  test('rows that still exist have all of their fields, also where requests of each building are counted', async () => {
    const groups = await questions.groupsOf(
      'serviceRequests(filter: { status: { eq: PENDING } })',
      'key { period building { name } } count urgent: count(where: { priority: { eq: URGENT } }) countDistinct(of: CREATED_BY)',
      `periods: { from: "2026-03-01", to: "2026-05-01", every: WEEK, deleted: false }, timeZone: "America/New_York"`,
    );
    const weeks = await questions.sql`
      SELECT w::date, b.name, count(r.id) AS a, count(r.id) FILTER (WHERE r.priority = 'urgent') AS b, count(DISTINCT r.created_by) AS c
        FROM generate_series(timestamp '2026-02-23', timestamp '2026-04-27', '7 days') AS w
        CROSS JOIN (SELECT id, name FROM buildings WHERE company_id = ${questions.companyId}::uuid UNION ALL SELECT NULL, NULL) AS b
        LEFT JOIN (service_requests r JOIN ${held()} p ON p.row_id = r.id AND p.status = 'pending')
          ON r.company_id = ${questions.companyId}::uuid AND r.building_id IS NOT DISTINCT FROM b.id
         AND p.entered_at < (w + interval '7 days') AT TIME ZONE 'America/New_York'
         AND (p.left_at IS NULL OR p.left_at >= (w + interval '7 days') AT TIME ZONE 'America/New_York')
       GROUP BY w, b.name ORDER BY w, b.name NULLS LAST`;
    questions.expectGroups(groups, ['key.period', 'key.building.name', 'count', 'urgent', 'countDistinct'], weeks, 30);
  });

  test('the lists of each building have them too', async () => {
    const { data, errors } = await questions.client.graphql<{
      buildings: { nodes: { name: string; list: { aggregates: { key: { period: string }; count: number }[] } }[] };
    }>(
      `{ buildings { nodes { name list: serviceRequests { aggregates(periods: { ${inYear}, every: QUARTER, deleted: false }) { key { period } count } } } } }`,
    );
    expect(errors).toEqual([]);
    const found = data.buildings.nodes.flatMap(({ name, list }) =>
      list.aggregates.map(({ key, count }) => [name, key.period, count]),
    );
    const expected = await questions.sql`
      SELECT b.name, q::date, count(r.id)
        FROM buildings b CROSS JOIN generate_series(timestamp '2026-01-01', now() AT TIME ZONE 'Europe/Berlin', '3 months') AS q
        LEFT JOIN (service_requests r JOIN ${held()} p ON p.row_id = r.id) ON r.building_id = b.id
         AND p.entered_at < (q + interval '3 months') AT TIME ZONE 'Europe/Berlin'
         AND (p.left_at IS NULL OR p.left_at >= (q + interval '3 months') AT TIME ZONE 'Europe/Berlin')
       WHERE b.company_id = ${questions.companyId}::uuid GROUP BY 1, 2 ORDER BY 1, 2`;
    expect(found.sort()).toEqual(expected);
  });

  test.each([
    ['before anything was recorded', 'from: "2025-06-01", to: "today", every: MONTH', 'key { period } count', 'known'],
    ['in the future', 'from: "2026-06-01", to: "today+90", every: MONTH', 'key { period } count', 'has not begun'],
    ['without the key', `${inYear}, every: MONTH`, 'count', 'key { period }'],
    ['of deleted rows by another field', `${inYear}, every: MONTH`, 'key { period priority } count', 'deleted'],
    [
      'of deleted rows that match another field',
      `${inYear}, every: MONTH`,
      'key { period } count(where: { priority: { eq: LOW } })',
      'deleted',
    ],
    ['of numbers of deleted rows', `${inYear}, every: MONTH`, 'key { period } ageDays { avg }', 'deleted'],
    [
      'of too many periods',
      `${inYear}, every: DAY, deleted: false`,
      'key { period } ageDays { avg }',
      'at most 60 periods|more than 60',
    ],
    ['by an unknown range', `${inYear}, every: MONTH, by: "term"`, 'key { period } count', 'must be one of: status'],
    ['by days in a period', `${inYear}, every: MONTH, share: PERIOD`, 'key { period } count', 'requires a range'],
    [
      'to before from',
      'from: "2026-06-01", to: "2026-06-01", every: MONTH',
      'key { period } count',
      'must be after from',
    ],
  ])('%s they are refused', async (_, periods, selection, message) => {
    const error = await questions.errorOf('serviceRequests', selection, `periods: { ${periods} }`);
    expect(error).toMatch(new RegExp(message));
  });

  test('rows that match another condition are refused where deleted ones are counted', async () => {
    const error = await questions.errorOf(
      'serviceRequests(filter: { priority: { eq: URGENT } })',
      'key { period } count',
      `periods: { ${inYear}, every: MONTH }`,
    );
    expect(error).toContain('deleted: false'.split(':')[0]);
    expect(await questions.errorOf('serviceRequests', 'key { period } count')).toContain(
      'requires the argument periods',
    );
  });

  test('another company has its own', async () => {
    const other = await questions.service.tenant();
    const client = await other.client();
    const { data, errors } = await client.graphql(
      '{ serviceRequests { aggregates(periods: { from: "startOfMonth", to: "today+1", every: MONTH }) { key { period } count } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ serviceRequests: { aggregates: [{ key: { period: expect.any(String) }, count: 0 }] } });
  });
});

describe('how many desks are occupied in each week?', () => {
  test('a record counts in each week that it touches, and its days in each', async () => {
    const groups = await questions.groupsOf(
      'workspaceRecords',
      'key { period } countDistinct(of: DESK_ID) count daysInPeriod { sum }',
      'periods: { from: "startOfWeek-42", to: "startOfWeek+14", every: WEEK, by: "assignment" }',
    );
    questions.expectGroups(
      groups,
      ['key.period', 'countDistinct', 'count', 'daysInPeriod.sum'],
      await questions.sql`
        WITH days AS (
          SELECT date_trunc('week', now() AT TIME ZONE 'Europe/Berlin')::date - 42 + n AS day FROM generate_series(0, 55) AS n
        )
        SELECT date_trunc('week', day)::date, count(DISTINCT r.desk_id) AS a, count(DISTINCT r.id) AS b, nullif(count(r.id), 0) AS c
          FROM days LEFT JOIN workspace_records r ON r.company_id = ${questions.companyId}::uuid
           AND day >= coalesce(r.start_date, least((r.created_at AT TIME ZONE 'Europe/Berlin')::date, r.end_date))
           AND (r.end_date IS NULL OR day <= r.end_date)
         GROUP BY 1 ORDER BY 1`,
      8,
    );
  });
});

describe('which rent accrues in each month?', () => {
  test('a lease has the share of the month that it has', async () => {
    const groups = await questions.groupsOf(
      'leases',
      'key { period } count monthlyPayment { sum avg } payments: monthlyPayment(where: { status: { eq: ACTIVE } }) { sum }',
      'periods: { from: "startOfYear", to: "endOfYear", every: MONTH, by: "term", share: PERIOD }',
    );
    const expected = await questions.sql`
      WITH days AS (
        SELECT d::date AS day, date_trunc('month', d)::date AS month,
               extract(day FROM date_trunc('month', d) + interval '1 month - 1 day') AS length
          FROM generate_series(date_trunc('year', now() AT TIME ZONE 'Europe/Berlin'),
                               date_trunc('year', now() AT TIME ZONE 'Europe/Berlin') + interval '1 year - 1 day', '1 day') AS d
      ), shares AS (
        SELECT month, l.id, l.status, l.monthly_payment * count(l.id) / max(length) AS rent
          FROM days LEFT JOIN leases l ON l.company_id = ${questions.companyId}::uuid
           AND day >= l.start_date AND (l.end_date IS NULL OR day <= l.end_date)
         GROUP BY month, l.id, l.status, l.monthly_payment
      )
      SELECT month, count(id), sum(rent) AS a, avg(rent) AS b, sum(rent) FILTER (WHERE status = 'active') AS c FROM shares GROUP BY 1 ORDER BY 1`;
    questions.expectGroups(
      groups,
      ['key.period', 'count', 'monthlyPayment.sum', 'monthlyPayment.avg', 'payments.sum'],
      expected,
      12,
    );
  });

  test('a total is spread over the days of its range, in each time zone', async () => {
    const groups = await questions.groupsOf(
      'timeClockRecords',
      'key { period } count workedMinutes { sum } daysInPeriod { sum }',
      'periods: { from: "2026-03-28", to: "2026-03-31", every: DAY, by: "presence", share: RANGE }, timeZone: "Europe/Berlin"',
    );
    questions.expectGroups(
      groups,
      ['key.period', 'count', 'workedMinutes.sum', 'daysInPeriod.sum'],
      await questions.sql`
        WITH days AS (
          SELECT d::date AS day, d AT TIME ZONE 'Europe/Berlin' AS begin_at, (d + interval '1 day') AT TIME ZONE 'Europe/Berlin' AS end_at
            FROM generate_series(timestamp '2026-03-28', timestamp '2026-03-30', '1 day') AS d
        ), shares AS (
          SELECT day, r.id, r.worked_minutes,
                 extract(epoch FROM least(r.clock_out_time, end_at) - greatest(r.clock_in_time, begin_at)) AS seconds,
                 extract(epoch FROM r.clock_out_time - r.clock_in_time) AS whole
            FROM days LEFT JOIN time_clock_records r ON r.company_id = ${questions.companyId}::uuid
             AND r.clock_in_time < end_at AND (r.clock_out_time > begin_at OR r.clock_out_time IS NULL)
        )
        SELECT day, count(id), sum(worked_minutes * seconds / whole) AS a, sum(seconds / 86400) AS b FROM shares GROUP BY 1 ORDER BY 1`,
      3,
    );
  });

  test.each([
    ['deleted: true', 'ranges of deleted rows'],
    ['by: "stay"', 'must be one of: term|must be one of: status, term'],
  ])('%s is refused', async (further, message) => {
    const by = further.startsWith('by') ? '' : 'by: "term", ';
    const periods = `periods: { from: "startOfYear", to: "today", every: MONTH, ${by}${further} }`;
    expect(await questions.errorOf('leases', 'key { period } count', periods)).toMatch(new RegExp(message));
  });
});
