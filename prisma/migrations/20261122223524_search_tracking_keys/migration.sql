-- Searches compare tracking numbers without regard to spaces, hyphens and case, as filters do. Without the extension
-- pg_trgm there are no indexes; once it is there, running this file again creates them.
DROP INDEX IF EXISTS "expected_packages_guest_name_guest_email_description_vendor_idx";
DROP INDEX IF EXISTS "scan_events_barcode_tracking_number_detected_carrier_idx";
DROP INDEX IF EXISTS "shipments_description_tracking_number_sender_recipient_idx";

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    RETURN;
  END IF;
  CREATE INDEX IF NOT EXISTS "expected_packages_guest_name_guest_email_description_vendor_idx" ON "expected_packages" USING GIN ("guest_name" gin_trgm_ops, "guest_email" gin_trgm_ops, "description" gin_trgm_ops, "vendor_name" gin_trgm_ops, "tracking_key" gin_trgm_ops, "notes" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "scan_events_barcode_tracking_key_detected_carrier_idx" ON "scan_events" USING GIN ("barcode" gin_trgm_ops, "tracking_key" gin_trgm_ops, "detected_carrier" gin_trgm_ops);
  CREATE INDEX IF NOT EXISTS "shipments_description_tracking_key_sender_recipient_idx" ON "shipments" USING GIN ("description" gin_trgm_ops, "tracking_key" gin_trgm_ops, "sender" gin_trgm_ops, "recipient" gin_trgm_ops);
END
$$;
