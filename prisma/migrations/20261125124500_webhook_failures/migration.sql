-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN "failed_delivery_id" UUID;
