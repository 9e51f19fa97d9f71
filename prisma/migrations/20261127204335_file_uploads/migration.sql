-- CreateTable
CREATE TABLE "file_uploads" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "metadata" VARCHAR(2000) NOT NULL DEFAULT '',
    "length" BIGINT NOT NULL,
    "received" BIGINT NOT NULL DEFAULT 0,
    "parts_id" UUID NOT NULL,
    "parts" UUID[] DEFAULT ARRAY[]::UUID[],
    "locked_by" UUID,
    "locked_until" TIMESTAMPTZ(3),
    "is_awaited" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_uploads_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateIndex
CREATE INDEX "file_uploads_company_id_user_id_idx" ON "file_uploads"("company_id", "user_id");

-- CreateIndex
CREATE INDEX "file_uploads_created_at_idx" ON "file_uploads"("created_at");

-- AddForeignKey
ALTER TABLE "file_uploads" ADD CONSTRAINT "file_uploads_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What has arrived counts for the company. Parts are deleted by their folder, once nothing names them: the file has them
-- then, or nobody.
CREATE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO file_usage AS usage (company_id, bytes) VALUES (NEW.company_id, NEW.received - OLD.received)
  ON CONFLICT (company_id) DO UPDATE SET bytes = usage.bytes + excluded.bytes;
  RETURN NULL;
END
$$;

CREATE FUNCTION remove_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE file_usage SET bytes = bytes - OLD.received WHERE company_id = OLD.company_id;
  INSERT INTO file_removals (company, file_id) VALUES (OLD.company_id, OLD.parts_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER count_upload AFTER UPDATE OF received ON file_uploads
  FOR EACH ROW WHEN (OLD.received <> NEW.received) EXECUTE FUNCTION count_upload();
CREATE TRIGGER remove_upload AFTER DELETE ON file_uploads FOR EACH ROW EXECUTE FUNCTION remove_upload();
