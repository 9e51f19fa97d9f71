-- Companies with changes that have become readable are found by the numbers of the transactions that wrote them.
CREATE INDEX "changes_xid_company_id_idx" ON "changes"("xid", "company_id");

-- Companies with messages that wait, however many wait.
CREATE INDEX "webhook_deliveries_company_pending_idx" ON "webhook_deliveries" ("company_id") WHERE status = 'pending';
CREATE INDEX "notifications_company_due_idx" ON "notifications" ("company_id", "next_at") WHERE mail_status = 'pending';
