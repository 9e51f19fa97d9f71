import { join } from 'node:path';
import { build, type InlineConfig, type Rolldown } from 'vite';

/**
 * A file of scripts: its name, and the modules in `web/src/` that need it, such as those of a page. Of several sets of
 * modules, the file has what each set needs.
 */
export type FirstFile = readonly [name: string, ...sets: readonly (readonly string[])[]];

/**
 * Finds which modules belong to which file, so that the first pages come as few files: on a slow network a request
 * takes longer than its bytes. Each file has what its modules load at once, without what is in the files before it.
 *
 * @param config of a build, which is done once without writing it, as only a build knows what is left of a library
 * @returns the name of the file that a module belongs to, null for those that the bundler distributes itself
 */
export async function firstFiles(
  config: InlineConfig,
  files: readonly FirstFile[],
): Promise<(module: string) => string | null> {
  const quick = { ...config.build, write: false, minify: false, sourcemap: false } as const;
  const built = (await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: quick,
  })) as Rolldown.RolldownOutput;
  const chunks = new Map(
    built.output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
  );
  const fileOf = new Map<string, string>();
  const neededBy = (modules: readonly string[]): Set<string> => {
    const paths = new Set(modules.map((module) => join(config.root ?? '', 'src', module)));
    const loaded = new Set([...chunks.values()].filter(({ moduleIds }) => moduleIds.some((id) => paths.has(id))));
    for (const { imports } of loaded) {
      for (const imported of imports) {
        const chunk = chunks.get(imported);
        if (chunk) loaded.add(chunk);
      }
    }
    return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
  };
  for (const [name, ...sets] of files) {
    const [first = new Set<string>(), ...others] = sets.map(neededBy);
    for (const id of first) if (!fileOf.has(id) && others.every((ids) => ids.has(id))) fileOf.set(id, name);
  }
  // Loading a file must not start a page, nor bring the styles of another document; those of a component belong to it.
  const isAlone = (module: string) =>
    /web\/src\/.*(?<!\.module)\.css$|\.html$|\/(main\.tsx|boot\.ts|color-scheme\.ts|wake\.ts)$/.test(module);
  return (module) => (isAlone(module) ? null : (fileOf.get(module) ?? null));
}
