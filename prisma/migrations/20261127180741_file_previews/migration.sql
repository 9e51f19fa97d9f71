-- Previews of files. Older instances: they add files without previews.
CREATE TYPE "preview_status" AS ENUM ('pending', 'ready', 'failed');

ALTER TABLE "files" ADD COLUMN     "preview_bytes" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
ADD COLUMN     "preview_error" VARCHAR(200),
ADD COLUMN     "preview_status" "preview_status";
