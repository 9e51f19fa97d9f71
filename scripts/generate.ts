// Writes every generated file that is checked in:
//   npm run generate         after Prisma's client
//   npm run lint:generated   writes nothing, and fails when one of them is out of date
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import { graphqlSchemaOf } from '../src/graphql/schema.ts';
import { api } from '../src/schema/index.ts';
import { drawModules } from './module-picture.ts';
import { graphqlTypes, restTypes } from './pages-types.ts';
import { rolesAsMarkdown } from './roles-table.ts';
import { routesAsMarkdown } from './routes-table.ts';
import { scopesAsMarkdown } from './scopes-table.ts';

const root = join(import.meta.dirname, '..');
const schema = `${printSchema(graphqlSchemaOf(api))}\n`;

/** What each file holds, made from what it holds now. */
const files: Record<string, (before: string) => string | Promise<string>> = {
  'schema.graphql': () => schema,
  'docs/routes.md': routesAsMarkdown,
  'docs/roles.md': rolesAsMarkdown,
  'docs/api/authentication.md': (text) => replacePart(text, 'scopes', scopesAsMarkdown()),
  'docs/architecture.md': async (text) => replacePart(text, 'modules', await drawModules()),
  'web/src/api/generated/rest.ts': restTypes,
  'web/src/api/generated/graphql.ts': () => graphqlTypes(schema),
};

/** A document with another text between the two marks of this name. */
function replacePart(text: string, name: string, part: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- /${name} -->`];
  const [head, rest] = text.split(start);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`There is no place for ${name}: ${start} … ${end}`);
  return `${head}${start}\n\n${part}\n\n${end}${tail}`;
}

for (const [name, generate] of Object.entries(files)) {
  const path = join(root, name);
  const before = await readFile(path, 'utf8');
  const after = await generate(before);
  if (after === before) continue;
  if (!process.argv.includes('--check')) await writeFile(path, after);
  else {
    console.error(`${name} is out of date. Write it again with "npm run generate".`);
    process.exitCode = 1;
  }
}
