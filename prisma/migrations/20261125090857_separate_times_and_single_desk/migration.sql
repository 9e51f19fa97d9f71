-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "separate_times" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "single_desk" BOOLEAN NOT NULL DEFAULT false;
