// Lints the OpenAPI document: npm run lint:api
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basePaths } from '../src/rest/index.ts';
import { openapi } from '../src/rest/openapi/document.ts';
import { api } from '../src/schema/index.ts';

const root = join(import.meta.dirname, '..');
const packages = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'premises-openapi-'));
const document = join(folder, 'openapi.json');

try {
  writeFileSync(document, JSON.stringify(openapi(api, 'https://premises.example.org', basePaths), null, 2));
  const run = (program: string, ...args: string[]) =>
    spawnSync(
      process.execPath,
      [join(packages.resolve(`${program.split(' ')[0]}/package.json`), '..', program.split(' ')[1] ?? ''), ...args],
      { stdio: 'inherit', cwd: root },
    ).status;
  const statuses = [
    run('@redocly/cli bin/cli.js', 'lint', document, '--config', 'redocly.yaml'),
    run(
      '@stoplight/spectral-cli dist/index.js',
      'lint',
      document,
      '--ruleset',
      'spectral.yaml',
      '--fail-severity',
      'warn',
    ),
  ];
  process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
