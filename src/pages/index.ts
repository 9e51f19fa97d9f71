import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { onlyReads } from '../http/errors.ts';
import { type File, makeFile, sendFile } from '../http/file.ts';
import { nothing, policy } from '../http/headers.ts';

/** Where `npm install` has built the pages. */
const folder = join(import.meta.dirname, '../../web/dist');

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The addresses of pages. Which it is, the script finds out, and what its caller may see, it asks the API. */
const addresses = ['/sign-in', '/account', '/dashboard', '/ai-usage', '/packages', '/packages/:token'];

/** What the build left behind. */
export interface BuiltPages {
  readonly index: string;
  /** Scripts, styles and pictures by their address. */
  readonly files: ReadonlyMap<string, File>;
  /** What GraphiQL's page carries besides GraphiQL: the bar that says in whose name it asks. */
  readonly graphiql: { readonly script: string; readonly styles: readonly string[] };
}

/** Reads what the build left behind: under a megabyte, which stays in memory. */
export async function readPages(): Promise<BuiltPages> {
  const index = await readFile(join(folder, 'index.html'), 'utf8').catch((cause: unknown) => {
    throw new Error('The pages are not there; "npm run pages" builds them.', { cause });
  });
  const files = new Map<string, File>();
  for (const name of await readdir(folder, { recursive: true })) {
    const type = types[extname(name)];
    if (type) files.set(`/${name.replaceAll('\\', '/')}`, await makeFile(type, await readFile(join(folder, name))));
  }
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<
    string,
    { file: string; css?: string[] }
  >;
  const { file, css = [] } = manifest['src/graphiql.ts'] ?? { file: '' };
  return { index, files, graphiql: { script: `/${file}`, styles: css.map((name) => `/${name}`) } };
}

/** Serves the pages for people, and the way to them. */
export function servePages(app: FastifyInstance, { index, files }: BuiltPages): void {
  for (const url of addresses) serve(url, (_request, reply) => sendIndex(reply));
  for (const [url, file] of files)
    serve(url, (request, reply) => sendFile(file, request, reply, url.startsWith('/assets/')));
  serve('/', (_request, reply) => reply.redirect('/dashboard'));
  // A person who is lost is told so on a page, and a program in JSON.
  app.setNotFoundHandler((request, reply) => {
    if (request.method === 'GET' && request.headers.accept?.includes('text/html')) return sendIndex(reply.status(404));
    throw new ServiceError('NOT_FOUND', 'There is nothing at this address. The API is at /api/v1 and /graphql.');
  });

  function serve(url: string, handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply) {
    app.get(url, handler);
    onlyReads(app, url);
  }

  function sendIndex(reply: FastifyReply): FastifyReply {
    // Mantine and React write style elements at run time. They carry this answer's nonce; nothing else may style.
    const nonce = randomBytes(16).toString('base64');
    reply.headers({
      'content-security-policy': policy({
        ...nothing,
        'script-src': `'self'`,
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': `'self'`,
        'connect-src': `'self'`,
      }),
      'cross-origin-opener-policy': 'same-origin',
      // Nor does a browser keep it to go back to: somebody else may be signed in by then.
      'cache-control': 'no-store',
    });
    return reply.type('text/html; charset=utf-8').send(index.replaceAll('__nonce__', nonce));
  }
}
