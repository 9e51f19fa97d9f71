-- CreateEnum
CREATE TYPE "asset_condition" AS ENUM ('excellent', 'good', 'fair', 'poor');

-- CreateEnum
CREATE TYPE "asset_status" AS ENUM ('active', 'retired', 'disposed');

-- CreateEnum
CREATE TYPE "maintenance_type" AS ENUM ('preventive', 'corrective', 'inspection');

-- CreateEnum
CREATE TYPE "maintenance_status" AS ENUM ('scheduled', 'completed', 'overdue');

-- CreateEnum
CREATE TYPE "processing_status" AS ENUM ('pending', 'processing', 'processed', 'failed');

-- CreateEnum
CREATE TYPE "hr_category" AS ENUM ('policy', 'handbook', 'form');

-- CreateEnum
CREATE TYPE "hr_document_status" AS ENUM ('draft', 'active', 'archived');

-- CreateEnum
CREATE TYPE "adjustment_type" AS ENUM ('addition', 'removal', 'correction');

-- CreateEnum
CREATE TYPE "lease_type" AS ENUM ('property', 'equipment', 'vehicle');

-- CreateEnum
CREATE TYPE "lease_status" AS ENUM ('active', 'expired', 'terminated');

-- CreateEnum
CREATE TYPE "payment_status" AS ENUM ('pending', 'paid', 'cancelled');

-- CreateEnum
CREATE TYPE "requisition_status" AS ENUM ('draft', 'pending', 'approved', 'rejected');

-- CreateEnum
CREATE TYPE "purchase_order_status" AS ENUM ('draft', 'sent', 'partially_received', 'received', 'cancelled');

-- CreateEnum
CREATE TYPE "receiving_status" AS ENUM ('pending', 'complete');

-- CreateEnum
CREATE TYPE "invoice_status" AS ENUM ('pending', 'approved', 'paid', 'void');

-- CreateEnum
CREATE TYPE "transfer_status" AS ENUM ('pending', 'in-transit', 'completed', 'cancelled');

-- CreateEnum
CREATE TYPE "recurrence" AS ENUM ('none', 'daily', 'weekly', 'monthly');

-- CreateEnum
CREATE TYPE "reminder_status" AS ENUM ('pending', 'completed', 'dismissed');

-- CreateEnum
CREATE TYPE "shipment_type" AS ENUM ('inbound', 'outbound');

-- CreateEnum
CREATE TYPE "shipment_status" AS ENUM ('pending', 'shipped', 'delivered');

-- CreateEnum
CREATE TYPE "scan_status" AS ENUM ('pending', 'processed', 'failed');

-- CreateEnum
CREATE TYPE "package_status" AS ENUM ('expected', 'received', 'collected');

-- CreateEnum
CREATE TYPE "active_status" AS ENUM ('active', 'inactive');

-- CreateEnum
CREATE TYPE "time_clock_type" AS ENUM ('regular', 'overtime', 'break');

-- CreateEnum
CREATE TYPE "training_status" AS ENUM ('active', 'archived');

