-- Files that rows hold. Older instances: they leave rows without files.
ALTER TABLE "areas" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "asset_maintenance" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "asset_transfers" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "asset_warranties" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "assets" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "buildings" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "checklist_completions" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "comments" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "expected_packages" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "inventory_items" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "inventory_transfers" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "invoices" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "leases" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "move_requests" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "notes" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "purchase_orders" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "receiving_records" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "requisitions" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "service_requests" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "shipments" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "training_programs" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "vendors" ADD COLUMN "attachment_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE "asset_documents" ADD COLUMN "file_id" UUID;
ALTER TABLE "documents" ADD COLUMN "file_id" UUID;
ALTER TABLE "hr_documents" ADD COLUMN "file_id" UUID;
ALTER TABLE "lease_documents" ADD COLUMN "file_id" UUID;

-- CreateTable
CREATE TABLE "files" (
    "company_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "media_type" VARCHAR(127) NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" CHAR(64) NOT NULL,
    "user_id" UUID,
    "unheld_since" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "files_pkey" PRIMARY KEY ("company_id","id")
);

-- CreateTable
CREATE TABLE "file_holds" (
    "company_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "table_name" VARCHAR(63) NOT NULL,
    "row_id" UUID NOT NULL,

    CONSTRAINT "file_holds_pkey" PRIMARY KEY ("company_id","file_id","table_name","row_id")
);

-- CreateTable
CREATE TABLE "file_removals" (
    "id" BIGSERIAL NOT NULL,
    "company" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_removals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file_usage" (
    "company_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "file_usage_pkey" PRIMARY KEY ("company_id")
);

-- CreateIndex
CREATE INDEX "files_unheld_since_idx" ON "files"("unheld_since");

