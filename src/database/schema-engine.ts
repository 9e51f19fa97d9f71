import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import { root } from '../root.ts';
import type { Connection } from './database.ts';

// TypeScript declares WebAssembly only in its DOM library, which Node's code does not use.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, () => void> } }>;
};

const prismaFolder = join(root, 'prisma');
const migrationsFolder = join(prismaFolder, 'migrations');

/** Prisma manages every table and enum. */
export const filters = { externalTables: [], externalEnums: [] };

/** Reads `prisma/migrations`, oldest first. */
export async function readMigrations(): Promise<MigrationList> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  const contents = await Promise.all(
    names.map((name) => readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8')),
  );
  return {
    baseDir: migrationsFolder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(migrationsFolder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: names.map((name, i) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: contents[i] ?? '' } },
    })),
  };
}

/** Reads `prisma/schema`. */
export async function readSchema(): Promise<SchemasContainer> {
  const folder = join(prismaFolder, 'schema');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.prisma')).sort();
  return {
    files: await Promise.all(
      names.map(async (name) => ({ path: join(folder, name), content: await readFile(join(folder, name), 'utf8') })),
    ),
  };
}

/**
 * Runs `work` with Prisma's schema engine, compiled to WebAssembly, over a connection.
 *
 * @throws the error of the migration that failed, or else the engine's
 */
export async function withSchemaEngine<T>(
  connection: Connection,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { adapter, execute } = connection;
  let failure: unknown;
  // The adapters split a script at every semicolon, also inside functions and strings, or do not wait for it. The
  // savepoint lets the engine record a failure; the engine's own error would hide the cause.
  async function executeScript(script: string) {
    await execute('SAVEPOINT script');
    try {
      await execute(script);
    } catch (error) {
      failure = error;
      await execute('ROLLBACK TO SAVEPOINT script');
      throw error;
    }
  }
  const { SchemaEngine } = await (loaded ??= load());
  const { files } = await readSchema();
  const engine = await SchemaEngine.new(
    { datamodels: files.map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory({
      provider: adapter.provider,
      adapterName: adapter.adapterName,
      connect: async () => Object.assign(withCharacters(await adapter.connect(), connection), { executeScript }),
      connectToShadowDb: () => adapter.connectToShadowDb(),
    }),
  );
  try {
    return await work(engine);
  } catch (error) {
    throw failure ?? error;
  } finally {
    engine.free();
  }
}

/** The OID of PostgreSQL's type "char", a single byte that its catalogs use. */
const characterOid = 18;

/**
 * Reads the catalogs' columns of type "char" as text, as the adapter does not know that type and the engine selects it.
 */
function withCharacters(adapter: SqlDriverAdapter, { describe }: Connection): SqlDriverAdapter {
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
      if (!/\bpg_(catalog|class|constraint|attribute)\b/.test(query.sql)) return queryRaw(query);
      const sql = query.sql.replace(/;\s*$/, '');
      const columns = await describe(sql, query.args);
      const selected = columns.map(({ name, dataTypeID }) => `"${name}"${dataTypeID === characterOid ? '::text' : ''}`);
      const result = await queryRaw({ ...query, sql: `SELECT ${selected.join(', ')} FROM (${sql}) AS result` });
      const columnTypes = result.columnTypes.map((type, n) =>
        columns[n]?.dataTypeID === characterOid ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    },
  });
}

// Once per process: the engine's JavaScript never frees the memory of its first instance.
let loaded: ReturnType<typeof load> | undefined;

/** The engine's file: the build puts it next to the bundle. */
function findEngine(): string {
  const name = 'schema_engine_bg.wasm';
  const bundled = join(import.meta.dirname, name);
  if (existsSync(bundled)) return bundled;
  return join(dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')), name);
}

/**
 * Instantiates the engine directly: its own entry point imports the .wasm file as a module, which Node 20 does not
 * support. The engine leaves a timer of ten seconds running, so a process that migrates ends later, or by
 * `process.exit`.
 */
async function load() {
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(findEngine());
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine });
  engine.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  return engine;
}
