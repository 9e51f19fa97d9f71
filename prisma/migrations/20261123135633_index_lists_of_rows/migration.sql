-- DropIndex
DROP INDEX "areas_company_id_building_id_idx";

-- DropIndex
DROP INDEX "assets_company_id_assigned_to_idx";

-- DropIndex
DROP INDEX "assets_company_id_building_id_idx";

-- DropIndex
DROP INDEX "checklists_company_id_assigned_to_idx";

-- DropIndex
DROP INDEX "desks_company_id_building_id_idx";

-- DropIndex
DROP INDEX "hr_acknowledgments_company_id_user_id_idx";

-- DropIndex
DROP INDEX "inventory_items_company_id_location_id_idx";

-- DropIndex
DROP INDEX "inventory_transfers_company_id_from_location_id_idx";

-- DropIndex
DROP INDEX "inventory_transfers_company_id_item_id_idx";

-- DropIndex
DROP INDEX "inventory_transfers_company_id_to_location_id_idx";

-- DropIndex
DROP INDEX "invoices_company_id_created_by_idx";

-- DropIndex
DROP INDEX "invoices_company_id_purchase_order_id_idx";

-- DropIndex
DROP INDEX "move_requests_company_id_created_by_idx";

-- DropIndex
DROP INDEX "notes_company_id_category_id_idx";

-- DropIndex
DROP INDEX "notes_company_id_user_id_idx";

-- DropIndex
DROP INDEX "purchase_orders_company_id_created_by_idx";

-- DropIndex
DROP INDEX "purchase_orders_company_id_requisition_id_idx";

-- DropIndex
DROP INDEX "purchase_orders_company_id_vendor_id_idx";

-- DropIndex
DROP INDEX "receiving_records_company_id_purchase_order_id_idx";

-- DropIndex
DROP INDEX "receiving_records_company_id_received_by_idx";

-- DropIndex
DROP INDEX "requisitions_company_id_created_by_idx";

-- DropIndex
DROP INDEX "requisitions_company_id_requested_by_idx";

-- DropIndex
DROP INDEX "requisitions_company_id_vendor_id_idx";

-- DropIndex
DROP INDEX "service_requests_company_id_building_id_idx";

-- DropIndex
DROP INDEX "service_requests_company_id_created_by_idx";

-- DropIndex
DROP INDEX "time_clock_records_company_id_location_id_idx";

-- DropIndex
DROP INDEX "time_clock_records_company_id_user_id_idx";

-- DropIndex
DROP INDEX "workspace_records_company_id_desk_id_idx";

-- DropIndex
DROP INDEX "workspace_records_company_id_user_id_idx";

-- CreateIndex
CREATE INDEX "areas_company_id_building_id_created_at_id_idx" ON "areas"("company_id", "building_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "assets_company_id_building_id_created_at_id_idx" ON "assets"("company_id", "building_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "assets_company_id_assigned_to_created_at_id_idx" ON "assets"("company_id", "assigned_to", "created_at", "id");

-- CreateIndex
CREATE INDEX "checklists_company_id_assigned_to_created_at_id_idx" ON "checklists"("company_id", "assigned_to", "created_at", "id");

-- CreateIndex
CREATE INDEX "desks_company_id_building_id_created_at_id_idx" ON "desks"("company_id", "building_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hr_acknowledgments_company_id_document_id_created_at_id_idx" ON "hr_acknowledgments"("company_id", "document_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hr_acknowledgments_company_id_user_id_created_at_id_idx" ON "hr_acknowledgments"("company_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inventory_items_company_id_location_id_created_at_id_idx" ON "inventory_items"("company_id", "location_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_item_id_created_at_id_idx" ON "inventory_transfers"("company_id", "item_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_from_location_id_created_at__idx" ON "inventory_transfers"("company_id", "from_location_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_to_location_id_created_at_id_idx" ON "inventory_transfers"("company_id", "to_location_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "invoices_company_id_vendor_id_created_at_id_idx" ON "invoices"("company_id", "vendor_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "invoices_company_id_created_by_created_at_id_idx" ON "invoices"("company_id", "created_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "invoices_company_id_purchase_order_id_created_at_id_idx" ON "invoices"("company_id", "purchase_order_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "move_requests_company_id_created_by_created_at_id_idx" ON "move_requests"("company_id", "created_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "notes_company_id_category_id_created_at_id_idx" ON "notes"("company_id", "category_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "notes_company_id_user_id_created_at_id_idx" ON "notes"("company_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_created_by_created_at_id_idx" ON "purchase_orders"("company_id", "created_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_requisition_id_created_at_id_idx" ON "purchase_orders"("company_id", "requisition_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_vendor_id_created_at_id_idx" ON "purchase_orders"("company_id", "vendor_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "receiving_records_company_id_purchase_order_id_created_at_i_idx" ON "receiving_records"("company_id", "purchase_order_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "receiving_records_company_id_received_by_created_at_id_idx" ON "receiving_records"("company_id", "received_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "requisitions_company_id_created_by_created_at_id_idx" ON "requisitions"("company_id", "created_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "requisitions_company_id_requested_by_created_at_id_idx" ON "requisitions"("company_id", "requested_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "requisitions_company_id_vendor_id_created_at_id_idx" ON "requisitions"("company_id", "vendor_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_created_by_created_at_id_idx" ON "service_requests"("company_id", "created_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_building_id_created_at_id_idx" ON "service_requests"("company_id", "building_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_user_id_created_at_id_idx" ON "time_clock_records"("company_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_location_id_created_at_id_idx" ON "time_clock_records"("company_id", "location_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workspace_records_company_id_user_id_created_at_id_idx" ON "workspace_records"("company_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workspace_records_company_id_desk_id_created_at_id_idx" ON "workspace_records"("company_id", "desk_id", "created_at", "id");
