// Runs all tests except the slow ones (`*.slow.test.ts`), or with --slow only those. Named files run in either case:
// npm test -- test/config.test.ts. Other arguments are passed to jest.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const given = process.argv.slice(2);
const others = given.filter((argument) => argument !== '--slow');
const named = others.some((argument) => argument.startsWith('test/'));
const chosen = given.includes('--slow')
  ? ['--testMatch', '**/*.slow.test.ts']
  : named
    ? []
    : ['--testPathIgnorePatterns', '\\.slow\\.test\\.ts$'];

// The tests read the built pages and import compiled modules, and the slow ones start the built service.
const starts = given.some((argument) => argument === '--slow' || argument.includes('.slow.'));
const built = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'build.mjs'), 'prisma', 'pages', 'tests', ...(starts ? ['service', 'database'] : [])],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
  },
);
if (built.status !== 0) process.exit(1);

// Most objects then die before the garbage collector copies them.
const heap = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
const flags = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
// Slow tests are written for the time they take on an idle machine: the limit ends only what hangs.
const limit = starts ? ['--testTimeout', '480000'] : [];
const { status } = spawnSync(process.execPath, [...heap, jest, ...limit, ...others, ...chosen], {
  stdio: 'inherit',
  // Jest loads ES modules through an experimental Node feature.
  env: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}` },
});
process.exit(status ?? 1);
