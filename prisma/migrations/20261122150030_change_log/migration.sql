-- CreateEnum
CREATE TYPE "change_action" AS ENUM ('create', 'update', 'delete');

-- CreateTable
CREATE TABLE "changes" (
    "company_id" UUID NOT NULL,
    "xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "seq" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "table_name" TEXT NOT NULL,
    "row_id" UUID NOT NULL,
    "action" "change_action" NOT NULL,
    "fields" TEXT[],
    "before" JSONB,
    "after" JSONB,
    "actor" JSONB,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("company_id","xid","seq")
);

-- CreateIndex
CREATE INDEX "changes_company_id_row_id_seq_idx" ON "changes"("company_id", "row_id", "seq");

-- CreateTable
CREATE TABLE "change_horizons" (
    "company_id" UUID NOT NULL,
    "xid" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,

    CONSTRAINT "change_horizons_pkey" PRIMARY KEY ("company_id")
);

-- AddForeignKey
ALTER TABLE "change_horizons" ADD CONSTRAINT "change_horizons_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Logs the rows that a statement inserted, updated or deleted. The triggers' arguments are columns to leave out: secrets,
-- and what is derived from other columns. The settings are of the transaction: premises.actor is who writes, as JSON, and
-- premises.changes is off while sample data is made.
CREATE FUNCTION log_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  left_out text[] := coalesce(TG_ARGV, '{}');
  who jsonb := nullif(current_setting('premises.actor', true), '')::jsonb;
BEGIN
  IF current_setting('premises.changes', true) = 'off' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (company_id, table_name, row_id, action, fields, after, actor)
    SELECT coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid, TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'create', '{}',
           is_now, who
    FROM (SELECT to_jsonb(new_row) - left_out AS is_now FROM new_rows AS new_row) AS created;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO changes (company_id, table_name, row_id, action, fields, before, after, actor)
    SELECT coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid, TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'update',
           changed.fields, changed.before, is_now, who
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
    INSERT INTO changes (company_id, table_name, row_id, action, fields, before, actor)
    SELECT companies.id, TG_TABLE_NAME, (was ->> 'id')::uuid, 'delete', '{}', was, who
    FROM (SELECT to_jsonb(old_row) - left_out AS was FROM old_rows AS old_row) AS deleted
    JOIN companies ON companies.id = (was ->> 'company_id')::uuid;
  END IF;
  RETURN NULL;
END
$$;

-- Logs all changes of a table from now on. Every table with rows of companies needs it.
CREATE FUNCTION log_changes_of(logged regclass, VARIADIC left_out text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  arguments text := (SELECT string_agg(quote_literal(name), ', ') FROM unnest(left_out) AS name);
BEGIN
  EXECUTE format('CREATE TRIGGER log_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  EXECUTE format('CREATE TRIGGER log_updates AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  EXECUTE format('CREATE TRIGGER log_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
END
$$;

CREATE FUNCTION forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM changes WHERE company_id IN (SELECT id FROM old_rows);
  RETURN NULL;
END
$$;

CREATE TRIGGER forget_changes AFTER DELETE ON companies REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION forget_changes();

SELECT log_changes_of('activity_entries');
SELECT log_changes_of('areas');
SELECT log_changes_of('asset_documents');
SELECT log_changes_of('asset_maintenance');
SELECT log_changes_of('asset_transfers');
SELECT log_changes_of('asset_warranties');
SELECT log_changes_of('assets');
SELECT log_changes_of('buildings');
SELECT log_changes_of('checklist_completions');
SELECT log_changes_of('checklist_groups');
SELECT log_changes_of('checklist_tasks');
SELECT log_changes_of('checklists');
SELECT log_changes_of('comments');
SELECT log_changes_of('companies');
SELECT log_changes_of('desks');
SELECT log_changes_of('documents');
SELECT log_changes_of('expected_packages', 'tracking_key', 'token_hash');
SELECT log_changes_of('hr_acknowledgments');
SELECT log_changes_of('hr_documents');
SELECT log_changes_of('inventory_items');
SELECT log_changes_of('inventory_transfers');
SELECT log_changes_of('invoices');
SELECT log_changes_of('label_templates');
SELECT log_changes_of('lease_dates');
SELECT log_changes_of('lease_documents');
SELECT log_changes_of('lease_payments');
SELECT log_changes_of('leases');
SELECT log_changes_of('move_requests');
SELECT log_changes_of('note_categories');
SELECT log_changes_of('notes');
SELECT log_changes_of('paint_locations');
SELECT log_changes_of('paints');
SELECT log_changes_of('purchase_order_lines');
SELECT log_changes_of('purchase_orders');
SELECT log_changes_of('receiving_lines');
SELECT log_changes_of('receiving_records');
SELECT log_changes_of('reminders');
SELECT log_changes_of('requisition_lines');
SELECT log_changes_of('requisitions');
SELECT log_changes_of('scan_events', 'tracking_key');
SELECT log_changes_of('service_requests');
SELECT log_changes_of('shipments', 'tracking_key');
SELECT log_changes_of('stock_adjustments');
SELECT log_changes_of('time_clock_locations');
SELECT log_changes_of('time_clock_records');
SELECT log_changes_of('time_clock_settings');
SELECT log_changes_of('time_logs');
SELECT log_changes_of('training_completions');
SELECT log_changes_of('training_programs');
SELECT log_changes_of('training_questions');
SELECT log_changes_of('users');
SELECT log_changes_of('vendors');
SELECT log_changes_of('watchers');
SELECT log_changes_of('workspace_records');
