-- Tracking numbers match without regard to spaces, hyphens and case. The collation limits upper() to ASCII letters, so
-- that every database computes the same; `trackingKey` in src/schema/mailroom/tracking-key.ts agrees with it.
ALTER TABLE expected_packages ADD COLUMN tracking_key TEXT GENERATED ALWAYS AS
  (upper(regexp_replace(tracking_number, '[ \t\n\r\f\v\u00a0-]+', '', 'g') COLLATE "C")) STORED;
ALTER TABLE scan_events ADD COLUMN tracking_key TEXT GENERATED ALWAYS AS
  (upper(regexp_replace(tracking_number, '[ \t\n\r\f\v\u00a0-]+', '', 'g') COLLATE "C")) STORED;
ALTER TABLE shipments ADD COLUMN tracking_key TEXT GENERATED ALWAYS AS
  (upper(regexp_replace(tracking_number, '[ \t\n\r\f\v\u00a0-]+', '', 'g') COLLATE "C")) STORED;

CREATE INDEX expected_packages_company_id_tracking_key_idx ON expected_packages (company_id, tracking_key);
CREATE INDEX scan_events_company_id_tracking_key_idx ON scan_events (company_id, tracking_key);
CREATE INDEX shipments_company_id_tracking_key_idx ON shipments (company_id, tracking_key);
DROP INDEX expected_packages_company_id_tracking_number_idx;
DROP INDEX shipments_company_id_tracking_number_idx;