-- AddForeignKey
ALTER TABLE "asset_documents" ADD CONSTRAINT "asset_documents_company_id_file_id_fkey" FOREIGN KEY ("company_id", "file_id") REFERENCES "files"("company_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_company_id_file_id_fkey" FOREIGN KEY ("company_id", "file_id") REFERENCES "files"("company_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "file_holds" ADD CONSTRAINT "file_holds_company_id_file_id_fkey" FOREIGN KEY ("company_id", "file_id") REFERENCES "files"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "file_usage" ADD CONSTRAINT "file_usage_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "hr_documents" ADD CONSTRAINT "hr_documents_company_id_file_id_fkey" FOREIGN KEY ("company_id", "file_id") REFERENCES "files"("company_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "lease_documents" ADD CONSTRAINT "lease_documents_company_id_file_id_fkey" FOREIGN KEY ("company_id", "file_id") REFERENCES "files"("company_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Which rows hold which files, as the rows themselves say. Removing the last one that held a file begins the day after
-- which it is deleted.
CREATE FUNCTION hold_files(company uuid, holder text, id uuid, before uuid[], after uuid[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM file_holds AS hold
  WHERE hold.company_id = company AND hold.file_id = ANY (before) AND hold.file_id <> ALL (after)
    AND hold.table_name = holder AND hold.row_id = id;
  INSERT INTO file_holds (company_id, file_id, table_name, row_id)
  SELECT company, added, holder, id FROM unnest(after) AS added WHERE added <> ALL (before)
  ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION hold_attachments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM hold_files(OLD.company_id, TG_TABLE_NAME, OLD.id, OLD.attachment_ids, '{}');
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM hold_files(NEW.company_id, TG_TABLE_NAME, NEW.id, '{}', NEW.attachment_ids);
  ELSE
    PERFORM hold_files(NEW.company_id, TG_TABLE_NAME, NEW.id, OLD.attachment_ids, NEW.attachment_ids);
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION hold_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM hold_files(OLD.company_id, TG_TABLE_NAME, OLD.id, ARRAY[OLD.file_id], '{}');
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM hold_files(NEW.company_id, TG_TABLE_NAME, NEW.id, '{}', ARRAY[NEW.file_id]);
  ELSE
    PERFORM hold_files(NEW.company_id, TG_TABLE_NAME, NEW.id, array_remove(ARRAY[OLD.file_id], NULL),
                       array_remove(ARRAY[NEW.file_id], NULL));
  END IF;
  RETURN NULL;
END
$$;

-- The triggers of a table with attachments, and of one whose rows are of one file each.
CREATE FUNCTION attachments_of(holder regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER hold_new_attachments AFTER INSERT ON %s
    FOR EACH ROW WHEN (NEW.attachment_ids <> ''{}'') EXECUTE FUNCTION hold_attachments()', holder);
  EXECUTE format('CREATE TRIGGER hold_attachments AFTER UPDATE OF attachment_ids ON %s
    FOR EACH ROW WHEN (OLD.attachment_ids <> NEW.attachment_ids) EXECUTE FUNCTION hold_attachments()', holder);
  EXECUTE format('CREATE TRIGGER release_attachments AFTER DELETE ON %s
    FOR EACH ROW WHEN (OLD.attachment_ids <> ''{}'') EXECUTE FUNCTION hold_attachments()', holder);
END
$$;

CREATE FUNCTION file_of(holder regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER hold_new_file AFTER INSERT ON %s
    FOR EACH ROW WHEN (NEW.file_id IS NOT NULL) EXECUTE FUNCTION hold_file()', holder);
  EXECUTE format('CREATE TRIGGER hold_file AFTER UPDATE OF file_id ON %s
    FOR EACH ROW WHEN (OLD.file_id IS DISTINCT FROM NEW.file_id) EXECUTE FUNCTION hold_file()', holder);
  EXECUTE format('CREATE TRIGGER release_file AFTER DELETE ON %s
    FOR EACH ROW WHEN (OLD.file_id IS NOT NULL) EXECUTE FUNCTION hold_file()', holder);
END
$$;

SELECT attachments_of('areas');
SELECT attachments_of('asset_maintenance');
SELECT attachments_of('asset_transfers');
SELECT attachments_of('asset_warranties');
SELECT attachments_of('assets');
SELECT attachments_of('buildings');
SELECT attachments_of('checklist_completions');
SELECT attachments_of('comments');
SELECT attachments_of('expected_packages');
SELECT attachments_of('inventory_items');
SELECT attachments_of('inventory_transfers');
SELECT attachments_of('invoices');
SELECT attachments_of('leases');
SELECT attachments_of('move_requests');
SELECT attachments_of('notes');
SELECT attachments_of('purchase_orders');
SELECT attachments_of('receiving_records');
SELECT attachments_of('requisitions');
SELECT attachments_of('service_requests');
SELECT attachments_of('shipments');
SELECT attachments_of('training_programs');
SELECT attachments_of('vendors');
SELECT file_of('asset_documents');
SELECT file_of('documents');
SELECT file_of('hr_documents');
SELECT file_of('lease_documents');

CREATE FUNCTION keep_held_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE files SET unheld_since = NULL
  WHERE company_id = NEW.company_id AND id = NEW.file_id AND unheld_since IS NOT NULL;
  RETURN NULL;
END
$$;

-- The lock lets of two transactions that each remove one of two holds the later one see what the other has removed.
CREATE FUNCTION release_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM files WHERE company_id = OLD.company_id AND id = OLD.file_id FOR UPDATE;
  UPDATE files SET unheld_since = now()
  WHERE company_id = OLD.company_id AND id = OLD.file_id AND unheld_since IS NULL
    AND NOT EXISTS (SELECT FROM file_holds WHERE company_id = OLD.company_id AND file_id = OLD.file_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER keep_held_file AFTER INSERT ON file_holds FOR EACH ROW EXECUTE FUNCTION keep_held_file();
CREATE TRIGGER release_file AFTER DELETE ON file_holds FOR EACH ROW EXECUTE FUNCTION release_file();

-- How many bytes a company has, and which of them the store still has to delete.
CREATE FUNCTION count_new_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO file_usage AS usage (company_id, bytes) VALUES (NEW.company_id, NEW.size)
  ON CONFLICT (company_id) DO UPDATE SET bytes = usage.bytes + excluded.bytes;
  RETURN NULL;
END
$$;

CREATE FUNCTION remove_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE file_usage SET bytes = bytes - OLD.size WHERE company_id = OLD.company_id;
  INSERT INTO file_removals (company, file_id) VALUES (OLD.company_id, OLD.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER count_new_file AFTER INSERT ON files FOR EACH ROW EXECUTE FUNCTION count_new_file();
CREATE TRIGGER remove_file AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION remove_file();

-- The image of a row without the files that there are no longer. Restored rows hold what is left.
CREATE FUNCTION files_left(company uuid, image jsonb) RETURNS jsonb STABLE LANGUAGE sql AS $$
  SELECT image
    || CASE WHEN image->'attachment_ids' IS NULL OR image->'attachment_ids' = '[]' THEN '{}'::jsonb ELSE (
         SELECT jsonb_build_object('attachment_ids', coalesce(jsonb_agg(given.id ORDER BY place) FILTER (WHERE files.id IS NOT NULL), '[]'))
         FROM jsonb_array_elements_text(image->'attachment_ids') WITH ORDINALITY AS given (id, place)
         LEFT JOIN files ON files.company_id = company AND files.id = given.id::uuid
       ) END
    || CASE WHEN image->>'file_id' IS NULL
              OR EXISTS (SELECT FROM files WHERE files.company_id = company AND files.id = (image->>'file_id')::uuid)
            THEN '{}'::jsonb ELSE '{"file_id": null}'::jsonb END
$$;