-- CreateTable
CREATE TABLE "assets" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "asset_name" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "serial_number" VARCHAR(500),
    "model" VARCHAR(500),
    "category_id" UUID,
    "purchase_date" DATE,
    "purchase_price" DECIMAL(16,4),
    "condition" "asset_condition",
    "building_id" UUID,
    "assigned_to" UUID,
    "status" "asset_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "assets_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "asset_maintenance" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "asset_id" UUID NOT NULL,
    "maintenance_type" "maintenance_type",
    "scheduled_date" DATE,
    "description" TEXT,
    "estimated_cost" DECIMAL(16,4),
    "status" "maintenance_status" NOT NULL DEFAULT 'scheduled',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "asset_maintenance_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "asset_warranties" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "asset_id" UUID NOT NULL,
    "warranty_type" VARCHAR(500),
    "start_date" DATE,
    "end_date" DATE,
    "provider" VARCHAR(500),
    "coverage" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "asset_warranties_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "asset_documents" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "asset_id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "file_name" VARCHAR(500),
    "file_type" VARCHAR(500),
    "file_url" VARCHAR(500),
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "asset_documents_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "asset_transfers" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "asset_id" UUID NOT NULL,
    "from_location" UUID,
    "to_location" UUID,
    "from_user" UUID,
    "to_user" UUID,
    "transfer_date" DATE NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reason" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "asset_transfers_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "checklists" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "assigned_to" UUID,
    "recurrence" VARCHAR(500),
    "status" "active_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checklists_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "checklist_tasks" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "checklist_id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "order" INTEGER NOT NULL,
    "group_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checklist_tasks_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "checklist_groups" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "checklist_id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "order" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checklist_groups_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "checklist_completions" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "checklist_id" UUID NOT NULL,
    "completion_date" DATE NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_by" UUID NOT NULL,
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checklist_completions_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "desks" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "floor" VARCHAR(500),
    "building_id" UUID,
    "is_assigned" BOOLEAN NOT NULL DEFAULT false,
    "name" VARCHAR(200),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "desks_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "workspace_records" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "desk_id" UUID,
    "department" VARCHAR(500),
    "start_date" DATE,
    "end_date" DATE,
    "notes" TEXT,
    "active_desk_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspace_records_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "documents" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "category" VARCHAR(500),
    "file_name" VARCHAR(500),
    "file_type" VARCHAR(500),
    "file_url" VARCHAR(500),
    "processing_status" "processing_status" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "documents_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "hr_documents" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "category" "hr_category",
    "document_type" VARCHAR(500),
    "description" TEXT,
    "requires_acknowledgment" BOOLEAN NOT NULL DEFAULT false,
    "file_url" VARCHAR(500),
    "status" "hr_document_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hr_documents_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "hr_acknowledgments" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "document_id" UUID,
    "user_id" UUID NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ip_address" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hr_acknowledgments_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "inventory_items" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "sku" VARCHAR(500),
    "category" VARCHAR(500),
    "quantity" INTEGER NOT NULL DEFAULT 0,
    "unit" VARCHAR(500),
    "reorder_point" INTEGER,
    "location_id" UUID,
    "unit_cost" DECIMAL(16,4),
    "status" "active_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inventory_items_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "stock_adjustments" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "item_id" UUID NOT NULL,
    "type" "adjustment_type" NOT NULL,
    "quantity" INTEGER NOT NULL,
    "reason" VARCHAR(500),
    "reference" VARCHAR(500),
    "quantity_before" INTEGER NOT NULL,
    "quantity_after" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "receiving_record_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stock_adjustments_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "leases" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "lease_type" "lease_type",
    "lessor" VARCHAR(500),
    "lessee" VARCHAR(500),
    "start_date" DATE,
    "end_date" DATE,
    "monthly_payment" DECIMAL(16,4),
    "description" TEXT,
    "status" "lease_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "leases_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "lease_documents" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "lease_id" UUID NOT NULL,
    "version" VARCHAR(500) NOT NULL,
    "file_url" VARCHAR(500),
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lease_documents_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "lease_dates" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "lease_id" UUID NOT NULL,
    "date" DATE NOT NULL,
    "type" VARCHAR(500),
    "description" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lease_dates_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "lease_payments" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "lease_id" UUID NOT NULL,
    "due_date" DATE NOT NULL,
    "amount" DECIMAL(16,4) NOT NULL,
    "description" TEXT,
    "status" "payment_status" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lease_payments_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "note_categories" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "color" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "note_categories_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "notes" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "content" TEXT,
    "category_id" UUID,
    "is_pinned" BOOLEAN NOT NULL DEFAULT false,
    "is_shared" BOOLEAN NOT NULL DEFAULT false,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "requisitions" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "status" "requisition_status" NOT NULL DEFAULT 'draft',
    "requested_by" UUID NOT NULL,
    "vendor_id" UUID,
    "total_amount" DECIMAL(16,4),
    "description" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "requisitions_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "requisition_lines" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "requisition_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "description" TEXT,
    "quantity" DECIMAL(14,4),
    "unit_price" DECIMAL(16,4),
    "item_id" UUID,

    CONSTRAINT "requisition_lines_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "purchase_orders" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "number" VARCHAR(500) NOT NULL,
    "requisition_id" UUID,
    "vendor_id" UUID,
    "status" "purchase_order_status" NOT NULL DEFAULT 'draft',
    "total_amount" DECIMAL(16,4),
    "order_date" DATE,
    "expected_date" DATE,
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purchase_orders_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "purchase_order_lines" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "purchase_order_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "description" TEXT,
    "quantity" DECIMAL(14,4),
    "unit_price" DECIMAL(16,4),
    "item_id" UUID,

    CONSTRAINT "purchase_order_lines_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "receiving_records" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "purchase_order_id" UUID,
    "received_by" UUID NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" "receiving_status" NOT NULL DEFAULT 'pending',
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "receiving_records_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "receiving_lines" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "receiving_record_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "item_id" UUID NOT NULL,
    "quantity" INTEGER NOT NULL,

    CONSTRAINT "receiving_lines_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "invoices" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "vendor_id" UUID,
    "purchase_order_id" UUID,
    "invoice_number" VARCHAR(500),
    "status" "invoice_status" NOT NULL DEFAULT 'pending',
    "amount" DECIMAL(16,4),
    "issued_date" DATE,
    "due_date" DATE,
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invoices_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "inventory_transfers" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "item_id" UUID,
    "quantity" INTEGER,
    "from_location_id" UUID,
    "to_location_id" UUID,
    "status" "transfer_status" NOT NULL DEFAULT 'pending',
    "reason" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inventory_transfers_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "counters" (
    "company_id" UUID NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "value" INTEGER NOT NULL,

    CONSTRAINT "counters_pkey" PRIMARY KEY ("company_id","name")
);

