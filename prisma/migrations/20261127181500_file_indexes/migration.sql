-- The deletion of a file looks for the rows that refer to it. Few rows have one.
CREATE INDEX "asset_documents_file_id_idx" ON "asset_documents" ("company_id", "file_id") WHERE "file_id" IS NOT NULL;
CREATE INDEX "documents_file_id_idx" ON "documents" ("company_id", "file_id") WHERE "file_id" IS NOT NULL;
CREATE INDEX "hr_documents_file_id_idx" ON "hr_documents" ("company_id", "file_id") WHERE "file_id" IS NOT NULL;
CREATE INDEX "lease_documents_file_id_idx" ON "lease_documents" ("company_id", "file_id") WHERE "file_id" IS NOT NULL;
