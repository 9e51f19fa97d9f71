-- CreateTable
CREATE TABLE "jobs" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" VARCHAR(50) NOT NULL,
    "payload" JSONB NOT NULL,
    "state" VARCHAR(10) NOT NULL DEFAULT 'pending',
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_id" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "progress" JSONB,
    "error" VARCHAR(500),
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "jobs_company_id_created_by_idx" ON "jobs"("company_id", "created_by");

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_company_id_created_by_fkey" FOREIGN KEY ("company_id", "created_by") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is to be run, of each kind in the order in which it is due; what waits by its age; what has ended by when.
CREATE INDEX "jobs_due_idx" ON "jobs" ("company_id", "kind", "next_at") WHERE state = 'pending';
CREATE INDEX "jobs_waiting_idx" ON "jobs" ("created_at") WHERE state = 'pending';
CREATE INDEX "jobs_finished_idx" ON "jobs" ("finished_at") WHERE finished_at IS NOT NULL;
