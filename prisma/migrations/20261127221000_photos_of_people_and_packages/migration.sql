-- Photos that guests add to their packages, and pictures of people. Older instances: they leave packages without photos.
ALTER TABLE "expected_packages" ADD COLUMN "photo_count" SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE "users" ADD COLUMN "avatar_id" UUID;

-- CreateIndex
CREATE INDEX "users_avatar_id_idx" ON "users" ("company_id", "avatar_id") WHERE "avatar_id" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_company_id_avatar_id_fkey" FOREIGN KEY ("company_id", "avatar_id") REFERENCES "files"("company_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- A person's row holds their picture.
CREATE FUNCTION hold_avatar() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM hold_files(OLD.company_id, TG_TABLE_NAME, OLD.id, ARRAY[OLD.avatar_id], '{}');
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM hold_files(NEW.company_id, TG_TABLE_NAME, NEW.id, '{}', ARRAY[NEW.avatar_id]);
  ELSE
    PERFORM hold_files(NEW.company_id, TG_TABLE_NAME, NEW.id, array_remove(ARRAY[OLD.avatar_id], NULL),
                       array_remove(ARRAY[NEW.avatar_id], NULL));
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER hold_new_avatar AFTER INSERT ON users
  FOR EACH ROW WHEN (NEW.avatar_id IS NOT NULL) EXECUTE FUNCTION hold_avatar();
CREATE TRIGGER hold_avatar AFTER UPDATE OF avatar_id ON users
  FOR EACH ROW WHEN (OLD.avatar_id IS DISTINCT FROM NEW.avatar_id) EXECUTE FUNCTION hold_avatar();
CREATE TRIGGER release_avatar AFTER DELETE ON users
  FOR EACH ROW WHEN (OLD.avatar_id IS NOT NULL) EXECUTE FUNCTION hold_avatar();
