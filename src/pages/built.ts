// The pages as `npm run build` has written them.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { languages } from '../auth/sessions/bodies.ts';
import { root } from '../root.ts';
import { type PageDocument, type PageRoute, shell, signInFile } from './addresses.ts';

/** The folder of the built pages. */
export const folder = join(root, 'web', 'dist');

/** The types of files that are served at an address of their own. */
const served = ['.css', '.js', '.svg', '.png', '.wasm'];

/** The built pages. All files except the HTML documents of the pages are sent from disk. */
export interface BuiltPages {
  readonly documents: Readonly<Record<PageDocument, string>>;
  /** The document that has the page for signing in already. @param emailsLinks whether it has a link for that */
  readonly signIn: (language: (typeof languages)[number], emailsLinks: boolean) => string | undefined;
  /** The addresses of scripts, styles and pictures, which are also their paths in the folder. */
  readonly files: readonly string[];
  /** The links by which a browser loads the styles of a page with its document. */
  readonly stylesOf: (page: PageRoute) => string;
  /** The links by which it loads scripts and styles. */
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
    const [index, guests, signInDocuments, names, manifest, script] = await Promise.all([
      readFile(join(folder, 'index.html'), 'utf8'),
      readFile(join(folder, 'guests.html'), 'utf8'),
      Promise.all(
        languages
          .flatMap((each) => [signInFile(each, false), signInFile(each, true)])
          .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
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
    const links = (page: PageRoute) => linksOf(page.files, chunks, documents[page.document]);
    const stylesOf = (page: PageRoute) => links(page).styles;
    const preloadsOf = (page: PageRoute) => links(page).scripts + links(page).styles;
    const kept = [...(index + preloadsOf(shell.page)).matchAll(/\/(?:assets\/[\w.-]+|favicon\.svg)/g)].map(
      ([file]) => file,
    );
    const version = createHash('sha256').update(index).digest('hex').slice(0, 16);
    const worker = script.replace('__shell__', () => [version, ...new Set(kept)].join(' '));
    const signInFiles = new Map(signInDocuments);
    const signIn: BuiltPages['signIn'] = (...given) => signInFiles.get(signInFile(...given));
    return { documents, signIn, files, stylesOf, preloadsOf, worker };
  } catch (cause) {
    throw new Error('The pages are not built; run "npm run build".', { cause });
  }
}

/** The links for what the files load, without what the document loads anyway. */
function linksOf(shown: readonly string[], chunks: ReadonlyMap<string, Chunk>, document: string) {
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
  const link = (rel: string) => (file: string) => `<link rel="${rel}" crossorigin href="/${file}" nonce="__nonce__">`;
  return { scripts: scripts.map(link('modulepreload')).join(''), styles: styles.map(link('stylesheet')).join('') };
}
