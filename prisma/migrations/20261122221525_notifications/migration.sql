-- CreateTable
CREATE TABLE "notifications" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" VARCHAR(20) NOT NULL,
    "table_name" VARCHAR(50) NOT NULL,
    "row_id" UUID NOT NULL,
    "xid" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,
    "read_at" TIMESTAMPTZ(3),
    "mail_status" VARCHAR(10) NOT NULL DEFAULT 'none',
    "mail_group" VARCHAR(40) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "notification_preferences" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" VARCHAR(20) NOT NULL,
    "delivery" VARCHAR(10) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "notification_positions" (
    "company_id" UUID NOT NULL,
    "position" TEXT,

    CONSTRAINT "notification_positions_pkey" PRIMARY KEY ("company_id")
);

-- CreateIndex
CREATE INDEX "notifications_company_id_user_id_id_idx" ON "notifications"("company_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "notifications_created_at_idx" ON "notifications"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "notification_preferences_company_id_user_id_kind_key" ON "notification_preferences"("company_id", "user_id", "kind");

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_positions" ADD CONSTRAINT "notification_positions_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Changes
SELECT log_changes_of('notification_preferences');

-- What is to be sent, in the order in which it is due, and whether something of the same message comes first.
CREATE INDEX "notifications_due_idx" ON "notifications" ("next_at") WHERE mail_status = 'pending';
CREATE INDEX "notifications_pending_idx" ON "notifications" ("company_id", "user_id", "mail_group", "id") WHERE mail_status = 'pending';

-- What happened before there were notifications is not news.
INSERT INTO notification_positions (company_id, position) SELECT id, '' FROM companies;
