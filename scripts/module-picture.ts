// The picture of the folders of src/ in docs/architecture.md.
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import readConfiguration from 'dependency-cruiser/config-utl/extract-depcruise-config';

const root = join(import.meta.dirname, '..');

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

/**
 * A Mermaid diagram of the folders of src/ and their imports, without implied arrows. The layer rules exclude cycles.
 */
export async function drawModules(): Promise<string> {
  const imports = await readImports();
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
