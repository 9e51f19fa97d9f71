// Each module that uses the resources imports them from the list, so importing it alone provides all operations.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { api } from '../../src/schema/index.ts';

const root = join(import.meta.dirname, '../..');

/** Evaluates an expression on the only module that a new process imports. */
async function evaluate(module: string, expression: string): Promise<number> {
  const script = `const m = await import(${JSON.stringify(join(root, module))}); console.log(${expression});`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: root,
  });
  return Number(stdout.trim().split('\n').at(-1));
}

/** Every operation has a route, and one more for each alias. */
const routes = api.operations.reduce((sum, { aliases = [] }) => sum + 1 + aliases.length, 0);

test.each([
  ['src/rest/routes.ts', 'm.routes().length', routes],
  [
    'src/rest/operations.ts',
    'm.buildOperations.length >= 0 ? (await m.buildOperations((await import("./src/schema/index.ts")).schema)).length : 0',
    routes,
  ],
  ['src/schema/index.ts', 'm.api.operations.length', api.operations.length],
])('%s alone has all operations', async (module, expression, count) => {
  expect(count).toBeGreaterThan(190);
  expect(await evaluate(module, expression)).toBe(count);
});
