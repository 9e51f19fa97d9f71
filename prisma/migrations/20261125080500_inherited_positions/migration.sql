-- Each generation of the log has a label, by which positions name it, and the last change that it inherited: positions
-- up to that one go on. Nothing is known to be inherited by generations that began before.
ALTER TABLE "change_logs"
  ADD COLUMN "label" TEXT NOT NULL DEFAULT "left"((gen_random_uuid())::text, 8),
  ADD COLUMN "inherited_xid" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "inherited_seq" BIGINT NOT NULL DEFAULT 0;

-- The label that positions have had so far: of the server's own timeline, as far as the checkpoint tells it.
UPDATE change_logs SET label = "left"(md5(concat_ws(
  ' ', known[1], CASE WHEN known[1] = system_identifier::text AND known[3] = 'changes'::regclass::oid::text THEN timeline_id::text ELSE known[2] END,
  known[3], generation
)), 8)
FROM (SELECT generation AS n, string_to_array(identity, ' ') AS known FROM change_logs) AS each,
  pg_control_system(), pg_control_checkpoint()
WHERE n = generation;

-- What identifies the log: restoring a dump creates another table, a standby that takes over and recovery from an archive
-- begin another timeline, and each server has its own identifier. The last checkpoint tells of another timeline minutes
-- later; where the log of the server is written now tells at once.
CREATE FUNCTION change_log_identity() RETURNS text STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN concat_ws(
    ' ', (SELECT system_identifier FROM pg_control_system()),
    ('x' || "left"(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint, 'changes'::regclass::oid
  );
END
$$;

-- Begins another generation of the log if it is not the one that the latest generation was begun for. Its transactions
-- follow all earlier ones, whatever numbers the server gives them. Returns whether it began one.
CREATE FUNCTION begin_change_log(folder text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  latest change_logs;
  is_now text;
BEGIN
  -- A standby writes nothing.
  IF pg_is_in_recovery() THEN
    RETURN false;
  END IF;
  is_now := change_log_identity();
  SELECT * INTO latest FROM change_logs ORDER BY generation DESC LIMIT 1;
  -- Only the embedded database knows its folder. The first generation was stored before it did.
  IF latest.identity = is_now OR latest.identity = is_now || ' ' || folder
    OR folder IS NULL AND starts_with(latest.identity, is_now || ' ') THEN
    RETURN false;
  END IF;
  INSERT INTO change_logs (generation, identity, inherited_xid, inherited_seq)
  SELECT coalesce(latest.generation + 1, 0), is_now, xid, seq
  FROM (
    SELECT 0 AS xid, 0 AS seq
    UNION ALL SELECT inherited_xid, inherited_seq FROM change_logs
    UNION ALL SELECT xid, seq FROM change_horizons
    UNION ALL SELECT last.xid, last.seq FROM companies CROSS JOIN LATERAL (
      SELECT xid, seq FROM changes WHERE company_id = companies.id ORDER BY xid DESC, seq DESC LIMIT 1
    ) AS last
  ) AS inherited
  ORDER BY xid DESC, seq DESC LIMIT 1
  -- Another transaction may begin it at the same time: this waits until that has ended.
  ON CONFLICT (generation) DO NOTHING;
  RETURN FOUND;
END
$$;

-- The same on a server, for roles that may not write the table.
CREATE FUNCTION begin_change_log() RETURNS boolean SECURITY DEFINER LANGUAGE plpgsql AS $$
BEGIN
  RETURN begin_change_log(NULL);
END
$$;

DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION begin_change_log() SET search_path = %I, pg_temp', current_schema());
END
$$;

-- The number of the current transaction in the log. The first that writes after a failover or a restore begins another
-- generation, so that no change is written before it, whoever writes it.
CREATE FUNCTION current_change_number() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  -- The server's own identifier takes longer to read than all else that is done for a write; the start of the service
  -- compares it.
  timeline text := ('x' || "left"(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint;
  log change_logs := latest FROM change_logs AS latest ORDER BY generation DESC LIMIT 1;
BEGIN
  IF log.identity IS NULL OR strpos(log.identity || ' ', concat(' ', timeline, ' ', 'changes'::regclass::oid, ' ')) = 0 THEN
    PERFORM begin_change_log();
    RETURN change_number(pg_current_xact_id());
  END IF;
  RETURN log.generation * 1000000000000000 + pg_current_xact_id()::text::bigint;
END
$$;

ALTER TABLE "changes" ALTER COLUMN "xid" SET DEFAULT current_change_number();

-- The beginning of notifications in companies that are older than these, as a position of their own log: what happened
-- before is not news.
UPDATE notification_positions SET position = translate(
  encode(convert_to(concat_ws('.', label, coalesce(latest.xid, 0), coalesce(latest.seq, 0)), 'UTF8'), 'base64'),
  E'+/=\n', '-_'
)
FROM (SELECT label FROM change_logs ORDER BY generation DESC LIMIT 1) AS log, notification_positions AS old
LEFT JOIN LATERAL (
  SELECT xid, seq FROM changes WHERE company_id = old.company_id AND xid < change_number(pg_snapshot_xmin(pg_current_snapshot()))
  ORDER BY xid DESC, seq DESC LIMIT 1
) AS latest ON true
WHERE old.company_id = notification_positions.company_id AND notification_positions.position = 'MDAwMDAwMDAuMC4w';

-- As before, but for the number of the transaction.
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
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'create', '{}', is_now, who
    FROM (SELECT to_jsonb(new_row) - left_out AS is_now FROM new_rows AS new_row) AS created;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
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
    SELECT (SELECT current_change_number()), companies.id, TG_TABLE_NAME, (was ->> 'id')::uuid, 'delete', '{}',
           was, who
    FROM (SELECT to_jsonb(old_row) - left_out AS was FROM old_rows AS old_row) AS deleted
    JOIN companies ON companies.id = (was ->> 'company_id')::uuid;
  END IF;
  RETURN NULL;
END
$$;
