-- Lists sort text by "und-x-icu", which PostgreSQL's own order of the columns and the indexes for equal values do not
-- follow: these serve the lists that such an index sorted until now.

-- CreateIndex
CREATE INDEX "assets_company_id_serial_number_id_idx" ON "assets"("company_id", "serial_number" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "buildings_company_id_code_id_idx" ON "buildings"("company_id", "code" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "expected_packages_company_id_guest_email_id_idx" ON "expected_packages"("company_id", "guest_email" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "inventory_items_company_id_sku_id_idx" ON "inventory_items"("company_id", "sku" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "invoices_company_id_vendor_id_invoice_number_id_idx" ON "invoices"("company_id", "vendor_id", "invoice_number" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_number_id_idx" ON "purchase_orders"("company_id", "number" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_category_id_idx" ON "service_requests"("company_id", "category" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "users_company_id_email_id_idx" ON "users"("company_id", "email" COLLATE "und-x-icu", "id");
