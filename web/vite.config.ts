import { join } from 'node:path';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { guestPages } from '../src/pages/addresses.ts';
import { firstFiles } from './first-files.ts';
import { mantineStyles } from './mantine-styles.ts';
import { earlyScript, pageData, prerenderedSignIn } from './prerender.ts';

const here = import.meta.dirname;

const config = (): UserConfig => ({
  root: here,
  plugins: [react(), graphiqlModules(), bootFirst(), mantineStyles()],
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
    // The service preloads the scripts of the page that an address names.
    manifest: true,
    rollupOptions: {
      input: {
        main: join(here, 'index.html'),
        guests: join(here, 'guests.html'),
        graphiql: join(here, 'graphiql.html'),
        boot: join(here, 'src/boot.ts'),
        'color-scheme': join(here, 'src/color-scheme.ts'),
        wake: join(here, 'src/sign-in/wake.ts'),
        'service-worker': join(here, 'src/service-worker.ts'),
        'barcode-worker': join(here, 'src/barcode-worker.ts'),
      },
    },
  },
});

/** The pages, built into web/dist; src/pages serves them from there. */
export default defineConfig(async () => {
  const { build, ...others } = config();
  const signIn = ['guests/main.tsx', 'guests/SignIn.tsx'];
  const guest = Object.keys(guestPages).map((page) => `guests/${page}.tsx`);
  const app = ['main.tsx', 'console/pages/CompanyPages.tsx', 'components/AuthenticatedPage.tsx'];
  const list = ['console/pages/ListPage.tsx'];
  const name = await firstFiles(config(), [
    ['early', ['sign-in/wake.ts']],
    ['first', ['boot.ts']],
    ['early-list', ['console/early-list.ts']],
    ['base', signIn, [...app, ...list]],
    ['sign-in', signIn],
    ['shared', guest, [...app, ...list]],
    ['app', app],
    ['list', list],
    ['guest', guest],
  ]);
  const codeSplitting = { includeDependenciesRecursively: false, groups: [{ name, debugName: 'first files' }] };
  const output = {
    codeSplitting,
    // Browsers find a newer service worker at the address of the former one, and pages the one for barcodes.
    entryFileNames: ({ name }: { readonly name: string }) =>
      name === 'service-worker' || name === 'barcode-worker' ? '[name].js' : 'assets/[name]-[hash].js',
  };
  const plugins = [...(others.plugins ?? []), prerenderedSignIn(here)];
  return { ...others, plugins, build: { ...build, rollupOptions: { ...build?.rollupOptions, output } } };
});

/** Loads `boot` before everything else: a small script of its own, which does not wait for the others. */
function bootFirst(): Plugin {
  return {
    name: 'boot-first',
    transformIndexHtml: {
      order: 'post',
      handler(html, { path, bundle = {} }) {
        const [colors, boot] = ['color-scheme', 'boot'].map((name) =>
          Object.values(bundle).find((file) => file.type === 'chunk' && file.name === name),
        );
        if (path !== '/index.html' || !colors || !boot) return html;
        return html.replace(pageData, (data) => data + earlyScript(colors.fileName) + earlyScript(boot.fileName));
      },
    },
  };
}

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
