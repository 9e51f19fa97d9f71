-- AlterTable
ALTER TABLE "people" ADD COLUMN     "language" VARCHAR(35),
ADD COLUMN     "time_zone" VARCHAR(100);

-- CreateTable
CREATE TABLE "saved_views" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "resource" VARCHAR(100) NOT NULL,
    "search" TEXT NOT NULL,
    "is_shared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "saved_views_company_id_user_id_idx" ON "saved_views"("company_id", "user_id");

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Changes
SELECT log_changes_of('saved_views');
