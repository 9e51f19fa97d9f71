-- What other systems call rows: the system, and the id there. Older instances: they leave both null.
ALTER TABLE "areas" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "asset_documents" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "asset_maintenance" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "asset_transfers" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "asset_warranties" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "assets" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "buildings" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "checklist_completions" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "checklist_groups" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "checklist_tasks" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "checklists" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "comments" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "desks" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "documents" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "hr_acknowledgments" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "hr_documents" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "inventory_items" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "inventory_transfers" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "invoices" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "label_templates" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "lease_dates" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "lease_documents" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "lease_payments" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "leases" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "move_requests" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "note_categories" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "notes" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "paint_locations" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "paints" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "purchase_orders" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "receiving_records" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "reminders" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "requisitions" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "scan_events" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "service_requests" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "shipments" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "stock_adjustments" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "time_clock_locations" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "time_clock_records" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "time_logs" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "training_completions" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "training_programs" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "training_questions" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "vendors" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);
ALTER TABLE "workspace_records" ADD COLUMN "external_source" VARCHAR(100), ADD COLUMN "external_id" VARCHAR(200);

-- Keeps what another system calls a row of a table: the system and the id, both or neither, once in a company. The index
-- has only rows that have an id, so that others cost nothing more. Rows from before the columns have none.
CREATE FUNCTION external_ids_of(identified regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := (SELECT relname FROM pg_class WHERE oid = identified);
BEGIN
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK ((external_source IS NULL) = (external_id IS NULL)) NOT VALID',
                 identified, name || '_external_id_check');
  EXECUTE format('CREATE UNIQUE INDEX %I ON %s (company_id, external_source, external_id) WHERE external_id IS NOT NULL',
                 name || '_external_id_key', identified);
END
$$;

SELECT external_ids_of('areas');
SELECT external_ids_of('asset_documents');
SELECT external_ids_of('asset_maintenance');
SELECT external_ids_of('asset_transfers');
SELECT external_ids_of('asset_warranties');
SELECT external_ids_of('assets');
SELECT external_ids_of('buildings');
SELECT external_ids_of('checklist_completions');
SELECT external_ids_of('checklist_groups');
SELECT external_ids_of('checklist_tasks');
SELECT external_ids_of('checklists');
SELECT external_ids_of('comments');
SELECT external_ids_of('desks');
SELECT external_ids_of('documents');
SELECT external_ids_of('hr_acknowledgments');
SELECT external_ids_of('hr_documents');
SELECT external_ids_of('inventory_items');
SELECT external_ids_of('inventory_transfers');
SELECT external_ids_of('invoices');
SELECT external_ids_of('label_templates');
SELECT external_ids_of('lease_dates');
SELECT external_ids_of('lease_documents');
SELECT external_ids_of('lease_payments');
SELECT external_ids_of('leases');
SELECT external_ids_of('move_requests');
SELECT external_ids_of('note_categories');
SELECT external_ids_of('notes');
SELECT external_ids_of('paint_locations');
SELECT external_ids_of('paints');
SELECT external_ids_of('purchase_orders');
SELECT external_ids_of('receiving_records');
SELECT external_ids_of('reminders');
SELECT external_ids_of('requisitions');
SELECT external_ids_of('scan_events');
SELECT external_ids_of('service_requests');
SELECT external_ids_of('shipments');
SELECT external_ids_of('stock_adjustments');
SELECT external_ids_of('time_clock_locations');
SELECT external_ids_of('time_clock_records');
SELECT external_ids_of('time_logs');
SELECT external_ids_of('training_completions');
SELECT external_ids_of('training_programs');
SELECT external_ids_of('training_questions');
SELECT external_ids_of('vendors');
SELECT external_ids_of('workspace_records');
