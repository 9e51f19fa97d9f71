-- As before, but for updates: a user and their copy in the sandbox have one id, so that rows are compared within their
-- company; and one that changes nothing but updated_at, such as that of line items, is logged too.
CREATE OR REPLACE FUNCTION log_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  left_out text[] := coalesce(TG_ARGV, '{}');
  who jsonb := nullif(current_setting('premises.actor', true), '')::jsonb;
BEGIN
  IF current_setting('premises.changes', true) = 'off' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT change_number(pg_current_xact_id())), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'create', '{}', is_now, who
    FROM (SELECT to_jsonb(new_row) - left_out AS is_now FROM new_rows AS new_row) AS created;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, after, actor)
    SELECT (SELECT change_number(pg_current_xact_id())), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'update', coalesce(changed.fields, '{updated_at}'), changed.before,
           is_now, who
    FROM (
      SELECT to_jsonb(old_row) - left_out AS was, to_jsonb(new_row) - left_out AS is_now
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (id)
    ) AS updated,
    LATERAL (
      SELECT array_agg(key ORDER BY key) FILTER (WHERE key <> 'updated_at') AS fields,
             jsonb_object_agg(key, was -> key) AS before
      FROM jsonb_each(is_now) WHERE value IS DISTINCT FROM was -> key
    ) AS changed
    WHERE changed.before IS NOT NULL AND was -> 'company_id' IS NOT DISTINCT FROM is_now -> 'company_id';
  ELSE
    -- Where a whole company is deleted, so is its log.
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, actor)
    SELECT (SELECT change_number(pg_current_xact_id())), companies.id, TG_TABLE_NAME, (was ->> 'id')::uuid, 'delete', '{}',
           was, who
    FROM (SELECT to_jsonb(old_row) - left_out AS was FROM old_rows AS old_row) AS deleted
    JOIN companies ON companies.id = (was ->> 'company_id')::uuid;
  END IF;
  RETURN NULL;
END
$$;
