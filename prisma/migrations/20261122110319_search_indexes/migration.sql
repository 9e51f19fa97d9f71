-- Indexes for the searches of lists. They need the extension pg_trgm, which a managed database may deny: then they are
-- left out, the service logs that at every start, and a search reads all rows of the company. Once the extension is
-- there, running this file again creates them.
DO $$
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'Searches get no indexes: %', SQLERRM;
    RETURN;
  END;
  CREATE INDEX IF NOT EXISTS "areas_name_floor_kind_idx" ON "areas" USING GIN ("name" gin_trgm_ops, "floor" gin_trgm_ops, "kind" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "assets_asset_name_description_serial_number_model_idx" ON "assets" USING GIN ("asset_name" gin_trgm_ops, "description" gin_trgm_ops, "serial_number" gin_trgm_ops, "model" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "buildings_name_address_code_idx" ON "buildings" USING GIN ("name" gin_trgm_ops, "address" gin_trgm_ops, "code" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "checklists_name_description_idx" ON "checklists" USING GIN ("name" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "companies_name_slug_idx" ON "companies" USING GIN ("name" gin_trgm_ops, "slug" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "desks_name_floor_idx" ON "desks" USING GIN ("name" gin_trgm_ops, "floor" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "documents_title_description_file_name_idx" ON "documents" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops, "file_name" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "expected_packages_guest_name_guest_email_description_vendor_idx" ON "expected_packages" USING GIN ("guest_name" gin_trgm_ops, "guest_email" gin_trgm_ops, "description" gin_trgm_ops, "vendor_name" gin_trgm_ops, "tracking_number" gin_trgm_ops, "notes" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "hr_acknowledgments_ip_address_idx" ON "hr_acknowledgments" USING GIN ("ip_address" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "hr_documents_title_description_idx" ON "hr_documents" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "inventory_items_name_description_sku_idx" ON "inventory_items" USING GIN ("name" gin_trgm_ops, "description" gin_trgm_ops, "sku" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "inventory_transfers_reason_idx" ON "inventory_transfers" USING GIN ("reason" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "invoices_invoice_number_notes_idx" ON "invoices" USING GIN ("invoice_number" gin_trgm_ops, "notes" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "label_templates_name_idx" ON "label_templates" USING GIN ("name" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "leases_name_description_lessor_lessee_idx" ON "leases" USING GIN ("name" gin_trgm_ops, "description" gin_trgm_ops, "lessor" gin_trgm_ops, "lessee" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "move_requests_title_description_idx" ON "move_requests" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "note_categories_name_color_idx" ON "note_categories" USING GIN ("name" gin_trgm_ops, "color" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "notes_title_content_idx" ON "notes" USING GIN ("title" gin_trgm_ops, "content" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "paints_name_color_code_brand_idx" ON "paints" USING GIN ("name" gin_trgm_ops, "color_code" gin_trgm_ops, "brand" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "purchase_orders_number_notes_idx" ON "purchase_orders" USING GIN ("number" gin_trgm_ops, "notes" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "receiving_records_notes_idx" ON "receiving_records" USING GIN ("notes" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "reminders_title_description_idx" ON "reminders" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "requisitions_title_description_idx" ON "requisitions" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "scan_events_barcode_tracking_number_detected_carrier_idx" ON "scan_events" USING GIN ("barcode" gin_trgm_ops, "tracking_number" gin_trgm_ops, "detected_carrier" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "service_requests_title_description_idx" ON "service_requests" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "shipments_description_tracking_number_sender_recipient_idx" ON "shipments" USING GIN ("description" gin_trgm_ops, "tracking_number" gin_trgm_ops, "sender" gin_trgm_ops, "recipient" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "time_clock_locations_name_address_idx" ON "time_clock_locations" USING GIN ("name" gin_trgm_ops, "address" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "time_clock_records_notes_idx" ON "time_clock_records" USING GIN ("notes" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "training_programs_title_description_idx" ON "training_programs" USING GIN ("title" gin_trgm_ops, "description" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "users_full_name_email_idx" ON "users" USING GIN ("full_name" gin_trgm_ops, "email" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "vendors_company_name_contact_name_email_idx" ON "vendors" USING GIN ("company_name" gin_trgm_ops, "contact_name" gin_trgm_ops, "email" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "workspace_records_department_notes_idx" ON "workspace_records" USING GIN ("department" gin_trgm_ops, "notes" gin_trgm_ops);
END
$$;
