-- Older instances: they find companies with due email and take it on notifications_company_due_idx, which has the same rows.
DROP INDEX "notifications_due_idx";

-- How many messages wait, and the oldest of them.
CREATE INDEX "notifications_waiting_idx" ON "notifications" ("created_at") WHERE mail_status = 'pending';
CREATE INDEX "guest_mails_waiting_idx" ON "guest_mails" ("created_at") WHERE status = 'pending';
CREATE INDEX "webhook_deliveries_waiting_idx" ON "webhook_deliveries" ("created_at") WHERE status = 'pending';
