-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "last_four" VARCHAR(4);

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "deactivated_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "invitations" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" VARCHAR(500) NOT NULL,
    "full_name" VARCHAR(200) NOT NULL,
    "role" "user_role" NOT NULL DEFAULT 'member',
    "token_hash" BYTEA NOT NULL,
    "invited_by" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "security_events" (
    "id" UUID NOT NULL,
    "company_id" UUID,
    "action" VARCHAR(50) NOT NULL,
    "actor_id" UUID,
    "person_id" UUID,
    "details" JSON NOT NULL DEFAULT '{}',
    "ip_address" VARCHAR(100),
    "user_agent" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "security_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_company_id_invited_by_idx" ON "invitations"("company_id", "invited_by");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_company_id_email_key" ON "invitations"("company_id", "email");

-- CreateIndex
CREATE INDEX "security_events_company_id_id_idx" ON "security_events"("company_id", "id");

-- CreateIndex
CREATE INDEX "security_events_person_id_id_idx" ON "security_events"("person_id", "id");

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_company_id_invited_by_fkey" FOREIGN KEY ("company_id", "invited_by") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "security_events" ADD CONSTRAINT "security_events_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Events are only added. They go with their company; erasing a person may change what they say.
CREATE FUNCTION keep_security_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.company_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM companies WHERE id = OLD.company_id) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('premises.erasing', true) = 'on' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'security events are only added';
END $$;

CREATE TRIGGER security_events_append_only BEFORE UPDATE OR DELETE ON security_events
  FOR EACH ROW EXECUTE FUNCTION keep_security_event();
