-- DropIndex
DROP INDEX "service_requests_company_id_status_created_at_id_idx";

-- CreateIndex
CREATE INDEX "service_requests_company_id_status_created_at_id_priority_idx" ON "service_requests"("company_id", "status", "created_at", "id", "priority");

-- CreateIndex
CREATE INDEX "service_requests_company_id_category_created_at_id_idx" ON "service_requests"("company_id", "category", "created_at", "id");
