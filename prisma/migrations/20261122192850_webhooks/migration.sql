-- CreateTable
CREATE TABLE "webhooks" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "url" VARCHAR(2000) NOT NULL,
    "resources" TEXT[],
    "actions" TEXT[],
    "selection" TEXT,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "position" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "failing_since" TIMESTAMPTZ(3),
    "switched_off_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event" VARCHAR(200) NOT NULL,
    "row_id" UUID,
    "xid" BIGINT NOT NULL DEFAULT 0,
    "seq" BIGINT NOT NULL DEFAULT 0,
    "status" VARCHAR(20) NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leased_until" TIMESTAMPTZ(3),
    "request" TEXT,
    "attempted_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "answer_status" INTEGER,
    "answer" TEXT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "webhooks_company_id_user_id_idx" ON "webhooks"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_company_id_webhook_id_id_idx" ON "webhook_deliveries"("company_id", "webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_company_id_webhook_id_fkey" FOREIGN KEY ("company_id", "webhook_id") REFERENCES "webhooks"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is to be sent, and whether something of the same row comes first.
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" ("webhook_id", "row_id", "seq") WHERE status = 'pending';
