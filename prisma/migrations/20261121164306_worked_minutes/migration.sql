-- AlterTable
ALTER TABLE "time_clock_records" ADD COLUMN     "rounded_to" INTEGER NOT NULL DEFAULT -1,
ADD COLUMN     "worked_minutes" DECIMAL(12,0);

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_rounded_to_idx" ON "time_clock_records"("company_id", "rounded_to");
