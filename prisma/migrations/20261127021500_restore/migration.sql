-- Deleted rows can be restored from the log of changes, with their ids and the periods of their statuses.

-- As before, but the image of a deleted row has the latest periods of its status too, as `status_periods`: the log may
-- not reach back to when they began.
CREATE OR REPLACE FUNCTION log_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  left_out text[] := coalesce(TG_ARGV, '{}');
  who jsonb := nullif(current_setting('premises.actor', true), '')::jsonb;
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'create', '{}', is_now, who
    FROM (SELECT to_jsonb(new_row) - left_out AS is_now FROM new_rows AS new_row OFFSET 0) AS created;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'update', coalesce(changed.fields, '{updated_at}'), changed.before,
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
    SELECT (SELECT current_change_number()), companies.id, TG_TABLE_NAME, (was ->> 'id')::uuid, 'delete', '{}',
           was || CASE WHEN was ? 'status' THEN coalesce((
             SELECT jsonb_build_object('status_periods', jsonb_agg(period ORDER BY period.seq) ) FROM (
               SELECT seq, status, entered_at, left_at FROM status_periods
               WHERE status_periods.company_id = companies.id AND table_name = TG_TABLE_NAME AND row_id = (was ->> 'id')::uuid
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

-- As before, but an item that is restored was reported before it was deleted.
CREATE OR REPLACE FUNCTION report_low_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), company_id, TG_TABLE_NAME, id, 'low_stock', '{}', to_jsonb(new_row),
           '{"kind": "clock"}'
    FROM new_rows AS new_row WHERE quantity < reorder_point AND NOT EXISTS (
      SELECT FROM changes WHERE changes.company_id = new_row.company_id AND row_id = new_row.id AND action = 'delete'
    );
  ELSE
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), company_id, TG_TABLE_NAME, id, 'low_stock', '{}', to_jsonb(new_row),
           '{"kind": "clock"}'
    FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
    WHERE new_row.quantity < new_row.reorder_point AND (old_row.quantity < old_row.reorder_point) IS NOT TRUE;
  END IF;
  RETURN NULL;
END
$$;

SELECT run_as_owner('log_changes()', 'report_low_stock()');

-- As before, but the periods of deleted rows are deleted once the log has them: triggers run in the order of their
-- names, `log_deletes` before `untrack_status`.
CREATE OR REPLACE FUNCTION track_status_of(tracked regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
                 WHERE attrelid = tracked AND attname = 'status' AND typtype = 'e') THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TRIGGER track_new_status AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
  EXECUTE format('CREATE TRIGGER track_status AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
  EXECUTE format('CREATE TRIGGER untrack_status AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
END
$$;

DO $$
DECLARE
  tracked regclass;
BEGIN
  FOR tracked IN SELECT tgrelid FROM pg_trigger WHERE tgname = 'forget_status' AND NOT tgisinternal
  LOOP
    EXECUTE format('DROP TRIGGER forget_status ON %s', tracked);
    EXECUTE format('CREATE TRIGGER untrack_status AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION track_status()', tracked);
  END LOOP;
END
$$;