-- CreateTable
CREATE TABLE "reminders" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "due_date" TIMESTAMPTZ(3),
    "recurrence" "recurrence" NOT NULL DEFAULT 'none',
    "linked_entity_type" VARCHAR(500),
    "linked_entity_id" UUID,
    "status" "reminder_status" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reminders_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "shipments" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" "shipment_type",
    "description" TEXT,
    "tracking_number" VARCHAR(500),
    "carrier" VARCHAR(500),
    "sender" VARCHAR(500),
    "recipient" VARCHAR(500),
    "weight_kg" DECIMAL(14,4),
    "estimated_delivery" DATE,
    "status" "shipment_status" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "shipments_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "label_templates" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "label_size" VARCHAR(500),
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "label_templates_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "scan_events" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "scan_type" VARCHAR(500),
    "processing_status" "scan_status" NOT NULL DEFAULT 'pending',
    "tracking_number" VARCHAR(500),
    "barcode" VARCHAR(500),
    "detected_carrier" VARCHAR(500),
    "scanned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scan_events_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "expected_packages" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "guest_name" VARCHAR(500) NOT NULL,
    "guest_email" VARCHAR(500) NOT NULL,
    "description" TEXT,
    "vendor_name" VARCHAR(500),
    "tracking_number" VARCHAR(500),
    "expected_date" DATE,
    "quantity" INTEGER,
    "notes" TEXT,
    "status" "package_status" NOT NULL DEFAULT 'expected',
    "token_hash" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "expected_packages_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "time_clock_records" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "clock_in_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "clock_out_time" TIMESTAMPTZ(3),
    "type" "time_clock_type" NOT NULL DEFAULT 'regular',
    "location_id" UUID,
    "notes" TEXT,
    "open_user_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "time_clock_records_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "time_clock_settings" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "require_location" BOOLEAN NOT NULL DEFAULT false,
    "allow_overtime" BOOLEAN NOT NULL DEFAULT true,
    "rounding_minutes" INTEGER NOT NULL DEFAULT 1,
    "grace_period_minutes" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "time_clock_settings_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "time_clock_locations" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "address" VARCHAR(500),
    "latitude" DECIMAL(17,14),
    "longitude" DECIMAL(17,14),
    "radius_meters" DECIMAL(14,4),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "time_clock_locations_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "training_programs" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "training_type" VARCHAR(500),
    "duration_minutes" INTEGER,
    "passing_score" INTEGER,
    "is_mandatory" BOOLEAN NOT NULL DEFAULT false,
    "status" "training_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "training_programs_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "training_completions" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "training_program_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "score" DECIMAL(14,4),
    "passed" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "training_completions_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "training_questions" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "training_program_id" UUID NOT NULL,
    "question_text" VARCHAR(200) NOT NULL,
    "question_type" VARCHAR(500),
    "options" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "correct_answer" VARCHAR(500),
    "points" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "training_questions_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "vendors" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "company_name" VARCHAR(200) NOT NULL,
    "contact_name" VARCHAR(500),
    "email" VARCHAR(500),
    "phone" VARCHAR(500),
    "vendor_type" VARCHAR(500),
    "payment_terms" VARCHAR(500),
    "address" VARCHAR(500),
    "status" "active_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "vendors_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "assets_company_id_created_at_id_idx" ON "assets"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "assets_company_id_building_id_idx" ON "assets"("company_id", "building_id");

