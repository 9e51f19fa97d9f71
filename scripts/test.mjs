// Runs the tests; arguments go on to jest: npm test -- test/config.test.ts
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const flags = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Jest loads modules that are not CommonJS through an experimental part of Node.
  env: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}` },
});
process.exit(status ?? 1);
