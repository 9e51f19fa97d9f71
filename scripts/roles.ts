// Writes the tables of scope groups and roles into docs/api/authentication.md:
//   npm run docs:roles
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolesAsMarkdown, scopesAsMarkdown } from './access-tables.ts';

const path = join(import.meta.dirname, '..', 'docs', 'api', 'authentication.md');

function replaceTable(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run docs:roles -->`, `<!-- /${name} -->`];
  const [head, rest] = text.split(start);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined)
    throw new Error(`${path} has no place for the table: ${start} … ${end}`);
  return `${head}${start}\n\n${table}\n\n${end}${tail}`;
}

const before = readFileSync(path, 'utf8');
writeFileSync(path, replaceTable(replaceTable(before, 'scopes', scopesAsMarkdown()), 'roles', rolesAsMarkdown()));
