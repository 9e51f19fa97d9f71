-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "fiscal_year_start_month" INTEGER NOT NULL DEFAULT 1;
