// The pages as `npm run build` has written them.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { languages } from '../auth/sessions/bodies.ts';
import { root } from '../root.ts';
import { type PageDocument, type PageRoute, shell } from './addresses.ts';

/** The folder of the built pages. */
export const folder = join(root, 'web', 'dist');

/** The types of files that are served at an address of their own. */
const served = ['.css', '.js', '.svg', '.png', '.wasm'];

/** The built pages. All files except the HTML documents of the pages are sent from disk. */
export interface BuiltPages {
  readonly documents: Readonly<Record<PageDocument, string>>;
  /** Documents that have the page for signing in already, by language. */
  readonly signIn: ReadonlyMap<string, string>;
  /** The addresses of scripts, styles and pictures, which are also their paths in the folder. */
  readonly files: readonly string[];
  /** The links by which a browser loads the scripts of a page with its document. */
  readonly preloadsOf: (page: PageRoute) => string;
  /** The script of the service worker. It is another one for each release, so that browsers replace what it keeps. */
  readonly worker: string;
}

/** What the bundler says about a file: where it was written, and what is loaded with it. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Reads the built pages. */
export async function readPages(): Promise<BuiltPages> {
  try {
    const [index, guests, signIn, names, manifest, script] = await Promise.all([
      readFile(join(folder, 'index.html'), 'utf8'),
      readFile(join(folder, 'guests.html'), 'utf8'),
      Promise.all(
        languages.map(async (each) => [each, await readFile(join(folder, `sign-in.${each}.html`), 'utf8')] as const),
      ),
      readdir(folder, { recursive: true }),
      readFile(join(folder, '.vite', 'manifest.json'), 'utf8'),
      readFile(join(folder, shell.worker), 'utf8'),
    ]);
    const files = names
      .filter((name) => served.includes(extname(name)))
      .map((name) => `/${name.replaceAll('\\', '/')}`)
      .filter((address) => address !== shell.worker);
    // The bundler has written it.
    const chunks = new Map(Object.entries(JSON.parse(manifest) as Record<string, Chunk>));
    const documents = { index, guests };
    const links = (page: PageRoute) => preloadsOf(page.files, chunks, documents[page.document]);
    const kept = [...(index + links(shell.page)).matchAll(/\/(?:assets\/[\w.-]+|favicon\.svg)/g)].map(([file]) => file);
    const version = createHash('sha256').update(index).digest('hex').slice(0, 16);
    const worker = script.replace('__shell__', () => [version, ...new Set(kept)].join(' '));
    return { documents, signIn: new Map(signIn), files, preloadsOf: links, worker };
  } catch (cause) {
    throw new Error('The pages are not built; run "npm run build".', { cause });
  }
}

/** The links for what the files load, without what the document loads anyway. */
function preloadsOf(shown: readonly string[], chunks: ReadonlyMap<string, Chunk>, document: string): string {
  const found = new Set<Chunk>();
  const add = (name: string) => {
    const chunk = chunks.get(name);
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const each of chunk.imports ?? []) add(each);
  };
  for (const name of shown) add(`src/${name}.tsx`);
  const isNew = (file: string) => !document.includes(file);
  const scripts = [...found].map(({ file }) => file).filter(isNew);
  const styles = [...new Set([...found].flatMap(({ css = [] }) => css))].filter(isNew);
  return [
    ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}" nonce="__nonce__">`),
    ...styles.map((file) => `<link rel="stylesheet" crossorigin href="/${file}" nonce="__nonce__">`),
  ].join('');
}
