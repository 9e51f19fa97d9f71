-- AlterTable
ALTER TABLE "asset_maintenance" ADD COLUMN     "status_kept" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "status_kept" BOOLEAN NOT NULL DEFAULT false;

-- Rows that ended before their day, as far as it is known since when they have their status. That is no change of the
-- rows that anybody should hear of.
ALTER TABLE "asset_maintenance" DISABLE TRIGGER "log_updates";
ALTER TABLE "leases" DISABLE TRIGGER "log_updates";

UPDATE "asset_maintenance" AS stored SET "status_kept" = true
FROM "companies" AS company
WHERE company.id = stored.company_id AND stored.status = 'overdue' AND coalesce(NOT stored.scheduled_date < day_in(company.time_zone, coalesce((
  SELECT entered_at FROM "status_periods" AS period
  WHERE period.company_id = stored.company_id AND table_name = 'asset_maintenance' AND row_id = stored.id AND left_at IS NULL
  LIMIT 1), now())), true);

UPDATE "leases" AS stored SET "status_kept" = true
FROM "companies" AS company
WHERE company.id = stored.company_id AND stored.status = 'expired' AND coalesce(NOT stored.end_date < day_in(company.time_zone, coalesce((
  SELECT entered_at FROM "status_periods" AS period
  WHERE period.company_id = stored.company_id AND table_name = 'leases' AND row_id = stored.id AND left_at IS NULL
  LIMIT 1), now())), true);

ALTER TABLE "asset_maintenance" ENABLE TRIGGER "log_updates";
ALTER TABLE "leases" ENABLE TRIGGER "log_updates";
