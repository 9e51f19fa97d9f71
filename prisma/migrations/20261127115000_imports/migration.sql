-- CreateEnum
CREATE TYPE "import_status" AS ENUM ('waiting', 'checking', 'checked', 'importing', 'imported', 'failed', 'cancelling', 'cancelled');

-- CreateTable
CREATE TABLE "imports" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "token_id" UUID,
    "type" VARCHAR(50) NOT NULL,
    "options" JSONB NOT NULL,
    "status" "import_status" NOT NULL DEFAULT 'waiting',
    "file_name" VARCHAR(255),
    "file_bytes" INTEGER,
    "found" JSONB,
    "done" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "refusals" JSONB NOT NULL DEFAULT '[]',
    "error" JSONB,
    "first_xid" BIGINT,
    "last_xid" BIGINT,
    "taken_back" INTEGER NOT NULL DEFAULT 0,
    "kept" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "imports_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "import_parts" (
    "company_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "kind" VARCHAR(50) NOT NULL,
    "position" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "import_parts_pkey" PRIMARY KEY ("company_id","import_id","kind","position")
);

-- CreateIndex
CREATE INDEX "imports_company_id_user_id_id_idx" ON "imports"("company_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "imports_created_at_idx" ON "imports"("created_at");

-- AddForeignKey
ALTER TABLE "imports" ADD CONSTRAINT "imports_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "imports" ADD CONSTRAINT "imports_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "import_parts" ADD CONSTRAINT "import_parts_company_id_import_id_fkey" FOREIGN KEY ("company_id", "import_id") REFERENCES "imports"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
