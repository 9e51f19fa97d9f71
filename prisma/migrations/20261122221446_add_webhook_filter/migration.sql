-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "filter" TEXT;
