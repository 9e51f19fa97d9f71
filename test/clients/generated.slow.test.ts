// Clients generated from the OpenAPI document: they compile in strict mode, and work.
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../support/service.ts';

const root = join(import.meta.dirname, '..', '..');
// Inside the project, so that the clients find the packages they import.
const folder = join(root, 'node_modules', '.cache', 'premises', `clients-${process.pid}`);
const document = join(folder, 'openapi.json');

const run = promisify(execFile);
const tool = (path: string, ...args: string[]) =>
  run(process.execPath, [join(root, 'node_modules', path), ...args], { cwd: folder, maxBuffer: 2 ** 24 }).catch(
    (error: Error & { stdout?: string }) => {
      throw new Error(`${path}: ${error.stdout ?? ''} ${error.message}`);
    },
  );

let service: Service;
let compiled: { stdout: string };

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  service = await startService();
  await writeFile(document, await (await fetch(`${service.origin}/api/v1/openapi.json`)).text());
  await cp(join(import.meta.dirname, 'scenarios'), folder, { recursive: true });
  await Promise.all([
    tool('openapi-typescript/bin/cli.js', document, '--output', 'openapi-typescript.ts'),
    tool(
      '@hey-api/openapi-ts/bin/run.js',
      '--input',
      document,
      '--output',
      'hey-api',
      '--client',
      '@hey-api/client-fetch',
      '--silent',
    ),
  ]);
  const options = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    noEmit: true,
    strict: true,
    types: ['node'],
    allowImportingTsExtensions: true,
  };
  const stricter = { noUncheckedIndexedAccess: true, noImplicitOverride: true, noFallthroughCasesInSwitch: true };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...options, ...stricter, skipLibCheck: true },
      files: ['openapi-fetch.ts', 'hey-api.ts'],
    }),
  );
  compiled = await tool('typescript/bin/tsc', '--project', 'tsconfig.json');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.close();
});

test('generated clients compile', () => {
  expect(compiled.stdout).toBe('');
});

test.each(['openapi-fetch', 'hey-api'])(
  '%s creates, lists, filters and updates service requests, and reports errors',
  async (name) => {
    const { token = '' } = await (await service.tenant()).client(['service_requests:read', 'service_requests:write']);
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', `${name}.ts`, `${service.origin}/api/v1`, token],
      { cwd: folder },
    );
    expect(JSON.parse(stdout)).toEqual({
      status: 'pending',
      titles: ['The lobby light flickers'],
      found: [['Leak'], ['Noise', 'Smell'], ['Leak'], ['Leak'], ['Smell']],
      more: false,
      now: 'completed',
      details: { title: 'is required' },
      code: 'NOT_FOUND',
      remaining: true,
    });
  },
);
