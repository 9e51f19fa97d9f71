-- Scans of files for malware. Older instances: they add files that were not scanned.
-- CreateEnum
CREATE TYPE "file_scan_status" AS ENUM ('pending', 'clean', 'infected', 'failed');

-- AlterTable
ALTER TABLE "files" ADD COLUMN     "scan_error" VARCHAR(200),
ADD COLUMN     "scan_status" "file_scan_status";

-- CreateIndex
CREATE INDEX "files_scan_status_company_id_id_idx" ON "files"("scan_status", "company_id", "id");
