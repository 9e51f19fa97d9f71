-- CreateTable
CREATE TABLE "status_periods" (
    "company_id" UUID NOT NULL,
    "table_name" TEXT NOT NULL,
    "row_id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "status" TEXT NOT NULL,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "left_at" TIMESTAMPTZ(3),

    CONSTRAINT "status_periods_pkey" PRIMARY KEY ("company_id","table_name","row_id","seq")
);

-- Keeps since when rows have their status, and when they left those before. The time is that of the row's write, so that
-- sample data has its own; of one that does not say it, the present. What is made without a log makes its periods itself.
CREATE FUNCTION track_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('premises.changes', true) = 'off' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, TG_TABLE_NAME, status, created_at FROM new_rows;
  ELSIF TG_OP = 'UPDATE' THEN
    WITH moved AS MATERIALIZED (
      SELECT company_id, id, new_row.status,
             CASE WHEN new_row.updated_at = old_row.updated_at THEN clock_timestamp() ELSE new_row.updated_at END AS at
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
      WHERE old_row.status <> new_row.status
    ), ended AS (
      UPDATE status_periods AS period SET left_at = greatest(entered_at, moved.at) FROM moved
      WHERE period.company_id = moved.company_id AND row_id = id AND table_name = TG_TABLE_NAME AND left_at IS NULL
    )
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, TG_TABLE_NAME, status, at FROM moved;
  ELSE
    DELETE FROM status_periods AS period USING old_rows AS old_row
    WHERE period.company_id = old_row.company_id AND row_id = id AND table_name = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END
$$;

-- Keeps the periods of a table's statuses from now on, if its rows have one.
CREATE FUNCTION track_status_of(tracked regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
                 WHERE attrelid = tracked AND attname = 'status' AND typtype = 'e') THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TRIGGER track_new_status AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
  EXECUTE format('CREATE TRIGGER track_status AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
  EXECUTE format('CREATE TRIGGER forget_status AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
END
$$;

-- As before, and with the periods of its statuses.
CREATE OR REPLACE FUNCTION log_changes_of(logged regclass, VARIADIC left_out text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  arguments text := (SELECT string_agg(quote_literal(name), ', ') FROM unnest(left_out) AS name);
BEGIN
  EXECUTE format('CREATE TRIGGER log_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  EXECUTE format('CREATE TRIGGER log_updates AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  EXECUTE format('CREATE TRIGGER log_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  PERFORM track_status_of(logged);
END
$$;

SELECT track_status_of(tgrelid) FROM pg_trigger WHERE tgname = 'log_inserts';

-- What the log knows of rows that exist: for how long they had a status before it is not known.
DO $$
DECLARE
  tracked record;
BEGIN
  FOR tracked IN SELECT tgrelid::regclass AS name, relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
                 WHERE tgname = 'track_status'
  LOOP
    EXECUTE format($sql$
      INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at, left_at)
      SELECT company_id, row_id, %2$L, entered.status, entered_at,
             lead(entered_at) OVER (PARTITION BY company_id, row_id ORDER BY seq)
      FROM (
        SELECT company_id, row_id, seq, after ->> 'status' AS status,
               CASE action WHEN 'create' THEN (after ->> 'created_at')::timestamptz ELSE at END AS entered_at
        FROM changes WHERE table_name = %2$L AND (action = 'create' OR action = 'update' AND 'status' = ANY (fields))
      ) AS entered
      WHERE EXISTS (SELECT FROM %1$s AS row WHERE row.company_id = entered.company_id AND row.id = row_id)
      ORDER BY seq
    $sql$, tracked.name, tracked.relname);
  END LOOP;
END
$$;
