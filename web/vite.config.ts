import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

/** The pages, built into web/dist; src/pages serves them from there. */
export default defineConfig({
  root: here,
  plugins: [react()],
  // The service replaces this by a nonce in every response, which the page's policy allows.
  html: { cspNonce: '__nonce__' },
  build: {
    outDir: join(here, 'dist'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Inlined data: URLs would require a less strict policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { input: { main: join(here, 'index.html'), graphiql: join(here, 'src/graphiql.ts') } },
  },
});
