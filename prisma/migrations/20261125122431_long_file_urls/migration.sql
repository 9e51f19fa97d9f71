-- Signed links to files are longer than other short text.
-- Older instances: they read the longer texts, and write shorter ones.
ALTER TABLE "asset_documents" ALTER COLUMN "file_url" SET DATA TYPE VARCHAR(2000);
-- Older instances: as above.
ALTER TABLE "documents" ALTER COLUMN "file_url" SET DATA TYPE VARCHAR(2000);
-- Older instances: as above.
ALTER TABLE "hr_documents" ALTER COLUMN "file_url" SET DATA TYPE VARCHAR(2000);
-- Older instances: as above.
ALTER TABLE "lease_documents" ALTER COLUMN "file_url" SET DATA TYPE VARCHAR(2000);
