-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "import_id" UUID;

-- Of all rows of an import a person is notified once.
CREATE UNIQUE INDEX "notifications_import_id_key" ON "notifications" ("company_id", "user_id", "import_id")
  WHERE "import_id" IS NOT NULL;
