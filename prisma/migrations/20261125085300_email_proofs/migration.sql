-- AlterTable
ALTER TABLE "invitations" ADD COLUMN "mailed_token_hash" BYTEA;

-- AlterTable
ALTER TABLE "people" ADD COLUMN "email_verified_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "is_email_verified" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "password_resets" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "handed_over_by" UUID,
    "token_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "password_resets_token_hash_key" ON "password_resets"("token_hash");

-- CreateIndex
CREATE INDEX "password_resets_person_id_idx" ON "password_resets"("person_id");

-- CreateIndex
CREATE INDEX "password_resets_handed_over_by_idx" ON "password_resets"("handed_over_by");

-- CreateIndex
CREATE INDEX "password_resets_expires_at_idx" ON "password_resets"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_mailed_token_hash_key" ON "invitations"("mailed_token_hash");

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_handed_over_by_fkey" FOREIGN KEY ("handed_over_by") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whoever signs in with OpenID alone has proved their address: the provider had verified it. An account with a password
-- has not, as others may know it.
UPDATE "people" SET "email_verified_at" = "link"."since"
FROM (SELECT "person_id", min("created_at") AS "since" FROM "accounts" WHERE "provider_id" = 'oidc' GROUP BY "person_id") AS "link"
WHERE "link"."person_id" = "people"."id"
  AND NOT EXISTS (SELECT FROM "accounts" WHERE "person_id" = "people"."id" AND "password" IS NOT NULL);
