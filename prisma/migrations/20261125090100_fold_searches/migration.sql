-- Searches ignore the case of all letters, whatever the server's locale, and find "STRASSE" as "straße". Their indexes
-- need the extension pg_trgm: without it there are none, and once it is there, running this file again creates them.

-- The text without case. All of it is upper case but sigma, whose lower case depends on its place: the extension
-- converts texts to lower case by itself. ASCII takes less time; Unicode's upper case of other letters can have other
-- characters than the same text in upper case has.
CREATE OR REPLACE FUNCTION fold_case(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(value) = char_length(value) THEN upper(value COLLATE "C") COLLATE "C"
  ELSE replace(replace(replace(replace(replace(upper(value COLLATE "und-x-icu"),
    U&'\1E9E', 'SS'), U&'\03A3', U&'\03C3'), U&'I\0307', U&'\0130'),
    U&'\0399\0308', U&'\03AA'), U&'\03A5\0308', U&'\03AB') COLLATE "C" END;

-- Creates the index for searches of columns of a table, in place of an earlier one.
CREATE OR REPLACE FUNCTION index_search_of(searched regclass, VARIADIC columns text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  index_name text := (SELECT relname FROM pg_class WHERE oid = searched) || '_search_idx';
  keys text := (SELECT string_agg(format('fold_case(%I) gin_trgm_ops', name), ', ') FROM unnest(columns) AS name);
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    EXECUTE format('DROP INDEX IF EXISTS %I', index_name);
    EXECUTE format('CREATE INDEX %I ON %s USING GIN (%s)', index_name, searched, keys);
  END IF;
END
$$;

SELECT index_search_of('areas', 'name', 'floor', 'kind');
SELECT index_search_of('assets', 'asset_name', 'description', 'serial_number', 'model');
SELECT index_search_of('buildings', 'name', 'address', 'code');
SELECT index_search_of('checklists', 'name', 'description');
SELECT index_search_of('companies', 'name', 'slug');
SELECT index_search_of('desks', 'name', 'floor');
SELECT index_search_of('documents', 'title', 'description', 'file_name');
SELECT index_search_of('expected_packages', 'guest_name', 'guest_email', 'description', 'vendor_name', 'tracking_key', 'notes');
SELECT index_search_of('hr_acknowledgments', 'ip_address');
SELECT index_search_of('hr_documents', 'title', 'description');
SELECT index_search_of('inventory_items', 'name', 'description', 'sku');
SELECT index_search_of('inventory_transfers', 'reason');
SELECT index_search_of('invoices', 'invoice_number', 'notes');
SELECT index_search_of('label_templates', 'name');
SELECT index_search_of('leases', 'name', 'description', 'lessor', 'lessee');
SELECT index_search_of('move_requests', 'title', 'description');
SELECT index_search_of('note_categories', 'name', 'color');
SELECT index_search_of('notes', 'title', 'content');
SELECT index_search_of('paints', 'name', 'color_code', 'brand');
SELECT index_search_of('purchase_orders', 'number', 'notes');
SELECT index_search_of('receiving_records', 'notes');
SELECT index_search_of('reminders', 'title', 'description');
SELECT index_search_of('requisitions', 'title', 'description');
SELECT index_search_of('scan_events', 'barcode', 'tracking_key', 'detected_carrier');
SELECT index_search_of('service_requests', 'title', 'description');
SELECT index_search_of('shipments', 'description', 'tracking_key', 'sender', 'recipient');
SELECT index_search_of('time_clock_locations', 'name', 'address');
SELECT index_search_of('time_clock_records', 'notes');
SELECT index_search_of('training_programs', 'title', 'description');
SELECT index_search_of('users', 'full_name', 'email');
SELECT index_search_of('vendors', 'company_name', 'contact_name', 'email');
SELECT index_search_of('workspace_records', 'department', 'notes');

-- The indexes of earlier searches, last, as this locks their tables also for reading.
DROP INDEX IF EXISTS
  "areas_name_floor_kind_idx",
  "assets_asset_name_description_serial_number_model_idx",
  "buildings_name_address_code_idx",
  "checklists_name_description_idx",
  "companies_name_slug_idx",
  "desks_name_floor_idx",
  "documents_title_description_file_name_idx",
  "expected_packages_guest_name_guest_email_description_vendor_idx",
  "hr_acknowledgments_ip_address_idx",
  "hr_documents_title_description_idx",
  "inventory_items_name_description_sku_idx",
  "inventory_transfers_reason_idx",
  "invoices_invoice_number_notes_idx",
  "label_templates_name_idx",
  "leases_name_description_lessor_lessee_idx",
  "move_requests_title_description_idx",
  "note_categories_name_color_idx",
  "notes_title_content_idx",
  "paints_name_color_code_brand_idx",
  "purchase_orders_number_notes_idx",
  "receiving_records_notes_idx",
  "reminders_title_description_idx",
  "requisitions_title_description_idx",
  "scan_events_barcode_tracking_key_detected_carrier_idx",
  "service_requests_title_description_idx",
  "shipments_description_tracking_key_sender_recipient_idx",
  "time_clock_locations_name_address_idx",
  "time_clock_records_notes_idx",
  "training_programs_title_description_idx",
  "users_full_name_email_idx",
  "vendors_company_name_contact_name_email_idx",
  "workspace_records_department_notes_idx";
