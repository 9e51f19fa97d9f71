-- AlterTable
ALTER TABLE "guest_mails" ADD COLUMN     "traceparent" VARCHAR(55);

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "traceparent" VARCHAR(55);
