-- A change is one message of a webhook, however often it is read. Tests are about no change.
-- Older instances: read each change once, and read on later what a newer one has written before its turn.
CREATE UNIQUE INDEX "webhook_deliveries_change_idx" ON "webhook_deliveries" ("webhook_id", "xid", "seq") WHERE "row_id" IS NOT NULL;
