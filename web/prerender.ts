import react from '@vitejs/plugin-react';
import { createServer, type Plugin } from 'vite';
import { languages } from '../src/auth/sessions/bodies.ts';
import { signInFile } from '../src/pages/addresses.ts';
import type * as Script from './src/sign-in/prerender.tsx';

/** Writes the documents have the page for signing in: people see and use it before its scripts are there. */
export function prerenderedSignIn(root: string): Plugin {
  return {
    name: 'prerendered-sign-in',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const document = bundle['guests.html'];
      const [colors, wake] = ['color-scheme', 'wake'].map((name) =>
        Object.values(bundle).find((file) => file.type === 'chunk' && file.name === name),
      );
      if (document?.type !== 'asset' || !colors || !wake)
        throw new Error('There is no document for guests, or a script of it is missing.');
      // Its scripts come when somebody uses the form.
      const html = document.source
        .toString()
        .replaceAll(/<(script [^>]*src=[^>]*><\/script|link rel="modulepreload"[^>]*)>/g, '')
        .replace(pageData, (data) => data + earlyScript(colors.fileName) + earlyScript(wake.fileName));
      for (const { language, emailsLinks, title, page } of await render(root)) {
        const source = html
          .replace('<html lang="en">', `<html lang="${language}" data-mantine-color-scheme="light">`)
          .replace(/<title>.*?<\/title>/, () => `<title>${title}</title>`)
          .replace('<div id="root">', () => withoutStyles(`<div id="root" data-language="${language}">${page}`))
          // Until a script hears of it: the browser would send the form, with the password in the address.
          .replace('type="submit"', 'type="submit" disabled data-early');
        this.emitFile({ type: 'asset', fileName: signInFile(language, emailsLinks), source });
      }
    },
  };
}

/** What comes with a document for its scripts. */
export const pageData = /<script [^>]*id="page-data"[^>]*>"__data__"<\/script>/;

/** A script that runs as soon as it is there: it waits neither for the document, after its data, nor for styles. */
export const earlyScript = (file: string): string =>
  `<script type="module" async src="/${file}" nonce="__nonce__"></script>`;

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

async function render(root: string) {
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
    const pages = [];
    for (const language of languages) {
      for (const emailsLinks of [false, true]) {
        const { title, html } = await signInPage(language, emailsLinks);
        pages.push({ language, emailsLinks, title, page: html });
      }
    }
    return pages;
  } finally {
    await server.close();
  }
}
