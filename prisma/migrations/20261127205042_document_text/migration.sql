-- The text of files that documents are found by. Older instances: they find no text of files.
-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "search_language" VARCHAR(20) NOT NULL DEFAULT 'english';

-- AlterTable
ALTER TABLE "documents" ADD COLUMN     "processing_error" VARCHAR(200);

-- CreateTable
CREATE TABLE "file_pages" (
    "company_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "page" INTEGER,
    "text" TEXT NOT NULL,
    "terms" tsvector,

    CONSTRAINT "file_pages_pkey" PRIMARY KEY ("company_id","file_id","part")
);

-- CreateIndex
CREATE INDEX "file_pages_terms_idx" ON "file_pages" USING GIN ("terms")
  WITH (fastupdate = off); -- a search would read all that waits to be added

-- AddForeignKey
ALTER TABLE "file_pages" ADD CONSTRAINT "file_pages_company_id_file_id_fkey" FOREIGN KEY ("company_id", "file_id") REFERENCES "files"("company_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What a part of a text is found by. One index serves all companies, so each part has its company as one of its words:
-- what others have does not slow a search. Words are there as they are written, and as the language of the company has
-- them, which leaves out the most common ones.
CREATE FUNCTION page_terms(company uuid, content text) RETURNS tsvector STABLE LANGUAGE sql AS $$
  SELECT array_to_tsvector(ARRAY['@' || company]) || to_tsvector('pg_catalog.simple', content)
    || to_tsvector(('pg_catalog.' || search_language)::regconfig, content)
  FROM companies WHERE id = company
$$;

-- What finds the parts of a company's texts that have all of these words.
CREATE FUNCTION page_query(company uuid, words text) RETURNS tsquery STABLE LANGUAGE sql AS $$
  SELECT CASE WHEN numnode(exact) > 0 THEN format('''@%s''', company)::tsquery
    && (exact || plainto_tsquery(('pg_catalog.' || search_language)::regconfig, words)) END
  FROM companies, plainto_tsquery('pg_catalog.simple', words) AS exact WHERE id = company
$$;

-- Where a part of a text has words: some of it, about two lines long.
CREATE FUNCTION page_snippet(company uuid, content text, query tsquery) RETURNS text STABLE LANGUAGE sql AS $$
  SELECT ts_headline(('pg_catalog.' || search_language)::regconfig, translate(content, E'\n', ' '), query,
    'StartSel="", StopSel="", MaxFragments=1, MinWords=15, MaxWords=30')
  FROM companies WHERE id = company
$$;

-- A file that waits for its previews has a job that makes them, and a document whose file waits to be read one that
-- reads it: whoever writes the row.
CREATE FUNCTION preview_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (company_id, id, kind, payload)
  VALUES (NEW.company_id, uuid_of_now(), 'preview', jsonb_build_object('fileId', NEW.id));
  RETURN NULL;
END
$$;

CREATE TRIGGER preview_new_file AFTER INSERT ON files
  FOR EACH ROW WHEN (NEW.preview_status = 'pending') EXECUTE FUNCTION preview_file();
CREATE TRIGGER preview_file AFTER UPDATE OF preview_status ON files
  FOR EACH ROW WHEN (NEW.preview_status = 'pending' AND OLD.preview_status IS DISTINCT FROM 'pending')
  EXECUTE FUNCTION preview_file();

CREATE FUNCTION read_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (company_id, id, kind, payload) VALUES (
    NEW.company_id, uuid_of_now(), 'document-text', jsonb_build_object('documentId', NEW.id, 'fileId', NEW.file_id)
  );
  RETURN NULL;
END
$$;

CREATE TRIGGER read_new_document AFTER INSERT ON documents
  FOR EACH ROW WHEN (NEW.file_id IS NOT NULL AND NEW.processing_status = 'pending') EXECUTE FUNCTION read_document();
CREATE TRIGGER read_document AFTER UPDATE OF file_id, processing_status ON documents
  FOR EACH ROW WHEN (
    NEW.file_id IS NOT NULL AND NEW.processing_status = 'pending'
    AND (OLD.file_id IS DISTINCT FROM NEW.file_id OR OLD.processing_status <> 'pending')
  ) EXECUTE FUNCTION read_document();

-- Those that there are. Older instances add jobs for previews by themselves.
INSERT INTO jobs (company_id, id, kind, payload)
SELECT company_id, uuid_of_now(), 'document-text', jsonb_build_object('documentId', id, 'fileId', file_id)
FROM documents WHERE file_id IS NOT NULL AND processing_status = 'pending';
