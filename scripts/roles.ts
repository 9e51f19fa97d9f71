// Writes the table of roles into docs/api/authentication.md:
//   npm run docs:roles
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolesAsMarkdown } from './roles-table.ts';

const path = join(import.meta.dirname, '..', 'docs', 'api', 'authentication.md');
const [start, end] = ['<!-- roles: written by npm run docs:roles -->', '<!-- /roles -->'];

const before = readFileSync(path, 'utf8');
const [head, rest] = before.split(start);
const tail = rest?.split(end)[1];
if (head === undefined || tail === undefined) throw new Error(`${path} has no place for the table: ${start} … ${end}`);
writeFileSync(path, `${head}${start}\n\n${rolesAsMarkdown()}\n\n${end}${tail}`);
