import { expect, test } from '@jest/globals';
import { findBreakingStatements, findKeyCascades } from '../../../scripts/lint-migrations.ts';

test.each<[breaking: number, sql: string]>([
  [1, 'ALTER TABLE "paints" RENAME COLUMN "brand" TO "make";'],
  [2, 'ALTER TABLE "paints" DROP COLUMN "brand", DROP COLUMN "finish";'],
  [1, 'ALTER TABLE "paints" ALTER COLUMN "name" SET DATA TYPE TEXT;'],
  [1, 'ALTER TABLE "paints" ALTER COLUMN "brand" SET NOT NULL;'],
  [1, 'ALTER TABLE "paints" ADD COLUMN "weight" DECIMAL(12,3) NOT NULL,\nADD COLUMN "maker" TEXT;'],
  [1, `ALTER TABLE "paints" ADD CONSTRAINT "named" CHECK (name <> '');`],
  [1, 'CREATE UNIQUE INDEX "names" ON "paints"("company_id", "name");'],
  [1, `ALTER TYPE "request_status" ADD VALUE 'waiting';`],
  [2, 'DROP TABLE "paints"; TRUNCATE notes'],
  [1, '-- Older instances: they do not use it\nDROP TABLE "lots"; DROP TABLE "paints";'],
])('%i statements break older instances: %s', (breaking, sql) => {
  expect(findBreakingStatements(sql)).toHaveLength(breaking);
});

test.each([
  'ALTER TABLE "paints" ADD COLUMN "weight" DECIMAL(12,3) NOT NULL DEFAULT 0;',
  'ALTER TABLE "paints" ADD COLUMN "maker" TEXT; CREATE INDEX "makers" ON "paints"("maker");',
  'ALTER TABLE "paints" ADD COLUMN "v_id" UUID;\nALTER TABLE "paints" ADD CONSTRAINT "fk" FOREIGN KEY ("v_id") REFERENCES "v"("id");',
  'CREATE TABLE "lots" ("id" UUID NOT NULL);\nCREATE UNIQUE INDEX "i" ON "lots"("id");\nALTER TABLE "lots" ADD CONSTRAINT "c" CHECK (true);',
  'ALTER TABLE "paints" ALTER COLUMN "brand" DROP NOT NULL, DROP CONSTRAINT "c";',
  `-- DROP TABLE "paints"\nUPDATE paints SET name = 'DROP TABLE; x';`,
  'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ DROP TABLE paints; $$;',
])('older instances can use the database after %s', (sql) => {
  expect(findBreakingStatements(sql)).toEqual([]);
});

const reference =
  'ALTER TABLE "lots" ADD CONSTRAINT "fk" FOREIGN KEY ("company_id", "v_id") REFERENCES "v"("company_id", "id")';

test.each([
  [1, `${reference} ON DELETE CASCADE ON UPDATE CASCADE;`],
  [1, `${reference} ON UPDATE SET NULL;`],
  [0, `${reference} ON DELETE CASCADE ON UPDATE NO ACTION;`],
  [0, `${reference} ON DELETE CASCADE;\n-- ON UPDATE CASCADE`],
])('%i foreign keys pass on changes of the key: %s', (found, sql) => {
  expect(findKeyCascades(sql)).toHaveLength(found);
});
