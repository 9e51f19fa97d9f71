-- Periods of statuses are listed as other rows are, with ids in the order of their beginnings.
ALTER TABLE "status_periods" ADD COLUMN "period_id" UUID NOT NULL DEFAULT uuid_of_now();
UPDATE "status_periods" SET "period_id" = (
  lpad(to_hex((extract(epoch FROM "entered_at") * 1000)::bigint), 12, '0') || '7'
    || right(replace(gen_random_uuid()::text, '-', ''), 19)
)::uuid;
CREATE UNIQUE INDEX "status_periods_company_id_period_id_key" ON "status_periods" ("company_id", "period_id");
