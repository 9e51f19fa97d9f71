-- CreateTable
CREATE TABLE "webhook_earlier_secrets" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "signs_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_earlier_secrets_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "webhook_earlier_secrets_company_id_webhook_id_idx" ON "webhook_earlier_secrets"("company_id", "webhook_id");

-- AddForeignKey
ALTER TABLE "webhook_earlier_secrets" ADD CONSTRAINT "webhook_earlier_secrets_company_id_webhook_id_fkey" FOREIGN KEY ("company_id", "webhook_id") REFERENCES "webhooks"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Like webhooks, the table has secrets and is not in the log of changes.