-- CreateIndex
CREATE INDEX "assets_company_id_assigned_to_idx" ON "assets"("company_id", "assigned_to");

-- CreateIndex
CREATE UNIQUE INDEX "assets_company_id_serial_number_key" ON "assets"("company_id", "serial_number");

-- CreateIndex
CREATE INDEX "asset_maintenance_company_id_asset_id_created_at_id_idx" ON "asset_maintenance"("company_id", "asset_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "asset_maintenance_company_id_status_scheduled_date_idx" ON "asset_maintenance"("company_id", "status", "scheduled_date");

-- CreateIndex
CREATE INDEX "asset_warranties_company_id_asset_id_created_at_id_idx" ON "asset_warranties"("company_id", "asset_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "asset_documents_company_id_asset_id_created_at_id_idx" ON "asset_documents"("company_id", "asset_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "asset_transfers_company_id_asset_id_created_at_id_idx" ON "asset_transfers"("company_id", "asset_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "asset_transfers_company_id_from_location_idx" ON "asset_transfers"("company_id", "from_location");

-- CreateIndex
CREATE INDEX "asset_transfers_company_id_to_location_idx" ON "asset_transfers"("company_id", "to_location");

-- CreateIndex
CREATE INDEX "asset_transfers_company_id_from_user_idx" ON "asset_transfers"("company_id", "from_user");

-- CreateIndex
CREATE INDEX "asset_transfers_company_id_to_user_idx" ON "asset_transfers"("company_id", "to_user");

-- CreateIndex
CREATE INDEX "checklists_company_id_created_at_id_idx" ON "checklists"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "checklists_company_id_assigned_to_idx" ON "checklists"("company_id", "assigned_to");

-- CreateIndex
CREATE INDEX "checklist_tasks_company_id_checklist_id_created_at_id_idx" ON "checklist_tasks"("company_id", "checklist_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "checklist_tasks_company_id_group_id_idx" ON "checklist_tasks"("company_id", "group_id");

-- CreateIndex
CREATE INDEX "checklist_groups_company_id_checklist_id_created_at_id_idx" ON "checklist_groups"("company_id", "checklist_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "checklist_completions_company_id_checklist_id_created_at_id_idx" ON "checklist_completions"("company_id", "checklist_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "checklist_completions_company_id_completed_by_idx" ON "checklist_completions"("company_id", "completed_by");

-- CreateIndex
CREATE UNIQUE INDEX "checklist_completions_company_id_checklist_id_completion_da_key" ON "checklist_completions"("company_id", "checklist_id", "completion_date");

-- CreateIndex
CREATE INDEX "desks_company_id_created_at_id_idx" ON "desks"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "desks_company_id_building_id_idx" ON "desks"("company_id", "building_id");

-- CreateIndex
CREATE INDEX "workspace_records_company_id_created_at_id_idx" ON "workspace_records"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workspace_records_company_id_user_id_idx" ON "workspace_records"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "workspace_records_company_id_desk_id_idx" ON "workspace_records"("company_id", "desk_id");

-- CreateIndex
CREATE UNIQUE INDEX "workspace_records_company_id_active_desk_id_key" ON "workspace_records"("company_id", "active_desk_id");

-- CreateIndex
CREATE INDEX "documents_company_id_created_at_id_idx" ON "documents"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hr_documents_company_id_created_at_id_idx" ON "hr_documents"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hr_acknowledgments_company_id_created_at_id_idx" ON "hr_acknowledgments"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hr_acknowledgments_company_id_user_id_idx" ON "hr_acknowledgments"("company_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "hr_acknowledgments_company_id_document_id_user_id_key" ON "hr_acknowledgments"("company_id", "document_id", "user_id");

-- CreateIndex
CREATE INDEX "inventory_items_company_id_created_at_id_idx" ON "inventory_items"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inventory_items_company_id_location_id_idx" ON "inventory_items"("company_id", "location_id");

-- CreateIndex
CREATE UNIQUE INDEX "inventory_items_company_id_sku_key" ON "inventory_items"("company_id", "sku");

-- CreateIndex
CREATE INDEX "stock_adjustments_company_id_item_id_created_at_id_idx" ON "stock_adjustments"("company_id", "item_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "stock_adjustments_company_id_user_id_idx" ON "stock_adjustments"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "stock_adjustments_company_id_receiving_record_id_idx" ON "stock_adjustments"("company_id", "receiving_record_id");

-- CreateIndex
CREATE INDEX "leases_company_id_created_at_id_idx" ON "leases"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "leases_company_id_status_end_date_idx" ON "leases"("company_id", "status", "end_date");

-- CreateIndex
CREATE INDEX "lease_documents_company_id_lease_id_created_at_id_idx" ON "lease_documents"("company_id", "lease_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "lease_documents_company_id_lease_id_version_key" ON "lease_documents"("company_id", "lease_id", "version");

-- CreateIndex
CREATE INDEX "lease_dates_company_id_lease_id_created_at_id_idx" ON "lease_dates"("company_id", "lease_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "lease_payments_company_id_lease_id_created_at_id_idx" ON "lease_payments"("company_id", "lease_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "lease_payments_company_id_lease_id_status_due_date_idx" ON "lease_payments"("company_id", "lease_id", "status", "due_date");

-- CreateIndex
CREATE INDEX "note_categories_company_id_created_at_id_idx" ON "note_categories"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "notes_company_id_created_at_id_idx" ON "notes"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "notes_company_id_category_id_idx" ON "notes"("company_id", "category_id");

-- CreateIndex
CREATE INDEX "notes_company_id_user_id_idx" ON "notes"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "requisitions_company_id_created_at_id_idx" ON "requisitions"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "requisitions_company_id_requested_by_idx" ON "requisitions"("company_id", "requested_by");

-- CreateIndex
CREATE INDEX "requisitions_company_id_vendor_id_idx" ON "requisitions"("company_id", "vendor_id");

-- CreateIndex
CREATE INDEX "requisition_lines_company_id_requisition_id_position_idx" ON "requisition_lines"("company_id", "requisition_id", "position");

-- CreateIndex
CREATE INDEX "requisition_lines_company_id_item_id_idx" ON "requisition_lines"("company_id", "item_id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_created_at_id_idx" ON "purchase_orders"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_requisition_id_idx" ON "purchase_orders"("company_id", "requisition_id");

-- CreateIndex
CREATE INDEX "purchase_orders_company_id_vendor_id_idx" ON "purchase_orders"("company_id", "vendor_id");

-- CreateIndex
CREATE UNIQUE INDEX "purchase_orders_company_id_number_key" ON "purchase_orders"("company_id", "number");

-- CreateIndex
CREATE INDEX "purchase_order_lines_company_id_purchase_order_id_position_idx" ON "purchase_order_lines"("company_id", "purchase_order_id", "position");

-- CreateIndex
CREATE INDEX "purchase_order_lines_company_id_item_id_idx" ON "purchase_order_lines"("company_id", "item_id");

-- CreateIndex
CREATE INDEX "receiving_records_company_id_created_at_id_idx" ON "receiving_records"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "receiving_records_company_id_purchase_order_id_idx" ON "receiving_records"("company_id", "purchase_order_id");

-- CreateIndex
CREATE INDEX "receiving_records_company_id_received_by_idx" ON "receiving_records"("company_id", "received_by");

-- CreateIndex
CREATE INDEX "receiving_lines_company_id_receiving_record_id_position_idx" ON "receiving_lines"("company_id", "receiving_record_id", "position");

-- CreateIndex
CREATE INDEX "receiving_lines_company_id_item_id_idx" ON "receiving_lines"("company_id", "item_id");

-- CreateIndex
CREATE INDEX "invoices_company_id_created_at_id_idx" ON "invoices"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "invoices_company_id_purchase_order_id_idx" ON "invoices"("company_id", "purchase_order_id");

-- CreateIndex
CREATE UNIQUE INDEX "invoices_company_id_vendor_id_invoice_number_key" ON "invoices"("company_id", "vendor_id", "invoice_number");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_created_at_id_idx" ON "inventory_transfers"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_item_id_idx" ON "inventory_transfers"("company_id", "item_id");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_from_location_id_idx" ON "inventory_transfers"("company_id", "from_location_id");

-- CreateIndex
CREATE INDEX "inventory_transfers_company_id_to_location_id_idx" ON "inventory_transfers"("company_id", "to_location_id");

-- CreateIndex
CREATE INDEX "reminders_company_id_created_at_id_idx" ON "reminders"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "reminders_company_id_status_due_date_idx" ON "reminders"("company_id", "status", "due_date");

-- CreateIndex
CREATE INDEX "shipments_company_id_created_at_id_idx" ON "shipments"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "shipments_company_id_tracking_number_idx" ON "shipments"("company_id", "tracking_number");

-- CreateIndex
CREATE INDEX "label_templates_company_id_created_at_id_idx" ON "label_templates"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "scan_events_company_id_created_at_id_idx" ON "scan_events"("company_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "expected_packages_token_hash_key" ON "expected_packages"("token_hash");

-- CreateIndex
CREATE INDEX "expected_packages_company_id_created_at_id_idx" ON "expected_packages"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "expected_packages_company_id_tracking_number_idx" ON "expected_packages"("company_id", "tracking_number");

-- CreateIndex
CREATE INDEX "expected_packages_company_id_guest_email_idx" ON "expected_packages"("company_id", "guest_email");

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_created_at_id_idx" ON "time_clock_records"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_clock_in_time_idx" ON "time_clock_records"("company_id", "clock_in_time");

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_user_id_idx" ON "time_clock_records"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "time_clock_records_company_id_location_id_idx" ON "time_clock_records"("company_id", "location_id");

-- CreateIndex
CREATE UNIQUE INDEX "time_clock_records_company_id_open_user_id_key" ON "time_clock_records"("company_id", "open_user_id");

-- CreateIndex
CREATE UNIQUE INDEX "time_clock_settings_company_id_key" ON "time_clock_settings"("company_id");

-- CreateIndex
CREATE INDEX "time_clock_locations_company_id_created_at_id_idx" ON "time_clock_locations"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_programs_company_id_created_at_id_idx" ON "training_programs"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_completions_company_id_training_program_id_created_idx" ON "training_completions"("company_id", "training_program_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_completions_company_id_user_id_idx" ON "training_completions"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "training_questions_company_id_training_program_id_created_a_idx" ON "training_questions"("company_id", "training_program_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "vendors_company_id_created_at_id_idx" ON "vendors"("company_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "assets" ADD CONSTRAINT "assets_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assets" ADD CONSTRAINT "assets_company_id_building_id_fkey" FOREIGN KEY ("company_id", "building_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assets" ADD CONSTRAINT "assets_company_id_assigned_to_fkey" FOREIGN KEY ("company_id", "assigned_to") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_maintenance" ADD CONSTRAINT "asset_maintenance_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_maintenance" ADD CONSTRAINT "asset_maintenance_company_id_asset_id_fkey" FOREIGN KEY ("company_id", "asset_id") REFERENCES "assets"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_warranties" ADD CONSTRAINT "asset_warranties_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_warranties" ADD CONSTRAINT "asset_warranties_company_id_asset_id_fkey" FOREIGN KEY ("company_id", "asset_id") REFERENCES "assets"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_documents" ADD CONSTRAINT "asset_documents_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_documents" ADD CONSTRAINT "asset_documents_company_id_asset_id_fkey" FOREIGN KEY ("company_id", "asset_id") REFERENCES "assets"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_transfers" ADD CONSTRAINT "asset_transfers_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_transfers" ADD CONSTRAINT "asset_transfers_company_id_asset_id_fkey" FOREIGN KEY ("company_id", "asset_id") REFERENCES "assets"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_transfers" ADD CONSTRAINT "asset_transfers_company_id_from_location_fkey" FOREIGN KEY ("company_id", "from_location") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_transfers" ADD CONSTRAINT "asset_transfers_company_id_to_location_fkey" FOREIGN KEY ("company_id", "to_location") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_transfers" ADD CONSTRAINT "asset_transfers_company_id_from_user_fkey" FOREIGN KEY ("company_id", "from_user") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset_transfers" ADD CONSTRAINT "asset_transfers_company_id_to_user_fkey" FOREIGN KEY ("company_id", "to_user") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklists" ADD CONSTRAINT "checklists_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklists" ADD CONSTRAINT "checklists_company_id_assigned_to_fkey" FOREIGN KEY ("company_id", "assigned_to") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_tasks" ADD CONSTRAINT "checklist_tasks_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_tasks" ADD CONSTRAINT "checklist_tasks_company_id_checklist_id_fkey" FOREIGN KEY ("company_id", "checklist_id") REFERENCES "checklists"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_tasks" ADD CONSTRAINT "checklist_tasks_company_id_group_id_fkey" FOREIGN KEY ("company_id", "group_id") REFERENCES "checklist_groups"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_groups" ADD CONSTRAINT "checklist_groups_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_groups" ADD CONSTRAINT "checklist_groups_company_id_checklist_id_fkey" FOREIGN KEY ("company_id", "checklist_id") REFERENCES "checklists"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_completions" ADD CONSTRAINT "checklist_completions_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_completions" ADD CONSTRAINT "checklist_completions_company_id_checklist_id_fkey" FOREIGN KEY ("company_id", "checklist_id") REFERENCES "checklists"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checklist_completions" ADD CONSTRAINT "checklist_completions_company_id_completed_by_fkey" FOREIGN KEY ("company_id", "completed_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "desks" ADD CONSTRAINT "desks_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "desks" ADD CONSTRAINT "desks_company_id_building_id_fkey" FOREIGN KEY ("company_id", "building_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_records" ADD CONSTRAINT "workspace_records_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_records" ADD CONSTRAINT "workspace_records_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_records" ADD CONSTRAINT "workspace_records_company_id_desk_id_fkey" FOREIGN KEY ("company_id", "desk_id") REFERENCES "desks"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hr_documents" ADD CONSTRAINT "hr_documents_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hr_acknowledgments" ADD CONSTRAINT "hr_acknowledgments_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hr_acknowledgments" ADD CONSTRAINT "hr_acknowledgments_company_id_document_id_fkey" FOREIGN KEY ("company_id", "document_id") REFERENCES "hr_documents"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hr_acknowledgments" ADD CONSTRAINT "hr_acknowledgments_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_items" ADD CONSTRAINT "inventory_items_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_items" ADD CONSTRAINT "inventory_items_company_id_location_id_fkey" FOREIGN KEY ("company_id", "location_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stock_adjustments" ADD CONSTRAINT "stock_adjustments_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stock_adjustments" ADD CONSTRAINT "stock_adjustments_company_id_item_id_fkey" FOREIGN KEY ("company_id", "item_id") REFERENCES "inventory_items"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stock_adjustments" ADD CONSTRAINT "stock_adjustments_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stock_adjustments" ADD CONSTRAINT "stock_adjustments_company_id_receiving_record_id_fkey" FOREIGN KEY ("company_id", "receiving_record_id") REFERENCES "receiving_records"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_documents" ADD CONSTRAINT "lease_documents_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_documents" ADD CONSTRAINT "lease_documents_company_id_lease_id_fkey" FOREIGN KEY ("company_id", "lease_id") REFERENCES "leases"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_dates" ADD CONSTRAINT "lease_dates_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_dates" ADD CONSTRAINT "lease_dates_company_id_lease_id_fkey" FOREIGN KEY ("company_id", "lease_id") REFERENCES "leases"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_payments" ADD CONSTRAINT "lease_payments_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_payments" ADD CONSTRAINT "lease_payments_company_id_lease_id_fkey" FOREIGN KEY ("company_id", "lease_id") REFERENCES "leases"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "note_categories" ADD CONSTRAINT "note_categories_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_company_id_category_id_fkey" FOREIGN KEY ("company_id", "category_id") REFERENCES "note_categories"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requisitions" ADD CONSTRAINT "requisitions_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requisitions" ADD CONSTRAINT "requisitions_company_id_requested_by_fkey" FOREIGN KEY ("company_id", "requested_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requisitions" ADD CONSTRAINT "requisitions_company_id_vendor_id_fkey" FOREIGN KEY ("company_id", "vendor_id") REFERENCES "vendors"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requisition_lines" ADD CONSTRAINT "requisition_lines_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requisition_lines" ADD CONSTRAINT "requisition_lines_company_id_requisition_id_fkey" FOREIGN KEY ("company_id", "requisition_id") REFERENCES "requisitions"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requisition_lines" ADD CONSTRAINT "requisition_lines_company_id_item_id_fkey" FOREIGN KEY ("company_id", "item_id") REFERENCES "inventory_items"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_orders" ADD CONSTRAINT "purchase_orders_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_orders" ADD CONSTRAINT "purchase_orders_company_id_requisition_id_fkey" FOREIGN KEY ("company_id", "requisition_id") REFERENCES "requisitions"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_orders" ADD CONSTRAINT "purchase_orders_company_id_vendor_id_fkey" FOREIGN KEY ("company_id", "vendor_id") REFERENCES "vendors"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_order_lines" ADD CONSTRAINT "purchase_order_lines_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_order_lines" ADD CONSTRAINT "purchase_order_lines_company_id_purchase_order_id_fkey" FOREIGN KEY ("company_id", "purchase_order_id") REFERENCES "purchase_orders"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_order_lines" ADD CONSTRAINT "purchase_order_lines_company_id_item_id_fkey" FOREIGN KEY ("company_id", "item_id") REFERENCES "inventory_items"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiving_records" ADD CONSTRAINT "receiving_records_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiving_records" ADD CONSTRAINT "receiving_records_company_id_purchase_order_id_fkey" FOREIGN KEY ("company_id", "purchase_order_id") REFERENCES "purchase_orders"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiving_records" ADD CONSTRAINT "receiving_records_company_id_received_by_fkey" FOREIGN KEY ("company_id", "received_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiving_lines" ADD CONSTRAINT "receiving_lines_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiving_lines" ADD CONSTRAINT "receiving_lines_company_id_receiving_record_id_fkey" FOREIGN KEY ("company_id", "receiving_record_id") REFERENCES "receiving_records"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiving_lines" ADD CONSTRAINT "receiving_lines_company_id_item_id_fkey" FOREIGN KEY ("company_id", "item_id") REFERENCES "inventory_items"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_company_id_vendor_id_fkey" FOREIGN KEY ("company_id", "vendor_id") REFERENCES "vendors"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_company_id_purchase_order_id_fkey" FOREIGN KEY ("company_id", "purchase_order_id") REFERENCES "purchase_orders"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_transfers" ADD CONSTRAINT "inventory_transfers_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_transfers" ADD CONSTRAINT "inventory_transfers_company_id_item_id_fkey" FOREIGN KEY ("company_id", "item_id") REFERENCES "inventory_items"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_transfers" ADD CONSTRAINT "inventory_transfers_company_id_from_location_id_fkey" FOREIGN KEY ("company_id", "from_location_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_transfers" ADD CONSTRAINT "inventory_transfers_company_id_to_location_id_fkey" FOREIGN KEY ("company_id", "to_location_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "counters" ADD CONSTRAINT "counters_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "shipments" ADD CONSTRAINT "shipments_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "label_templates" ADD CONSTRAINT "label_templates_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scan_events" ADD CONSTRAINT "scan_events_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "expected_packages" ADD CONSTRAINT "expected_packages_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_clock_records" ADD CONSTRAINT "time_clock_records_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_clock_records" ADD CONSTRAINT "time_clock_records_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_clock_records" ADD CONSTRAINT "time_clock_records_company_id_location_id_fkey" FOREIGN KEY ("company_id", "location_id") REFERENCES "time_clock_locations"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_clock_settings" ADD CONSTRAINT "time_clock_settings_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_clock_locations" ADD CONSTRAINT "time_clock_locations_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_programs" ADD CONSTRAINT "training_programs_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_completions" ADD CONSTRAINT "training_completions_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_completions" ADD CONSTRAINT "training_completions_company_id_training_program_id_fkey" FOREIGN KEY ("company_id", "training_program_id") REFERENCES "training_programs"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_completions" ADD CONSTRAINT "training_completions_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_questions" ADD CONSTRAINT "training_questions_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_questions" ADD CONSTRAINT "training_questions_company_id_training_program_id_fkey" FOREIGN KEY ("company_id", "training_program_id") REFERENCES "training_programs"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vendors" ADD CONSTRAINT "vendors_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The settings of the time clock are there from the start: a new company gets them when it is made, those that are there
-- already (and their sandboxes, which are companies too) get them here.
INSERT INTO "time_clock_settings" ("company_id", "id") SELECT "id", gen_random_uuid() FROM "companies";
