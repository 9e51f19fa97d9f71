-- The messages of a webhook in the order in which they are sent, and those that are being sent, however many wait.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("webhook_id", "next_at", "id")
  WHERE status = 'pending' AND leased_until IS NULL;
CREATE INDEX "webhook_deliveries_leased_idx" ON "webhook_deliveries" ("webhook_id")
  WHERE status = 'pending' AND leased_until IS NOT NULL;
