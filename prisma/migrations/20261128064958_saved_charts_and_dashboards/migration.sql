-- AlterTable
ALTER TABLE "saved_queries" ADD COLUMN     "charts" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "dashboards" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID,
    "name" VARCHAR(200) NOT NULL,
    "is_shared" BOOLEAN NOT NULL DEFAULT false,
    "tiles" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dashboards_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "dashboards_company_id_user_id_idx" ON "dashboards"("company_id", "user_id");

-- AddForeignKey
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Changes
SELECT log_changes_of('dashboards');

-- The company's dashboards are everyone's
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_of_company_are_shared" CHECK ("user_id" IS NOT NULL OR "is_shared");
