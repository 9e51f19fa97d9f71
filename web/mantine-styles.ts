import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const folder = join(dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')), 'styles');

/**
 * Loads the styles of each of Mantine's components with the scripts that have it. They are in a cascade layer, so that
 * our own apply in whatever order both are loaded.
 */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    transform(code, id) {
      // The names of the classes of a component's styles.
      const name = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id)?.[1];
      if (name === undefined) return undefined;
      const styles = `@mantine/core/styles/${name}.layer.css`;
      if (!existsSync(join(folder, `${name}.layer.css`))) throw new Error(`Mantine has no ${styles}.`);
      return { code: `import '${styles}';\n${code}`, map: null };
    },
  };
}
