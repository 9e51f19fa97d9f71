// Builds what `npm start` runs: the Prisma client (src/database/generated), the pages (web/dist) and the compiled
// service (dist) with an empty database to copy (dist/database); and on request the modules of the tests. Builds only
// the parts whose sources changed since they were last built; --force builds all of them.
//   node scripts/build.mjs [--force] [prisma] [pages] [service] [database] [tests]
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { canBuild, fingerprints, outdatedParts, recordFile, root, serviceParts } from './build-state.mjs';
import { nativePackages, writePackages } from './packages.mjs';

const dist = join(root, 'dist');
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
};

const steps = {
  prisma: () => run('scripts/prisma.mjs', 'generate', '--no-hints'),
  pages: () => run('--import', 'tsx', 'scripts/pages.ts'),
  service: buildService,
  database: prepareDatabase,
  tests: compileForTests,
};

const named = Object.keys(steps).filter((part) => process.argv.includes(part));
const wanted = named.length > 0 ? named : serviceParts;
const outdated = process.argv.includes('--force') ? wanted : outdatedParts(wanted);
if (outdated.length > 0) {
  if (!canBuild()) {
    console.error(
      'Premises is not built, and building it needs the development dependencies. Run `npm install --include=dev`;\n' +
        '`npm prune --omit=dev` removes them again afterwards.',
    );
    process.exit(1);
  }
  for (const part of outdated) {
    // The record is written after the build, so that a failed or interrupted build leaves none.
    writeRecord(part, undefined);
    await steps[part]();
    writeRecord(part, fingerprints()[part]);
  }
}

/** Bundles the service with its packages, so that it loads a few files instead of thousands. */
async function buildService() {
  const { build } = await import('esbuild');
  for (const name of existsSync(dist) ? readdirSync(dist) : [])
    if (name !== 'database') rmSync(join(dist, name), { recursive: true });
  const { metafile } = await build({
    ...shared,
    entryPoints: ['server', 'cli', 'migrate', 'database/pglite-thread', 'files/file-worker'].map(
      (name) => `src/${name}.ts`,
    ),
    entryNames: '[name]', // all in one folder
    outdir: dist,
    splitting: true,
    // Smaller, but keeps the names that errors and profiles show.
    minifyWhitespace: true,
    minifySyntax: true,
    // The packages that read files next to their code, or one folder above, find them here.
    chunkNames: 'chunks/[name]-[hash]',
    metafile: true,
    external: [
      'pg-native', // an optional dependency of pg, which is not installed
      ...nativePackages,
    ],
    // CommonJS packages inside the bundle require Node's own modules.
    banner: {
      js: "import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(import.meta.url);",
    },
  });
  const packages = createRequire(import.meta.url);
  const pglite = dirname(packages.resolve('@electric-sql/pglite'));
  const engine = dirname(packages.resolve('@prisma/schema-engine-wasm'));
  for (const [from, to] of [
    [join(pglite, 'pglite.wasm'), 'chunks'],
    [join(pglite, 'pglite.data'), 'chunks'],
    [join(pglite, 'initdb.wasm'), 'chunks'],
    [join(pglite, 'pg_trgm.tar.gz'), '.'],
    [join(engine, 'schema_engine_bg.wasm'), 'chunks'],
  ])
    copyFileSync(from, join(dist, to, basename(from)));
  writePackages(
    dist,
    Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
    ),
  );
  await runCompiled('openapi', join(dist, 'openapi.json'));
}

/** Makes the database that a first start copies. */
async function prepareDatabase() {
  rmSync(join(dist, 'database'), { recursive: true, force: true });
  await runCompiled('database', join(dist, 'database'));
}

/** Runs a script over the sources of the service. */
async function runCompiled(script, ...args) {
  const { build } = await import('esbuild');
  const compiled = join(dist, `run-${script}.js`);
  await build({ ...shared, entryPoints: [`scripts/${script}.ts`], outfile: compiled, packages: 'external' });
  run(compiled, ...args);
  rmSync(compiled);
}

/**
 * Compiles the modules that tests share, each to a file of its own, as tests import single modules. Node loads these in
 * half of the time that tsx needs, and runs them faster, as tsx adds the name of each function when it is created.
 */
async function compileForTests() {
  const { build } = await import('esbuild');
  const outdir = join(root, 'test/dist');
  rmSync(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ['src', 'test/support'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    ),
    outbase: root,
    outdir,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
    // Only bundles have their imports resolved, which renames them to those of the compiled files.
    bundle: true,
    packages: 'external',
    plugins: [
      {
        name: 'modules',
        setup({ onResolve }) {
          onResolve({ filter: /^\./ }, ({ kind, path }) =>
            kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
          );
        },
      },
    ],
  });
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`The build failed: node ${args.join(' ')}`);
    process.exit(1);
  }
}

function writeRecord(part, fingerprint) {
  const record = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : {};
  mkdirSync(join(recordFile, '..'), { recursive: true });
  writeFileSync(recordFile, JSON.stringify({ ...record, [part]: fingerprint }));
}
