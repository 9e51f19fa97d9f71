-- The log of a company is read in its order, by the index of its key. PostgreSQL estimated that sorting all that follows
-- a position is cheaper, and so it read a transaction of 100,000 changes again for every page of 100.
--   before_xid  the transaction before which the changes are; null for all
--   most        how many changes
CREATE FUNCTION changes_after(company uuid, after_xid bigint, after_seq bigint, before_xid bigint, most integer)
RETURNS TABLE (xid bigint, seq bigint, at timestamptz, table_name text) LANGUAGE plpgsql STABLE
SET enable_sort = off SET enable_incremental_sort = off AS $$
BEGIN
  RETURN QUERY
    SELECT change.xid, change.seq, change.at, change.table_name FROM changes AS change
    WHERE company_id = company AND (change.xid, change.seq) > (after_xid, after_seq)
      AND change.xid < coalesce(before_xid, 9223372036854775807)
    ORDER BY change.xid, change.seq LIMIT most;
END
$$;

ALTER FUNCTION delete_old_changes(uuid, integer, integer) SET enable_sort = off;
ALTER FUNCTION delete_old_changes(uuid, integer, integer) SET enable_incremental_sort = off;

-- An expression, so that it finds the companies of transactions and is never taken for one change of a transaction.
CREATE INDEX "changes_transaction_idx" ON "changes" (("xid" + 0), "company_id");
DROP INDEX "changes_xid_company_id_idx";

-- The messages that are being sent, found by an order that no other index has.
CREATE INDEX "webhook_deliveries_sending_idx" ON "webhook_deliveries" ("webhook_id", "leased_until")
  WHERE status = 'pending' AND leased_until IS NOT NULL;
DROP INDEX "webhook_deliveries_leased_idx";
