-- The first time at which the clocks of a time zone show a day or a later one: src/calendar.ts says the same in
-- TypeScript. The interval of a day, a month or any other period ends where the next one starts.
CREATE FUNCTION start_of_day(day date, zone text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  midnight timestamp := day;
  -- No offset exceeds 16 hours, and no zone changed its offset twice within two days.
  before timestamptz := midnight AT TIME ZONE 'UTC' - interval '16 hours';
  after timestamptz := midnight AT TIME ZONE 'UTC' + interval '16 hours';
  sampled timestamptz;
  middle timestamptz;
BEGIN
  -- Of two midnights the first one, which has the offset of before.
  FOREACH sampled IN ARRAY ARRAY[before, after] LOOP
    middle := midnight AT TIME ZONE 'UTC' - ((sampled AT TIME ZONE zone) - (sampled AT TIME ZONE 'UTC'));
    IF middle AT TIME ZONE zone = midnight THEN
      RETURN middle;
    END IF;
  END LOOP;
  -- The clocks leave out midnight: they are put forward after `before`, by `after`.
  WHILE after - before > interval '1 second' LOOP
    middle := date_trunc('second', before + (after - before) / 2);
    IF middle AT TIME ZONE zone < midnight THEN
      before := middle;
    ELSE
      after := middle;
    END IF;
  END LOOP;
  RETURN after;
END
$$;

-- The day of a time in a time zone: the last one that has begun. Where clocks are put back over midnight, the day that
-- they show again is over. The last time they were was in 2010, so that later times need only be looked at once.
CREATE FUNCTION day_in(zone text, moment timestamptz) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN moment >= timestamptz '2011-01-01 00:00:00+00'
      OR (moment AT TIME ZONE zone) - ((moment - interval '1 day') AT TIME ZONE zone) >= interval '1 day'
      THEN (moment AT TIME ZONE zone)::date
    WHEN start_of_day((moment AT TIME ZONE zone)::date + 1, zone) <= moment THEN (moment AT TIME ZONE zone)::date + 1
    ELSE (moment AT TIME ZONE zone)::date
  END
$$;

-- As before, by intervals of days.
--   company  whose numbers
--   start    the first day that requests were made on
--   finish   the last, which counts too
--   moment   the time that says what is due, and runs out when
--   zone     the time zone of the days
CREATE OR REPLACE FUNCTION dashboard_analytics(company uuid, start date, finish date, moment timestamptz, zone text)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
WITH
  today (day) AS (SELECT day_in(zone, moment)),
  days (day) AS (SELECT start + n FROM generate_series(0, finish - start) AS n),
  kinds (kind) AS (VALUES ('service'), ('move')),
  requests AS (
    SELECT 'service' AS kind, * FROM (SELECT company_id, status, priority, created_at, completed_at FROM service_requests) AS service
    UNION ALL
    SELECT 'move', * FROM (SELECT company_id, status, priority, created_at, completed_at FROM move_requests) AS move
  ),
  -- One pass over the requests; the rest adds up what it counted.
  counted AS MATERIALIZED (
    SELECT kind, status, priority, day_in(zone, created_at) AS day, count(*) AS n,
           sum(extract(epoch FROM completed_at - created_at)) AS seconds, count(completed_at) AS completed
    FROM requests
    WHERE company_id = company
      AND created_at >= start_of_day(start, zone) AND created_at < start_of_day(finish + 1, zone)
    GROUP BY 1, 2, 3, 4
  ),
  totals AS (
    SELECT kind, coalesce(sum(n), 0) AS total, round(sum(seconds) / nullif(sum(completed), 0) / 3600, 2) AS hours
    FROM kinds LEFT JOIN counted USING (kind)
    GROUP BY kind
  ),
  statuses AS (
    SELECT kind, jsonb_object_agg(status, n) AS counts
    FROM (
      SELECT kind, status, coalesce(sum(n), 0) AS n
      FROM kinds CROSS JOIN unnest(enum_range(NULL::request_status)) AS status LEFT JOIN counted USING (kind, status)
      GROUP BY kind, status
    ) AS word
    GROUP BY kind
  ),
  priorities AS (
    SELECT kind, jsonb_object_agg(priority, n) AS counts
    FROM (
      SELECT kind, priority, coalesce(sum(n), 0) AS n
      FROM kinds CROSS JOIN unnest(enum_range(NULL::request_priority)) AS priority LEFT JOIN counted USING (kind, priority)
      GROUP BY kind, priority
    ) AS word
    GROUP BY kind
  ),
  made AS (
    SELECT kind, jsonb_agg(jsonb_build_object('date', day, 'count', n) ORDER BY day) AS per_day
    FROM (
      SELECT kind, day, coalesce(sum(n), 0) AS n
      FROM kinds CROSS JOIN days LEFT JOIN counted USING (kind, day)
      GROUP BY kind, day
    ) AS day
    GROUP BY kind
  ),
  request_analytics AS (
    SELECT kind, jsonb_build_object(
      'total', total,
      'byStatus', statuses.counts,
      'byPriority', priorities.counts,
      'createdPerDay', per_day,
      'averageHoursToComplete', hours
    ) AS numbers
    FROM totals JOIN statuses USING (kind) JOIN priorities USING (kind) JOIN made USING (kind)
  )
SELECT jsonb_build_object(
  'range', jsonb_build_object('startDate', start, 'endDate', finish),
  'serviceRequests', (SELECT numbers FROM request_analytics WHERE kind = 'service'),
  'moveRequests', (SELECT numbers FROM request_analytics WHERE kind = 'move'),
  'inventory', (
    SELECT jsonb_build_object(
      'items', count(*),
      'lowStock', count(*) FILTER (WHERE quantity < reorder_point),
      'stockValue', coalesce(sum(quantity * unit_cost), 0)
    )
    FROM inventory_items WHERE company_id = company
  ),
  'leases', (
    SELECT jsonb_build_object(
      'active', count(*),
      'expiringIn90Days', count(*) FILTER (WHERE end_date BETWEEN day AND day + 90),
      'dueThisMonth', (
        SELECT coalesce(sum(amount), 0)
        FROM lease_payments, today
        WHERE company_id = company AND status = 'pending'
          AND due_date >= date_trunc('month', day::timestamp) AND due_date < date_trunc('month', day::timestamp) + interval '1 month'
      )
    )
    FROM leases, today WHERE company_id = company AND status = 'active'
  ),
  'assets', jsonb_build_object(
    'byStatus', (
      SELECT jsonb_object_agg(status, n)
      FROM (
        SELECT word AS status, count(assets.id) AS n
        FROM unnest(enum_range(NULL::asset_status)) AS word LEFT JOIN assets ON company_id = company AND status = word
        GROUP BY word
      ) AS word
    ),
    'overdueMaintenance', (SELECT count(*) FROM asset_maintenance WHERE company_id = company AND status = 'overdue')
  ),
  'procurement', (
    SELECT jsonb_build_object('openRequisitions', count(*), 'openAmount', coalesce(sum(total_amount), 0))
    FROM requisitions WHERE company_id = company AND status IN ('draft', 'pending')
  ),
  'packages', (
    SELECT jsonb_build_object('expected', count(*) FILTER (WHERE status = 'expected'), 'received', count(*) FILTER (WHERE status = 'received'))
    FROM expected_packages WHERE company_id = company
  ),
  'reminders', (
    SELECT jsonb_build_object('due', count(*))
    FROM reminders WHERE company_id = company AND status = 'pending' AND due_date <= moment
  )
)
$$;
