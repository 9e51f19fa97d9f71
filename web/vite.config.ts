import { join } from 'node:path';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = import.meta.dirname;

/** The pages, built into web/dist; src/pages serves them from there. */
export default defineConfig({
  root: here,
  plugins: [react(), graphiqlModules()],
  // The service replaces this by a nonce in every response, which the page's policy allows.
  html: { cspNonce: '__nonce__' },
  build: {
    outDir: join(here, 'dist'),
    emptyOutDir: true,
    // Inlined data: URLs would require a less strict policy.
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { input: { main: join(here, 'index.html'), graphiql: join(here, 'graphiql.html') } },
  },
});

/**
 * Makes modules of the strings in GraphiQL's package: `graphiql:style.css` are its styles, and `graphiql:<name>` is the
 * address of a script, which is served as it is.
 */
function graphiqlModules(): Plugin {
  const prefix = '\0graphiql:';
  // Without the texts' fonts: they take more than half of the styles, which the first paint waits for.
  const styles = graphiql.css.replaceAll(/@font-face\{[^}]*data:font\/woff[^}]*\}/g, '');
  const isScript = (name: string): name is Exclude<keyof typeof graphiql, 'css'> => name in graphiql && name !== 'css';
  return {
    name: 'graphiql-modules',
    resolveId: (id) => (id.startsWith(prefix.slice(1)) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return undefined;
      const name = id.slice(prefix.length);
      if (name === 'style.css') return styles;
      if (!isScript(name)) return undefined;
      const file = this.emitFile({ type: 'asset', name: `graphiql-${name}.js`, source: graphiql[name] });
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
    // The page would otherwise only learn of the largest script from its own one.
    transformIndexHtml: {
      order: 'post',
      handler(_html, { path, bundle = {} }) {
        const library = Object.keys(bundle).find((file) => /graphiql-js-[^/]*\.js$/.test(file));
        return path === '/graphiql.html' && library
          ? [{ tag: 'link', attrs: { rel: 'modulepreload', href: `/${library}` }, injectTo: 'head' }]
          : [];
      },
    },
  };
}
