-- CreateTable
CREATE TABLE "ai_usage_events" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "feature" VARCHAR(200) NOT NULL,
    "model" VARCHAR(200),
    "user_id" UUID NOT NULL,
    "input_tokens" INTEGER NOT NULL DEFAULT 0,
    "output_tokens" INTEGER NOT NULL DEFAULT 0,
    "cost_usd" DECIMAL(20,10) NOT NULL DEFAULT 0,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ai_usage_events_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "ai_usage_months" (
    "company_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "feature" VARCHAR(200) NOT NULL,
    "requests" INTEGER NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_usd" DECIMAL(30,10) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ai_usage_months_pkey" PRIMARY KEY ("company_id","month","feature")
);

-- CreateIndex
CREATE INDEX "ai_usage_events_company_id_occurred_at_idx" ON "ai_usage_events"("company_id", "occurred_at");

-- CreateIndex
CREATE INDEX "ai_usage_events_company_id_user_id_idx" ON "ai_usage_events"("company_id", "user_id");

-- AddForeignKey
ALTER TABLE "ai_usage_events" ADD CONSTRAINT "ai_usage_events_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ai_usage_events" ADD CONSTRAINT "ai_usage_events_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ai_usage_months" ADD CONSTRAINT "ai_usage_months_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;
