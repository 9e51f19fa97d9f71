import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrations } from '../../src/database/schema-engine.ts';

let openedDatabase: Database | undefined;
afterAll(() => openedDatabase?.close());

test('people are created for existing users by the migration', async () => {
  const migrations = await readMigrations();
  const signIn = migrations.migrationDirectories.findIndex(({ path }) => path.endsWith('_sign_in'));
  const database = await openDatabase({ dataDir: 'memory://' });
  openedDatabase = database;
  await migrate(database, { ...migrations, migrationDirectories: migrations.migrationDirectories.slice(0, signIn) });
  const [one, two, first, second, third] = Array.from({ length: 5 }, () => randomUUID());
  await database.query({
    text: `INSERT INTO companies (id, name, slug) VALUES ('${one}', 'One', 'one'), ('${two}', 'Two', 'two')`,
  });
  await database.query({
    text: `INSERT INTO users (company_id, id, full_name, email, created_at) VALUES
      ('${one}', '${first}', 'Ann', 'ann@x.example', '2026-01-01'), ('${two}', '${first}', 'Ann T.', 'ann@x.example', '2026-01-02'),
      ('${one}', '${second}', 'Bob', 'bob@x.example', '2026-01-01'), ('${two}', '${third}', 'Bob T.', 'bob@x.example', '2026-01-02')`,
  });
  await database.query({
    text: `INSERT INTO notes (company_id, id, title, user_id) VALUES ('${two}', '${randomUUID()}', 'By Bob', '${third}')`,
  });
  await migrate(database);
  expect(await database.prisma.person.findMany({ orderBy: { email: 'asc' } })).toMatchObject([
    { id: first, email: 'ann@x.example', fullName: 'Ann' },
    { id: second, email: 'bob@x.example', fullName: 'Bob' },
  ]);
  expect(
    (await database.prisma.user.findMany({ where: { companyId: two }, orderBy: { email: 'asc' } })).map(({ id }) => id),
  ).toEqual([first, second]);
  expect(await database.prisma.note.findFirstOrThrow()).toMatchObject({ userId: second });
});
