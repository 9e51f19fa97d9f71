// The rules on imports find what they forbid: each is tried on a small copy of the folders that breaks it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/** The files, and what each imports. */
const files: Readonly<Record<string, readonly string[]>> = {
  'src/context.ts': [],
  'src/resource/index.ts': ['./read/lists.ts'],
  'src/resource/read/lists.ts': ['../../context.ts'],
  'src/schema/good.ts': ['../resource/index.ts'],
  'src/graphql/good.ts': ['../schema/good.ts'],
  'src/rest/good.ts': ['../schema/good.ts'],
  'test/unit/good.test.ts': ['../../src/resource/read/lists.ts'],
  'test/good.test.ts': ['../src/resource/index.ts'],
  'src/database/upward.ts': ['../resource/index.ts'],
  'src/schema/one.ts': ['./other.ts'],
  'src/schema/other.ts': ['./one.ts'],
  'src/graphql/of-rest.ts': ['../rest/good.ts'],
  'src/rest/of-graphql.ts': ['../graphql/good.ts'],
  'src/schema/past-the-index.ts': ['../resource/read/lists.ts'],
  'test/past-the-index.test.ts': ['../src/resource/read/lists.ts'],
  'bench/past-the-index.ts': ['../src/resource/read/lists.ts'],
  'scripts/past-the-index.ts': ['../src/resource/read/lists.ts'],
  'src/billing/index.ts': ['../context.ts'],
  'node_modules/@pothos/core/index.js': [],
  'src/resource/schema/good.ts': ['../../../node_modules/@pothos/core/index.js'],
  'src/resource/read/of-the-kit.ts': ['../schema/good.ts'],
  'src/resource/read/of-pothos.ts': ['../../../node_modules/@pothos/core/index.js'],
};

/** The part of dependency-cruiser's report that the test reads. */
interface Report {
  readonly summary: { readonly violations: readonly { from: string; to: string; rule: { name: string } }[] };
}

let folder: string;
let found: Map<string, string[]>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'premises-layers-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), '{}');
  for (const [path, imports] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${imports.map((each) => `import '${each}';\n`).join('')}export {};\n`);
  }
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const folders = ['src', 'test', 'bench', 'scripts'];
  const config = join(root, '.dependency-cruiser.mjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, ...folders, '--config', config, '--output-type', 'json'],
    { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
  );
  if (stdout === '') throw new Error(stderr);
  // The format is dependency-cruiser's own.
  const { violations } = (JSON.parse(stdout) as Report).summary;
  found = new Map();
  for (const { from, rule } of violations) found.set(from, [...(found.get(from) ?? []), rule.name]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const broken = [
  ['an import of a higher layer', 'src/database/upward.ts', 'no-import-upwards-from-http'],
  ['a circle', 'src/schema/one.ts', 'no-circular'],
  ['GraphQL that knows REST', 'src/graphql/of-rest.ts', 'graphql-and-rest-apart'],
  ['REST that knows GraphQL', 'src/rest/of-graphql.ts', 'graphql-and-rest-apart'],
  ["an import past the kit's index", 'src/schema/past-the-index.ts', 'kit-by-its-index'],
  ["a test's import past the kit's index", 'test/past-the-index.test.ts', 'kit-by-its-index'],
  ["a benchmark's import past the kit's index", 'bench/past-the-index.ts', 'kit-by-its-index'],
  ["a script's import past the kit's index", 'scripts/past-the-index.ts', 'kit-by-its-index'],
  ['a read that needs the kit', 'src/resource/read/of-the-kit.ts', 'requests-without-the-kit'],
  ['Pothos outside its room', 'src/resource/read/of-pothos.ts', 'pothos-in-one-room'],
  ['a folder without a layer', 'src/billing/index.ts', 'every-module-has-a-layer'],
] as const;

test.each(broken)('%s is found', (_, file, rule) => {
  expect(found.get(file)).toEqual([rule]);
});

test('what keeps the rules is not', () => {
  expect([...found.keys()].sort()).toEqual(broken.map(([, file]) => file).sort());
});
