// Runs Prisma's command line without its native engine. Prisma 7 locates (and downloads) the engine for each command,
// though `generate` and `format` never run it, so any existing file will do and installation needs only the npm
// registry.
//   node scripts/prisma.mjs format
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const { status } = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], {
  stdio: ['ignore', 'ignore', 'inherit'],
  cwd: root,
  env: {
    ...process.env,
    PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  },
});
process.exit(status ?? 1);
