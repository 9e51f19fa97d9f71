import react from '@vitejs/plugin-react';
import { createServer, type Plugin } from 'vite';
import { languages } from '../src/auth/sessions/bodies.ts';
import type * as Script from './src/sign-in/prerender.tsx';

/** Writes a document for each language that has the page for signing in: people see it before its scripts are there. */
export function prerenderedSignIn(root: string): Plugin {
  return {
    name: 'prerendered-sign-in',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const document = bundle['guests.html'];
      const script = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'color-scheme');
      if (document?.type !== 'asset' || !script)
        throw new Error('There is no document for guests, or no script of colors.');
      const html = document.source
        .toString()
        .replace('<head>', `<head><script type="module" async src="/${script.fileName}" nonce="__nonce__"></script>`);
      const pages = await render(root);
      for (const [language, page] of pages) {
        const source = html
          .replace('<html lang="en">', `<html lang="${language}" data-mantine-color-scheme="light">`)
          .replace('<div id="root">', () => withoutStyles(`<div id="root" data-language="${language}">${page}`));
        this.emitFile({ type: 'asset', fileName: `sign-in.${language}.html`, source });
      }
    },
  };
}

/** Makes a style element of style attributes, which the policy forbids; `styleFirstPage` moves them back. */
function withoutStyles(html: string): string {
  const styles: string[] = [];
  const page = html.replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
    const known = styles.indexOf(style);
    return ` data-style="${known < 0 ? styles.push(style) - 1 : known}"`;
  });
  // Rules are text, in which HTML has no entities.
  const rules = styles.map(
    (style, n) => `[data-style="${n}"]{${style.replaceAll('&quot;', '"').replaceAll('&amp;', '&')}}`,
  );
  return `<style id="first-styles" nonce="__nonce__">${rules.join('')}</style>${page}`;
}

async function render(root: string): Promise<ReadonlyMap<string, string>> {
  const server = await createServer({
    configFile: false,
    root,
    logLevel: 'error',
    appType: 'custom',
    plugins: [react()],
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { signInPage } = (await server.ssrLoadModule('/src/sign-in/prerender.tsx')) as typeof Script;
    const pages = new Map<string, string>();
    for (const language of languages) pages.set(language, await signInPage(language));
    return pages;
  } finally {
    await server.close();
  }
}
