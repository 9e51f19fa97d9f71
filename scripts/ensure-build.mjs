// Preloaded by `npm start` and `npm run admin`: builds missing or outdated parts, or explains how to.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { outdatedParts } from './build-state.mjs';

const outdated = outdatedParts();
if (outdated.length > 0) {
  process.stderr.write(`Building Premises (${outdated.join(', ')}) …\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}
