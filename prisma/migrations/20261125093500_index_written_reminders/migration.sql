-- Reminders that were written since the clock looked at them last.
CREATE INDEX "reminders_written_idx" ON "reminders" ("updated_at") WHERE status = 'pending';
