-- CreateTable
CREATE TABLE "guest_mails" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "package_id" UUID NOT NULL,
    "token_hash" BYTEA,
    "status" VARCHAR(10) NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guest_mails_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "guest_mails_token_hash_key" ON "guest_mails"("token_hash");

-- CreateIndex
CREATE INDEX "guest_mails_company_id_package_id_idx" ON "guest_mails"("company_id", "package_id");

-- AddForeignKey
ALTER TABLE "guest_mails" ADD CONSTRAINT "guest_mails_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "guest_mails" ADD CONSTRAINT "guest_mails_company_id_package_id_fkey" FOREIGN KEY ("company_id", "package_id") REFERENCES "expected_packages"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is to be sent, in the order in which it is due.
CREATE INDEX "guest_mails_due_idx" ON "guest_mails" ("company_id", "next_at") WHERE status = 'pending';
