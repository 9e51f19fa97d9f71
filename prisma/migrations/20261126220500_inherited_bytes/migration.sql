-- A standby that takes over may lack commits that precede others which it has, in the order of their transactions. Where
-- it stopped to follow tells which positions it has all of. Older instances: they neither write nor read it.
ALTER TABLE "change_logs" ADD COLUMN "inherited_bytes" BIGINT;

CREATE OR REPLACE FUNCTION begin_change_log(folder text) RETURNS boolean LANGUAGE plpgsql AS $$
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
  INSERT INTO change_logs (generation, identity, inherited_xid, inherited_seq, inherited_bytes)
  SELECT coalesce(latest.generation + 1, 0), is_now, xid, seq,
         -- What it had replayed when it took over; nothing is known once it was restarted.
         CASE WHEN split_part(latest.identity, ' ', 1) = split_part(is_now, ' ', 1)
               AND split_part(latest.identity, ' ', 2) <> split_part(is_now, ' ', 2)
           THEN coalesce((pg_last_wal_replay_lsn() - '0/0')::bigint, 0) END
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
