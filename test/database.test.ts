import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { GraphQLError } from 'graphql';
import { openDatabase, runFor } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { readMigrations } from '../src/database/schema-engine.ts';
import { serializeError } from '../src/log.ts';
import { runScript } from './support/children.ts';
import { testDatabase, testDatabaseUrl, withoutTables } from './support/database.ts';
import { onServer } from './support/template.ts';

const onPostgresql = process.env.TEST_DATABASE_URL ? test : test.skip;

const statements: string[] = [];
const database = await testDatabase({ onQuery: (sql) => statements.push(sql) });
afterAll(() => database.close());

const rowsOf = async (text: string, values?: unknown[]) => (await database.query({ text, values })).rows;
const createCompany = () => database.prisma.company.create({ data: { name: 'Acme', slug: randomUUID() } });

describe('a database', () => {
  test('runs Prisma and plain SQL, and reports every statement', async () => {
    const company = await createCompany();
    statements.length = 0;
    expect(await database.prisma.company.findUnique({ where: { id: company.id } })).toEqual(company);
    const { rows, rowCount } = await database.query({
      isPrepared: true,
      text: 'SELECT name, 7::bigint AS n, 1.50 AS amount, created_at::date AS day, created_at FROM companies WHERE id = $1',
      values: [company.id],
    });
    const day = company.createdAt.toISOString().slice(0, 10);
    expect(rows).toEqual([{ name: 'Acme', n: 7, amount: '1.50', day, created_at: company.createdAt }]);
    expect(rowCount).toBe(1);
    expect(statements).toHaveLength(2);
  });

  test('counts its statements, by pool', async () => {
    const count = () => database.pools().reduce((sum, { statements }) => sum + statements, 0);
    const before = count();
    await database.prisma.company.count();
    await database.query({ text: 'SELECT 1' });
    await database.transaction(() => database.prisma.company.count());
    expect(statements.slice(-3)).toEqual(['BEGIN', expect.stringContaining('"companies"'), 'COMMIT']);
    expect(count()).toBe(before + 5);
    const names = database.kind === 'embedded' ? ['all'] : ['authentication', 'requests', 'streams', 'background'];
    expect(database.pools().map(({ name }) => name)).toEqual(names);
    for (const { size, inUse, idle, waiting, admission } of database.pools()) {
      expect([inUse, waiting, admission.refusals]).toEqual([0, 0, 0]);
      expect(idle).toBeLessThanOrEqual(size);
    }
  });

  test('counts the rows a statement writes', async () => {
    const { id } = await createCompany();
    const update = { text: 'UPDATE companies SET name = $2 WHERE id = $1', values: [id, 'Other'] };
    expect((await database.query(update)).rowCount).toBe(1);
    expect((await database.query({ ...update, text: `${update.text} RETURNING id` })).rowCount).toBe(1);
    expect((await database.query({ text: 'SELECT 1 WHERE false' })).rowCount).toBe(0);
  });

  test('names the violated constraint', async () => {
    const { id: companyId } = await createCompany();
    const building = await database.prisma.building.create({ data: { companyId, name: 'Tower', code: 'T' } });
    await database.prisma.area.create({ data: { companyId, buildingId: building.id, name: 'Lobby' } });
    const taken = database.prisma.building.create({ data: { companyId, name: 'Other', code: 'T' } });
    await expect(taken).rejects.toMatchObject({
      code: 'P2002',
      meta: { driverAdapterError: { cause: { constraint: { index: 'buildings_company_id_code_key' } } } },
    });
    const inUse = database.prisma.building.delete({ where: { companyId_id: { companyId, id: building.id } } });
    await expect(inUse).rejects.toMatchObject({
      code: 'P2003',
      meta: { driverAdapterError: { cause: { constraint: { index: 'areas_company_id_building_id_fkey' } } } },
    });
  });

  test('logs errors without values', async () => {
    const { id: companyId } = await createCompany();
    const { prisma } = database;
    const secret = 'Secret\nname';
    await prisma.building.create({ data: { companyId, name: secret, code: secret } });
    const failures: [unknown, RegExp][] = [
      [prisma.building.create({ data: { companyId, name: secret, code: secret } }), /Unique constraint failed/],
      [prisma.building.create({ data: { companyId, name: secret, floors: secret as unknown as number } }), /Int/],
      [prisma.$queryRaw`SELECT ${secret}::text::uuid`, /invalid input syntax for type uuid: "…"/],
      [
        database.query({ text: 'SELECT $1::text::int', values: [secret] }),
        /invalid input syntax for type integer: "…"/,
      ],
      [prisma.$queryRaw`SELECT ${'9'.repeat(30)}::text::int`, /value "…" is out of range for type integer/],
    ];
    for (const [failing, message] of failures) {
      const error = await (failing as Promise<unknown>).catch((reason: unknown) => reason);
      const logged = JSON.stringify(serializeError(error));
      expect(JSON.parse(logged)).toMatchObject({ message: expect.stringMatching(message) });
      expect(logged).not.toMatch(/Secret|name"|999/);
      expect(logged).toMatch(/\\n +at /);
    }
    const wrapped = new GraphQLError('Wrapped', { originalError: new TypeError('lines is not iterable') });
    expect(serializeError(wrapped)).toMatchObject({ type: 'TypeError', message: 'lines is not iterable' });
  });

  test('is not blocked by an abandoned transaction', async () => {
    const { prisma } = database;
    const slow = prisma.$transaction((tx) => tx.$queryRaw`SELECT 1 FROM pg_sleep(0.3)`);
    const impatient = prisma.$transaction((tx) => tx.company.count(), { maxWait: 50 });
    await Promise.allSettled([slow, impatient]);
    expect(await prisma.$transaction((tx) => tx.company.count())).toEqual(expect.any(Number));
  });

  test('fails quickly when PostgreSQL is unreachable', async () => {
    const closed = await openDatabase({ databaseUrl: 'postgresql://127.0.0.1:1/premises', dataDir: '' });
    const started = Date.now();
    await expect(closed.query({ text: 'SELECT 1' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(closed.prisma.company.count()).rejects.toMatchObject({ code: 'P1001' });
    expect(Date.now() - started).toBeLessThan(2000);
    await closed.close();
  });

  onPostgresql('stores times in UTC in any time zone of the server', async () => {
    const { url, drop } = await testDatabaseUrl();
    await onServer(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET timezone = 'Asia/Kolkata'`);
    const elsewhere = await openDatabase({ databaseUrl: url, dataDir: '' });
    const createdAt = new Date('2026-03-29T01:30:00.123Z');
    const company = await elsewhere.prisma.company.create({ data: { name: 'Acme', slug: 'acme', createdAt } });
    expect(company.createdAt).toEqual(createdAt);
    const { rows } = await elsewhere.query({
      text: `SELECT extract(epoch FROM created_at)::text AS at FROM companies`,
    });
    expect(rows).toEqual([{ at: '1774747800.123000' }]);
    await elsewhere.close();
    await drop();
  });
});

onPostgresql.each([
  ['4MB', '16MB'],
  ['64MB', '64MB'],
])('with %s of the server for a sort or a bitmap, it uses %s', async (ofServer, used) => {
  const { url, drop } = await testDatabaseUrl(withoutTables);
  await onServer(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET work_mem = '${ofServer}'`);
  const opened = await openDatabase({ databaseUrl: url, dataDir: '' });
  expect((await opened.query({ text: 'SHOW work_mem' })).rows).toEqual([{ work_mem: used }]);
  await opened.close();
  await drop();
});

describe('admission to the database', () => {
  test('is released when a statement or transaction ends in any way', async () => {
    const { prisma } = database;
    const stop = new Error('stop');
    const work = [
      () => prisma.$queryRaw`SELECT nonsense`,
      () => prisma.$transaction(async () => Promise.reject(stop)),
      () => prisma.$transaction((tx) => tx.$queryRaw`SELECT nonsense`),
      () => prisma.$transaction(async (tx) => (await tx.company.count(), Promise.reject(stop))),
      // On the embedded database, sleep blocks the timeout.
      ...(database.kind === 'postgresql'
        ? [() => prisma.$transaction((tx) => tx.$queryRaw`SELECT 1 FROM pg_sleep(0.2)`, { timeout: 100 })]
        : []),
      () => prisma.$transaction([prisma.company.count(), prisma.$queryRaw`SELECT nonsense`]),
    ];
    const someone = { company: 'a', caller: 'ann' };
    for (let round = 0; round < 4; round++) {
      for (const each of work) await expect(runFor(someone, async () => await each())).rejects.toThrow();
    }
    expect(await runFor(someone, async () => prisma.$transaction((tx) => tx.company.count()))).toEqual(
      expect.any(Number),
    );
  });

  onPostgresql('limits the time of statements by their purpose', async () => {
    const setting = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`;
    const read = () => database.prisma.$queryRawUnsafe(setting);
    const someone = { company: 'a', caller: 'ann' };
    expect(await runFor(someone, async () => await read())).toEqual([{ statement: '10s', lock: '2s' }]);
    const stream = { ...someone, isLongRunning: true };
    expect(await runFor(stream, async () => await read())).toEqual([{ statement: '30s', lock: '10s' }]);
    expect(await read()).toEqual([{ statement: '30s', lock: '10s' }]);
    expect(await rowsOf(setting)).toEqual([{ statement: '5s', lock: '2s' }]);
  });

  onPostgresql('runs three statements of a caller and half of the connections for a company at once', async () => {
    const running = async (callers: readonly string[]) => {
      const sleepers = callers.map((caller) =>
        runFor(
          { company: 'a', caller },
          async () => await database.prisma.$queryRaw`SELECT 'counted' FROM pg_sleep(0.3)`,
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 150));
      const [{ count } = {}] = await rowsOf(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%counted%'`,
      );
      await Promise.all(sleepers);
      return Number(count) - 1; // the one that counts
    };
    expect(await running(Array.from({ length: 6 }, () => 'ann'))).toBe(3);
    // 10 of the 20 connections are for requests.
    expect(await running(Array.from({ length: 10 }, (_, n) => `caller ${n}`))).toBe(5);
  });

  onPostgresql('leaves connections for authentication and readiness', async () => {
    const { prisma } = database;
    const sleepers = Array.from({ length: 20 }, (_, n) =>
      runFor({ company: `${n}`, caller: `${n}` }, async () => await prisma.$queryRaw`SELECT 1 FROM pg_sleep(1)`),
    );
    const own = Array.from({ length: 5 }, () => prisma.$queryRaw`SELECT 1 FROM pg_sleep(1)`.then());
    await new Promise((resolve) => setTimeout(resolve, 200));
    const started = Date.now();
    await database.query({ text: 'SELECT 1' });
    expect(Date.now() - started).toBeLessThan(500);
    await Promise.all([...sleepers, ...own]);
  });
});

describe('migrating', () => {
  /** The project's migrations, and additional ones. */
  async function andThen(...scripts: string[]): Promise<MigrationList> {
    const migrations = await readMigrations();
    const more = scripts.map((value, i) => ({
      path: `99990101000000_${i}`,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } },
    }));
    return { ...migrations, migrationDirectories: [...migrations.migrationDirectories, ...more] };
  }

  test('does nothing the second time, in two statements', async () => {
    statements.length = 0;
    expect(await migrate(database)).toEqual([]);
    expect(statements).toHaveLength(2);
  });

  test('runs whole scripts, and later migrations can use what earlier ones added', async () => {
    const other = await testDatabase();
    const migrations = await andThen(
      `CREATE TYPE mood AS ENUM ('glad')`,
      `ALTER TYPE mood ADD VALUE 'sad; very'`,
      `CREATE FUNCTION feel() RETURNS mood LANGUAGE plpgsql AS $$ BEGIN RETURN 'sad; very'; END; $$; -- done;`,
    );
    expect(await migrate(other, migrations)).toHaveLength(3);
    expect(await migrate(other, migrations)).toEqual([]);
    expect((await other.query({ text: 'SELECT feel()::text AS mood' })).rows).toEqual([{ mood: 'sad; very' }]);
    await other.close();
  });

  test('rolls back a failed migration with its error, and can be retried', async () => {
    const other = await testDatabase();
    const faulty = await andThen('CREATE TABLE first (a int)', 'CREATE TABLE second (a int); SELECT nonsense;');
    await expect(migrate(other, faulty)).rejects.toThrow(/99990101000000_1[^]*nonsense/);
    const tables = `SELECT to_regclass('first')::text AS first, to_regclass('second')::text AS second`;
    expect((await other.query({ text: tables })).rows).toEqual([{ first: 'first', second: null }]);
    const mended = await andThen('CREATE TABLE first (a int)', 'CREATE TABLE second (a int)');
    expect(await migrate(other, mended)).toEqual(['99990101000000_1']);
    await other.close();
  });

  onPostgresql('is safe when processes start concurrently', async () => {
    const { url, drop } = await testDatabaseUrl(withoutTables);
    const outputs = await Promise.all([1, 2, 3].map(() => runScript('migrate.ts', url)));
    const names = (await readMigrations()).migrationDirectories.map(({ path }) => path);
    expect(outputs.flatMap((output) => JSON.parse(output)).sort()).toEqual(names);
    await drop();
  });
});
