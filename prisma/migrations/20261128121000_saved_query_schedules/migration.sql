-- CreateTable
CREATE TABLE "saved_query_schedules" (
    "company_id" UUID NOT NULL,
    "saved_query_id" UUID NOT NULL,
    "weekday" SMALLINT,
    "month_day" SMALLINT,
    "minute" SMALLINT NOT NULL,
    "format" VARCHAR(4) NOT NULL,
    "user_ids" UUID[],
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "problem" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_query_schedules_pkey" PRIMARY KEY ("company_id","saved_query_id")
);

-- CreateIndex
CREATE INDEX "saved_query_schedules_company_id_next_at_idx" ON "saved_query_schedules"("company_id", "next_at");

-- AddForeignKey
ALTER TABLE "saved_query_schedules" ADD CONSTRAINT "saved_query_schedules_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "saved_query_schedules" ADD CONSTRAINT "saved_query_schedules_company_id_saved_query_id_fkey" FOREIGN KEY ("company_id", "saved_query_id") REFERENCES "saved_queries"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Values
ALTER TABLE "saved_query_schedules"
  ADD CONSTRAINT "saved_query_schedules_one_day" CHECK (num_nonnulls("weekday", "month_day") = 1),
  ADD CONSTRAINT "saved_query_schedules_weekday" CHECK ("weekday" BETWEEN 1 AND 7),
  ADD CONSTRAINT "saved_query_schedules_month_day" CHECK ("month_day" BETWEEN 1 AND 31),
  ADD CONSTRAINT "saved_query_schedules_minute" CHECK ("minute" BETWEEN 0 AND 1439),
  ADD CONSTRAINT "saved_query_schedules_format" CHECK ("format" IN ('csv', 'xlsx'));

-- When a query is sent next after a time: on a weekday (1 is Monday), or on a day of the month, of shorter months on
-- their last. A time that the clocks leave out is the one an hour later; of one that they show twice, PostgreSQL takes
-- the second. Each day has one such time, so a query that was sent at it is not sent again that day.
CREATE FUNCTION next_saved_query_at(weekday smallint, month_day smallint, minute smallint, zone text, since timestamptz)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT min(at) FROM (
    SELECT (date_trunc('day', since AT TIME ZONE zone) + make_interval(days => ahead)) AS midnight
    FROM generate_series(0, 62) AS ahead
  ) AS days
  CROSS JOIN LATERAL (SELECT (midnight + make_interval(mins => minute)) AT TIME ZONE zone AS at) AS times
  WHERE at > since AND CASE
    WHEN weekday IS NOT NULL THEN extract(isodow FROM midnight) = weekday
    ELSE extract(day FROM midnight)
      = least(month_day, extract(day FROM date_trunc('month', midnight) + interval '1 month' - interval '1 day'))
  END
$$;

-- Another time zone of the company moves what is sent next.
CREATE FUNCTION reschedule_saved_queries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE saved_query_schedules
  SET next_at = next_saved_query_at(weekday, month_day, minute, NEW.time_zone, now())
  WHERE company_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER reschedule_saved_queries AFTER UPDATE OF time_zone ON companies
  FOR EACH ROW WHEN (OLD.time_zone IS DISTINCT FROM NEW.time_zone) EXECUTE FUNCTION reschedule_saved_queries();
