import { PurgeCSS } from 'purgecss';
import type { Plugin, Rolldown } from 'vite';

/** Leaves out the styles of Mantine's components that none of the scripts that load with them or later has. */
export function unusedStyles(): Plugin {
  return {
    name: 'unused-styles',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      for (const asset of Object.values(bundle)) {
        if (asset.type !== 'asset' || !asset.fileName.endsWith('.css')) continue;
        const users = chunks.filter(({ viteMetadata }) => viteMetadata?.importedCss.has(asset.fileName));
        const code = [...reachable(users, bundle)].map((chunk) => chunk.code).join('\n');
        const [purged] = await new PurgeCSS().purge({
          content: [{ raw: code, extension: 'js' }],
          css: [{ raw: asset.source.toString() }],
          defaultExtractor: (text) => text.match(/m_[\da-f]+/g) ?? [],
          // All but the classes of Mantine, such as `m_77c9d27d`.
          safelist: [/^(?!m_[\da-f]+$)/],
        });
        if (purged) asset.source = purged.css;
      }
    },
  };
}

/** Some chunks with all that they load, at once or later. */
function reachable(from: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): Set<Rolldown.OutputChunk> {
  const found = new Set(from);
  for (const { imports, dynamicImports } of found)
    for (const name of [...imports, ...dynamicImports]) {
      const chunk = bundle[name];
      if (chunk?.type === 'chunk') found.add(chunk);
    }
  return found;
}
