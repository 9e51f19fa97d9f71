-- A person is notified of a change once, however often it is read. The first of doubles stays. What is about no change
-- has the number 0.
DELETE FROM notifications AS later USING notifications AS earlier
WHERE earlier.company_id = later.company_id AND earlier.user_id = later.user_id
  AND earlier.xid = later.xid AND earlier.seq = later.seq AND earlier.id < later.id AND later.xid > 0;

-- Older instances: write the notifications of a change and their position together, so that they write none twice.
CREATE UNIQUE INDEX "notifications_change_idx" ON "notifications" ("company_id", "user_id", "xid", "seq") WHERE "xid" > 0;
