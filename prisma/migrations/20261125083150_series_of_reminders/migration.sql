-- AlterTable
ALTER TABLE "reminders" ADD COLUMN     "series_start" TIMESTAMPTZ(3);
