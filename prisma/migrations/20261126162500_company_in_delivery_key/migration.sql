-- Each change becomes one message of a webhook. Like every key of a company's rows, it contains the company.
-- Older instances: it allows what the index that it replaces does, as a webhook belongs to one company.
CREATE UNIQUE INDEX "webhook_deliveries_company_change_idx" ON "webhook_deliveries" ("company_id", "webhook_id", "xid", "seq")
  WHERE "row_id" IS NOT NULL;
DROP INDEX "webhook_deliveries_change_idx";
