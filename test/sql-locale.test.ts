// No SQL changes or compares the case of text by the locale of the database: in Turkish the upper case of i is no I.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { root } from '../src/root.ts';
import { testDatabase } from './support/database.ts';

const database = await testDatabase();
afterAll(() => database.close());

/** Functions without a collation in their parentheses, and operators without one before them. */
const byLocale =
  /\b(?:upper|lower|initcap)\((?!\(*(?:[^()]|\((?:[^()]|\([^()]*\))*\))*COLLATE)|(?<!COLLATE "[\w-]+" )(?:~\*|\bILIKE\b)/;

test('what is by the locale is recognized', () => {
  const bad = ['upper(role::text) AS role', 'lower(concat(a, b)) = $1', 'name ILIKE $1', 'name ~* $1', 'initcap(name)'];
  const good = ['upper(u.role::text COLLATE "C")', 'lower((concat(a, b) COLLATE "C"))', 'name COLLATE "C" ~* $1'];
  expect([...bad, ...good, 'fold_case(name)', 'lower_case(name)'].filter((sql) => byLocale.test(sql))).toEqual(bad);
});

/** The files of the source with what a pattern matches. */
async function findFiles(pattern: RegExp): Promise<string[]> {
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !path.includes('generated'),
  );
  expect(files.length).toBeGreaterThan(100);
  const texts = await Promise.all(files.map((path) => readFile(join(root, 'src', path), 'utf8')));
  return files.filter((_, index) => pattern.test(texts[index] ?? '')).sort();
}

test('the source has none', async () => {
  expect(await findFiles(byLocale)).toEqual([]);
});

test("only the compiler's reads ignore case, as Prisma does it by the locale", async () => {
  expect(await findFiles(/['"`]insensitive['"`]/)).toEqual([
    // The compiler.
    'database/read/field-conditions.ts',
    // Conditions of lists.
    'resource/filter/operators.ts',
    'resource/read/lists.ts',
    // They read by `reader`, which is the compiler.
    'schema/mailroom/guests.ts',
    'schema/request/location.ts',
  ]);
  const ofPrisma = /\b(?:prisma|transaction|db|unscopedDb|client)\.\w+\.\w+\((?:(?!;\n)[^])*['"`]insensitive['"`]/;
  expect(ofPrisma.test("prisma.user.findMany({ where: { email: { in: all, mode: 'insensitive' } } });\n")).toBe(true);
  expect(await findFiles(ofPrisma)).toEqual([]);
});

test('functions, indexes, columns and constraints of the database have none', async () => {
  const { rows } = await database.query({
    text: `
      SELECT proname AS name, pg_get_functiondef(pg_proc.oid) AS definition FROM pg_proc
       WHERE pronamespace = current_schema()::regnamespace AND prokind = 'f' AND prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('sql', 'plpgsql'))
      UNION ALL SELECT relname, pg_get_indexdef(oid) FROM pg_class WHERE relkind = 'i' AND relnamespace = current_schema()::regnamespace
      UNION ALL SELECT adrelid::regclass::text, pg_get_expr(adbin, adrelid) FROM pg_attrdef
      UNION ALL SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
      UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal`,
  });
  expect(rows.length).toBeGreaterThan(500);
  expect(rows.filter(({ definition }) => byLocale.test(String(definition)))).toEqual([]);
});
