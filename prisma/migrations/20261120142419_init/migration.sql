-- CreateEnum
CREATE TYPE "activity_action" AS ENUM ('created', 'status_changed', 'priority_changed', 'assigned', 'updated', 'commented', 'watcher_added', 'watcher_removed', 'time_logged');

-- CreateEnum
CREATE TYPE "request_status" AS ENUM ('pending', 'in-progress', 'completed');

-- CreateEnum
CREATE TYPE "request_priority" AS ENUM ('low', 'normal', 'high', 'urgent');

-- CreateEnum
CREATE TYPE "user_role" AS ENUM ('admin', 'executive', 'member');

-- CreateTable
CREATE TABLE "api_tokens" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "rate_limit" INTEGER,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "companies" (
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "slug" VARCHAR(100) NOT NULL,
    "sandbox_of_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "companies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "buildings" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "code" VARCHAR(500),
    "address" VARCHAR(500),
    "floors" INTEGER,
    "square_feet" DECIMAL(14,2),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "buildings_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "areas" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "building_id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "floor" VARCHAR(500),
    "kind" VARCHAR(500),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "areas_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "paints" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(200) NOT NULL,
    "color_code" VARCHAR(500),
    "brand" VARCHAR(500),
    "finish" VARCHAR(500),
    "gallons_available" DECIMAL(12,3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "paints_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "paint_locations" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "paint_id" UUID NOT NULL,
    "building_id" UUID,
    "floor" VARCHAR(500),
    "room" VARCHAR(500),
    "surface_type" VARCHAR(500),
    "notes" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "paint_locations_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "comments" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "service_request_id" UUID,
    "move_request_id" UUID,
    "comment" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "comments_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "watchers" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "service_request_id" UUID,
    "move_request_id" UUID,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watchers_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "time_logs" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "service_request_id" UUID,
    "move_request_id" UUID,
    "hours" DECIMAL(6,4) NOT NULL,
    "description" TEXT,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "time_logs_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "activity_entries" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "service_request_id" UUID,
    "move_request_id" UUID,
    "action" "activity_action" NOT NULL,
    "from_value" TEXT,
    "to_value" TEXT,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "activity_entries_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "service_requests" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "status" "request_status" NOT NULL DEFAULT 'pending',
    "priority" "request_priority" NOT NULL DEFAULT 'normal',
    "category" VARCHAR(500),
    "assigned_to" UUID,
    "created_by" UUID NOT NULL,
    "building_id" UUID,
    "floor" VARCHAR(500),
    "room" VARCHAR(500),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_requests_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "move_requests" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "description" TEXT,
    "status" "request_status" NOT NULL DEFAULT 'pending',
    "priority" "request_priority" NOT NULL DEFAULT 'normal',
    "scheduled_date" DATE,
    "from_location" VARCHAR(500),
    "to_location" VARCHAR(500),
    "assigned_to" UUID,
    "created_by" UUID NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "move_requests_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "users" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "full_name" VARCHAR(200) NOT NULL,
    "email" VARCHAR(500) NOT NULL,
    "avatar_url" VARCHAR(500),
    "role" "user_role" NOT NULL DEFAULT 'member',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- CreateIndex
CREATE INDEX "api_tokens_company_id_user_id_idx" ON "api_tokens"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "rate_limits_expire_idx" ON "rate_limits"("expire");

-- CreateIndex
CREATE UNIQUE INDEX "companies_slug_key" ON "companies"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "companies_sandbox_of_id_key" ON "companies"("sandbox_of_id");

-- CreateIndex
CREATE INDEX "buildings_company_id_created_at_id_idx" ON "buildings"("company_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "buildings_company_id_code_key" ON "buildings"("company_id", "code");

-- CreateIndex
CREATE INDEX "areas_company_id_created_at_id_idx" ON "areas"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "areas_company_id_building_id_idx" ON "areas"("company_id", "building_id");

-- CreateIndex
CREATE INDEX "paints_company_id_created_at_id_idx" ON "paints"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "paint_locations_company_id_paint_id_created_at_id_idx" ON "paint_locations"("company_id", "paint_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "paint_locations_company_id_building_id_idx" ON "paint_locations"("company_id", "building_id");

-- CreateIndex
CREATE INDEX "comments_company_id_service_request_id_created_at_id_idx" ON "comments"("company_id", "service_request_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "comments_company_id_move_request_id_created_at_id_idx" ON "comments"("company_id", "move_request_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "comments_company_id_user_id_idx" ON "comments"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "watchers_company_id_user_id_idx" ON "watchers"("company_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "watchers_company_id_service_request_id_user_id_key" ON "watchers"("company_id", "service_request_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "watchers_company_id_move_request_id_user_id_key" ON "watchers"("company_id", "move_request_id", "user_id");

-- CreateIndex
CREATE INDEX "time_logs_company_id_service_request_id_created_at_id_idx" ON "time_logs"("company_id", "service_request_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "time_logs_company_id_move_request_id_created_at_id_idx" ON "time_logs"("company_id", "move_request_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "time_logs_company_id_user_id_idx" ON "time_logs"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "activity_entries_company_id_service_request_id_created_at_i_idx" ON "activity_entries"("company_id", "service_request_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "activity_entries_company_id_move_request_id_created_at_id_idx" ON "activity_entries"("company_id", "move_request_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "activity_entries_company_id_user_id_idx" ON "activity_entries"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_created_at_id_idx" ON "service_requests"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_status_created_at_id_idx" ON "service_requests"("company_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_assigned_to_created_at_id_idx" ON "service_requests"("company_id", "assigned_to", "created_at", "id");

-- CreateIndex
CREATE INDEX "service_requests_company_id_created_by_idx" ON "service_requests"("company_id", "created_by");

-- CreateIndex
CREATE INDEX "service_requests_company_id_building_id_idx" ON "service_requests"("company_id", "building_id");

-- CreateIndex
CREATE INDEX "move_requests_company_id_created_at_id_idx" ON "move_requests"("company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "move_requests_company_id_status_created_at_id_idx" ON "move_requests"("company_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "move_requests_company_id_assigned_to_created_at_id_idx" ON "move_requests"("company_id", "assigned_to", "created_at", "id");

-- CreateIndex
CREATE INDEX "move_requests_company_id_created_by_idx" ON "move_requests"("company_id", "created_by");

-- CreateIndex
CREATE INDEX "users_company_id_created_at_id_idx" ON "users"("company_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "users_company_id_email_key" ON "users"("company_id", "email");

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "companies" ADD CONSTRAINT "companies_sandbox_of_id_fkey" FOREIGN KEY ("sandbox_of_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "buildings" ADD CONSTRAINT "buildings_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "areas" ADD CONSTRAINT "areas_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "areas" ADD CONSTRAINT "areas_company_id_building_id_fkey" FOREIGN KEY ("company_id", "building_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "paints" ADD CONSTRAINT "paints_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "paint_locations" ADD CONSTRAINT "paint_locations_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "paint_locations" ADD CONSTRAINT "paint_locations_company_id_paint_id_fkey" FOREIGN KEY ("company_id", "paint_id") REFERENCES "paints"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "paint_locations" ADD CONSTRAINT "paint_locations_company_id_building_id_fkey" FOREIGN KEY ("company_id", "building_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_company_id_service_request_id_fkey" FOREIGN KEY ("company_id", "service_request_id") REFERENCES "service_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_company_id_move_request_id_fkey" FOREIGN KEY ("company_id", "move_request_id") REFERENCES "move_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watchers" ADD CONSTRAINT "watchers_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watchers" ADD CONSTRAINT "watchers_company_id_service_request_id_fkey" FOREIGN KEY ("company_id", "service_request_id") REFERENCES "service_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watchers" ADD CONSTRAINT "watchers_company_id_move_request_id_fkey" FOREIGN KEY ("company_id", "move_request_id") REFERENCES "move_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watchers" ADD CONSTRAINT "watchers_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_logs" ADD CONSTRAINT "time_logs_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_logs" ADD CONSTRAINT "time_logs_company_id_service_request_id_fkey" FOREIGN KEY ("company_id", "service_request_id") REFERENCES "service_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_logs" ADD CONSTRAINT "time_logs_company_id_move_request_id_fkey" FOREIGN KEY ("company_id", "move_request_id") REFERENCES "move_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_logs" ADD CONSTRAINT "time_logs_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activity_entries" ADD CONSTRAINT "activity_entries_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activity_entries" ADD CONSTRAINT "activity_entries_company_id_service_request_id_fkey" FOREIGN KEY ("company_id", "service_request_id") REFERENCES "service_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activity_entries" ADD CONSTRAINT "activity_entries_company_id_move_request_id_fkey" FOREIGN KEY ("company_id", "move_request_id") REFERENCES "move_requests"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activity_entries" ADD CONSTRAINT "activity_entries_company_id_user_id_fkey" FOREIGN KEY ("company_id", "user_id") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_requests" ADD CONSTRAINT "service_requests_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_requests" ADD CONSTRAINT "service_requests_company_id_assigned_to_fkey" FOREIGN KEY ("company_id", "assigned_to") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_requests" ADD CONSTRAINT "service_requests_company_id_created_by_fkey" FOREIGN KEY ("company_id", "created_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_requests" ADD CONSTRAINT "service_requests_company_id_building_id_fkey" FOREIGN KEY ("company_id", "building_id") REFERENCES "buildings"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "move_requests" ADD CONSTRAINT "move_requests_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "move_requests" ADD CONSTRAINT "move_requests_company_id_assigned_to_fkey" FOREIGN KEY ("company_id", "assigned_to") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "move_requests" ADD CONSTRAINT "move_requests_company_id_created_by_fkey" FOREIGN KEY ("company_id", "created_by") REFERENCES "users"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say: what gathers around a request belongs to exactly one request.
ALTER TABLE "comments" ADD CONSTRAINT "comments_one_request" CHECK (num_nonnulls("service_request_id", "move_request_id") = 1);
ALTER TABLE "watchers" ADD CONSTRAINT "watchers_one_request" CHECK (num_nonnulls("service_request_id", "move_request_id") = 1);
ALTER TABLE "time_logs" ADD CONSTRAINT "time_logs_one_request" CHECK (num_nonnulls("service_request_id", "move_request_id") = 1);
ALTER TABLE "activity_entries" ADD CONSTRAINT "activity_entries_one_request" CHECK (num_nonnulls("service_request_id", "move_request_id") = 1);
