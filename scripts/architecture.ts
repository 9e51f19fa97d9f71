// Draws the folders of src/ and their imports, and writes the picture into docs/architecture.md:
//   npm run docs:architecture
//   npm run docs:architecture -- --check    fails when the picture is out of date
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import readConfiguration from 'dependency-cruiser/config-utl/extract-depcruise-config';

const root = join(import.meta.dirname, '..');
const path = join(root, 'docs', 'architecture.md');
const [start, end] = ['<!-- modules: written by npm run docs:architecture -->', '<!-- /modules -->'];

/** The imports between the folders and top-level files of src/. */
async function readImports(): Promise<Map<string, Set<string>>> {
  const { options } = await readConfiguration(join(root, '.dependency-cruiser.mjs'));
  const { output } = await cruise(['src'], {
    ...options,
    baseDir: root,
    includeOnly: { path: '^src/' },
    collapse: '^src/[^/]+',
  });
  if (typeof output === 'string') throw new Error('dependency-cruiser returned a report instead of its result');
  const nameOf = (source: string) => source.replace(/^src\//, '').replace(/\/$/, '');
  return new Map(
    output.modules
      .map(({ source, dependencies }): [string, Set<string>] => [
        nameOf(source),
        new Set(dependencies.map(({ resolved }) => nameOf(resolved)).filter((name) => name !== nameOf(source))),
      ])
      .sort(([one], [other]) => one.localeCompare(other)),
  );
}

/** Whether one imports another, directly or not; `without` skips the direct import. */
function reaches(imports: Map<string, Set<string>>, from: string, to: string, without = ''): boolean {
  return [...(imports.get(from) ?? [])].some((next) => next !== without && (next === to || reaches(imports, next, to)));
}

/** The picture without implied arrows. The layer rules exclude cycles. */
function draw(imports: Map<string, Set<string>>): string {
  const idOf = (name: string) => name.replace('.', '_');
  const nodes = [...imports.keys()].map((name) => `  ${idOf(name)}["${name.includes('.') ? name : `${name}/`}"]`);
  const arrows = [...imports].flatMap(([from, targets]) =>
    [...targets]
      .sort()
      .filter((to) => !reaches(imports, from, to, to))
      .map((to) => `  ${idOf(from)} --> ${idOf(to)}`),
  );
  return ['```mermaid', 'flowchart TD', ...nodes, ...arrows, '```'].join('\n');
}

const before = readFileSync(path, 'utf8');
const [head, rest] = before.split(start);
const tail = rest?.split(end)[1];
if (head === undefined || tail === undefined)
  throw new Error(`${path} has no place for the picture: ${start} … ${end}`);
const after = `${head}${start}\n\n${draw(await readImports())}\n\n${end}${tail}`;
if (!process.argv.includes('--check')) writeFileSync(path, after);
else if (after !== before) {
  process.stderr.write('The picture in docs/architecture.md is out of date: npm run docs:architecture\n');
  process.exitCode = 1;
}
