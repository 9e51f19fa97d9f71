// Whatever a process imports first, it has all operations: importing a module in one order or another changes nothing.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { buildSchema, type GraphQLSchema } from 'graphql';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The routes of docs/routes.md: method, path, scope and operation. */
const documented = [...read('docs/routes.md').matchAll(/^\| ([A-Z]+) \| `(.+)` \| (.+) \| `(.+)` \|$/gm)];
// Files have no field of GraphQL.
const guestOperations = documented.filter(([, , path, scope]) => scope === 'nothing' && !path?.endsWith('/photos'));

const rootFields = (schema: GraphQLSchema): number =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].reduce(
    (sum, type) => sum + Object.keys(type?.getFields() ?? {}).length,
    0,
  );
const printed = rootFields(buildSchema(read('schema.graphql')));

/** Evaluates an expression on a module that a new process imports before all others. */
async function evaluate(module: string, expression: string): Promise<number> {
  const script = `
    const m = await import(${JSON.stringify(join(root, module))});
    const rootFields = (schema) => [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
      .flatMap((type) => Object.keys(type.getFields())).length;
    const { api } = await import('./src/schema/index.ts');
    console.log(${expression});`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: root,
  });
  return Number(stdout.trim().split('\n').at(-1));
}

test.each([
  ['REST', 'src/rest/routes.ts', 'm.routesOf(api).length + api.files.length', documented.length],
  ['GraphQL', 'src/graphql/schema.ts', 'rootFields(m.graphqlSchemaOf(api))', printed],
  [
    'OpenAPI',
    'src/rest/openapi/document.ts',
    'Object.values(m.openapi(api, "http://localhost", ["/api/v1"]).paths).flatMap(Object.keys).length',
    documented.length,
  ],
  // The demo is what the command line takes of the schema. GraphQL is without the operations of guests.
  ['the command line', 'src/seed/index.ts', 'rootFields(api.schema)', printed + guestOperations.length],
])('%s has all operations if %s is imported first', async (_, module, expression, count) => {
  expect(count).toBeGreaterThan(190);
  expect(await evaluate(module, expression)).toBe(count);
});
