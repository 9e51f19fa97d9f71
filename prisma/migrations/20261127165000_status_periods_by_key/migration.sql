-- `TG_TABLE_NAME` is a `name`, whose comparisons have another collation than the index of `status_periods`: the periods of
-- one row were found among all of its company. As a text it is compared by the index.
CREATE OR REPLACE FUNCTION track_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_table CONSTANT text := TG_TABLE_NAME;
BEGIN
  IF current_setting('premises.own_periods', true) = 'on' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, of_table, status, created_at FROM new_rows;
  ELSIF TG_OP = 'UPDATE' THEN
    WITH moved AS MATERIALIZED (
      SELECT company_id, id, new_row.status,
             CASE WHEN new_row.updated_at = old_row.updated_at THEN clock_timestamp() ELSE new_row.updated_at END AS at
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
      WHERE old_row.status <> new_row.status
    ), ended AS (
      UPDATE status_periods AS period SET left_at = greatest(entered_at, moved.at) FROM moved
      WHERE period.company_id = moved.company_id AND row_id = id AND table_name = of_table AND left_at IS NULL
    )
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, of_table, status, at FROM moved;
  ELSE
    DELETE FROM status_periods AS period USING old_rows AS old_row
    WHERE period.company_id = old_row.company_id AND row_id = id AND table_name = of_table;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION log_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  of_table CONSTANT text := TG_TABLE_NAME;
  left_out text[] := coalesce(TG_ARGV, '{}');
  who jsonb := nullif(current_setting('premises.actor', true), '')::jsonb;
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           of_table, (is_now ->> 'id')::uuid, 'create', '{}', is_now, who
    FROM (SELECT to_jsonb(new_row) - left_out AS is_now FROM new_rows AS new_row OFFSET 0) AS created;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           of_table, (is_now ->> 'id')::uuid, 'update', coalesce(changed.fields, '{updated_at}'), changed.before,
           is_now, who
    FROM (
      SELECT to_jsonb(old_row) - left_out AS was, to_jsonb(new_row) - left_out AS is_now
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (id)
      OFFSET 0
    ) AS updated,
    LATERAL (
      SELECT array_agg(key ORDER BY key) FILTER (WHERE key <> 'updated_at') AS fields,
             jsonb_object_agg(key, was -> key) AS before
      FROM jsonb_each(is_now) WHERE value IS DISTINCT FROM was -> key
    ) AS changed
    WHERE changed.before IS NOT NULL AND was -> 'company_id' IS NOT DISTINCT FROM is_now -> 'company_id';
  ELSE
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, actor)
    SELECT (SELECT current_change_number()), companies.id, of_table, (was ->> 'id')::uuid, 'delete', '{}',
           was || CASE WHEN was ? 'status' THEN coalesce((
             SELECT jsonb_build_object('status_periods', jsonb_agg(period ORDER BY period.seq) ) FROM (
               SELECT seq, status, entered_at, left_at FROM status_periods
               WHERE status_periods.company_id = companies.id AND table_name = of_table AND row_id = (was ->> 'id')::uuid
               ORDER BY status_periods.seq DESC LIMIT 1000
             ) AS period HAVING count(*) > 0
           ), '{}') ELSE '{}' END, who
    FROM (SELECT to_jsonb(old_row) - left_out AS was FROM old_rows AS old_row OFFSET 0) AS deleted
    JOIN companies ON companies.id = (was ->> 'company_id')::uuid
    WHERE NOT EXISTS (SELECT FROM company_deletions AS deletion WHERE deletion.id = companies.id);
  END IF;
  RETURN NULL;
END
$$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION log_changes() SET search_path = %I, pg_temp', current_schema()); END $$;
