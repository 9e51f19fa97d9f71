-- Older instances: while they run beside newer ones, their feed fails on what only the clock tells, of companies that have it.
-- AlterEnum
ALTER TYPE "change_action" ADD VALUE 'due';
-- Older instances: the same.
ALTER TYPE "change_action" ADD VALUE 'low_stock';

-- CreateTable
CREATE TABLE "clock_marks" (
    "company_id" UUID NOT NULL,
    "table_name" TEXT NOT NULL,
    "row_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "clock_marks_pkey" PRIMARY KEY ("company_id","table_name","row_id")
);

-- CreateTable
CREATE TABLE "duties" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "duties_pkey" PRIMARY KEY ("name")
);

-- AddForeignKey
ALTER TABLE "clock_marks" ADD CONSTRAINT "clock_marks_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the clock asks for, in all companies at once.
CREATE INDEX "reminders_due_idx" ON "reminders" ("due_date") WHERE status = 'pending';
CREATE INDEX "inventory_items_low_stock_idx" ON "inventory_items" ("company_id", "id") WHERE quantity < reorder_point;

-- What was due or low before there was a clock is not news.
INSERT INTO clock_marks (company_id, table_name, row_id, since)
SELECT company_id, 'reminders', id, due_date FROM reminders WHERE status = 'pending' AND due_date <= now();
INSERT INTO clock_marks (company_id, table_name, row_id, since)
SELECT company_id, 'inventory_items', id, 'epoch' FROM inventory_items WHERE quantity < reorder_point;
