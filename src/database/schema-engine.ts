import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import { root } from '../root.ts';
import type { Connection } from './database.ts';

// TypeScript declares WebAssembly together with the browser's DOM only, which this is not.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, () => void> } }>;
};

const prismaFolder = join(root, 'prisma');
const migrationsFolder = join(prismaFolder, 'migrations');

/** Everything in the schema is Prisma's to manage. */
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
  { adapter, execute }: Connection,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  // The adapters cut a script at every semicolon, those in functions and strings too, or do not wait for it. The
  // savepoint lets the engine take its notes after a failure; its own error would not tell what went wrong.
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
      connect: async () => Object.assign(await adapter.connect(), { executeScript }),
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

// Once a process: the engine's JavaScript holds on to the memory of the first instance.
let loaded: ReturnType<typeof load> | undefined;

/**
 * Instantiates the engine by hand: its own entry imports the .wasm file as a module, which Node 20 does not do. The engine
 * leaves a timer of ten seconds running, so a process that migrates ends only then, or by `process.exit`.
 */
async function load() {
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine });
  engine.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  return engine;
}
