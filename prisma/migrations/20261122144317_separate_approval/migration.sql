-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "separate_approval" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "invoices" ADD COLUMN     "created_by" UUID;

-- AlterTable
ALTER TABLE "purchase_orders" ADD COLUMN     "created_by" UUID;

-- AlterTable
ALTER TABLE "requisitions" ADD COLUMN     "created_by" UUID;

-- CreateIndex
CREATE INDEX "invoices_company_id_created_by_idx" ON "invoices"("company_id", "created_by");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_created_by_idx" ON "purchase_orders"("company_id", "created_by");

-- CreateIndex
CREATE INDEX "requisitions_company_id_created_by_idx" ON "requisitions"("company_id", "created_by");

-- AddForeignKey
ALTER TABLE "requisitions" ADD CONSTRAINT "requisitions_company_id_created_by_fkey" FOREIGN KEY ("company_id", "created_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_orders" ADD CONSTRAINT "purchase_orders_company_id_created_by_fkey" FOREIGN KEY ("company_id", "created_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_company_id_created_by_fkey" FOREIGN KEY ("company_id", "created_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
