-- AlterTable
-- The default is what a key lives that older instances store.
ALTER TABLE "idempotency_keys" ADD COLUMN     "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '24:00:00'::interval);

-- Keys that are stored already live no longer than they would have.
UPDATE "idempotency_keys" SET "expires_at" = "created_at" + '24:00:00'::interval;

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- DropIndex
-- Older instances delete keys of before a day without it, by reading the table every ten minutes.
DROP INDEX "idempotency_keys_created_at_idx";
