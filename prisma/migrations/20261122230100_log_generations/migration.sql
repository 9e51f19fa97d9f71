-- CreateTable
CREATE TABLE "change_logs" (
    "generation" INTEGER NOT NULL,
    "identity" TEXT NOT NULL,

    CONSTRAINT "change_logs_pkey" PRIMARY KEY ("generation")
);

-- The number of a transaction in the log of changes. In another generation, such as after a restore into another server,
-- transactions are numbered from the beginning again, and follow all those of the generations before.
CREATE FUNCTION change_number(transaction xid8) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(max(generation), 0) FROM change_logs) * 1000000000000000 + transaction::text::bigint;
END
$$;

ALTER TABLE "changes" ALTER COLUMN "xid" SET DEFAULT change_number(pg_current_xact_id());

-- A log that was restored before there were generations has transactions that are still to come.
INSERT INTO change_logs (generation, identity)
SELECT (SELECT count(*) FROM (SELECT FROM changes WHERE xid > pg_current_xact_id()::text::bigint LIMIT 1) AS ahead), concat_ws(
  ' ', system.system_identifier, checkpoint.timeline_id, 'changes'::regclass::oid
)
FROM pg_control_system() AS system, pg_control_checkpoint() AS checkpoint;

-- As before, but for the number of the transaction: it is read once, when the log is locked for writing already, so that
-- no other generation begins meanwhile.
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
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'update', changed.fields, changed.before, is_now, who
    FROM (
      SELECT to_jsonb(old_row) - left_out AS was, to_jsonb(new_row) - left_out AS is_now
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (id)
    ) AS updated,
    LATERAL (
      SELECT array_agg(key ORDER BY key) FILTER (WHERE key <> 'updated_at') AS fields,
             jsonb_object_agg(key, was -> key) AS before
      FROM jsonb_each(is_now) WHERE value IS DISTINCT FROM was -> key
    ) AS changed
    WHERE changed.fields IS NOT NULL;
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
