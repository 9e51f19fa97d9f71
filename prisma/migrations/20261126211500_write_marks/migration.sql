-- Who keeps the marks of writes for reads on replicas: one row. Older instances make no marks, so replicas may be named
-- only when all instances have this table.
CREATE TABLE "write_marks" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "kept_by" TEXT,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "write_marks_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "write_marks_one_row" CHECK ("id" = 1)
);
INSERT INTO "write_marks" ("changed_at") VALUES ('2000-01-01T00:00:00Z');
