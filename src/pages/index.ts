import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import { ServiceError } from '../errors.ts';
import { allowOnlyReads, refuseUnknownMethod } from '../http/errors.ts';
import { denyAll, policy, wantsPage } from '../http/headers.ts';
import { root } from '../root.ts';
import { addresses } from './addresses.ts';

/** The folder of the built pages. */
const folder = join(root, 'web', 'dist');

/** The types of files that are served at an address of their own. */
const served = ['.css', '.js', '.svg', '.png'];

/** The base addresses of the API. */
const apiRoot = /^\/(api\/)?v1\/?(\?|$)/;

/** The built pages. All files except the HTML document of the pages are sent from disk. */
interface BuiltPages {
  readonly index: string;
  /** The addresses of scripts, styles and pictures, which are also their paths in the folder. */
  readonly files: readonly string[];
}

/** Reads the built pages. */
export async function readPages(): Promise<BuiltPages> {
  try {
    const [index, names] = await Promise.all([
      readFile(join(folder, 'index.html'), 'utf8'),
      readdir(folder, { recursive: true }),
    ]);
    const files = names
      .filter((name) => served.includes(extname(name)))
      .map((name) => `/${name.replaceAll('\\', '/')}`);
    return { index, files };
  } catch (cause) {
    throw new Error('The pages are not built; run "npm run build".', { cause });
  }
}

/** Lets routes send built files, compressed where the client accepts it. */
export async function registerFiles(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false });
}

/** The media type of scripts since RFC 9239; the library's table is older. */
const asTextJavascript: onSendAsyncHookHandler = async (_request, reply) => {
  const type = reply.getHeader('content-type');
  if (typeof type === 'string') reply.type(type.replace(/^application\/javascript/, 'text/javascript'));
};

/** GraphiQL's editor sets inline styles, and embeds its icons. */
const graphiqlPolicy = policy({
  ...denyAll,
  'script-src': `'self'`,
  'worker-src': `'self'`,
  'style-src': `'self' 'unsafe-inline'`,
  'font-src': 'data:',
  'img-src': `'self' data:`,
  'connect-src': `'self'`,
});

/** Sends GraphiQL, or 304 to a browser that has it. */
export function sendGraphiql(reply: FastifyReply): FastifyReply {
  reply.headers({
    'content-security-policy': graphiqlPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
    vary: 'Accept, Accept-Encoding',
  });
  return reply.sendFile('graphiql.html');
}

/** Serves the pages and their files. One document is all pages: its script chooses one; the API decides on access. */
export function servePages(app: FastifyInstance, { index, files }: BuiltPages): void {
  for (const url of addresses) serve(url, (_request, reply) => sendIndex(reply));
  const known = new Set(files);
  // All assets share a route. There are about eighty, and a route for each would have seven methods.
  for (const url of ['/assets/:name', ...files.filter((file) => !file.startsWith('/assets/'))]) {
    // An asset's name contains a hash of its content, so it can be cached forever.
    const cacheControl = url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    app.get<{ Params: { name?: string } }>(url, { onSend: asTextJavascript }, ({ params: { name } }, reply) => {
      const file = name === undefined ? url : `/assets/${name}`;
      if (!known.has(file)) return reply.callNotFound();
      return reply.headers({ 'cache-control': cacheControl, vary: 'Accept, Accept-Encoding' }).sendFile(file);
    });
    allowOnlyReads(app, url);
  }
  // People who open the API's address find its documentation.
  app.addHook('onRequest', async (request, reply) => {
    if (apiRoot.test(request.url) && wantsPage(request)) return reply.header('vary', 'Accept').redirect('/');
  });
  // Unknown addresses get a page in a browser, and JSON elsewhere.
  app.setNotFoundHandler((request, reply) => {
    refuseUnknownMethod(request, reply);
    if (wantsPage(request)) return sendIndex(reply.status(404));
    throw new ServiceError('NOT_FOUND', 'There is no page at this address. The API is at /api/v1 and /graphql.');
  });

  function serve(url: string, handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply) {
    app.get(url, handler);
    allowOnlyReads(app, url);
  }

  function sendIndex(reply: FastifyReply): FastifyReply {
    // Mantine and React add style elements at run time. The nonce of this response allows those, and no others.
    const nonce = randomBytes(16).toString('base64');
    reply.headers({
      'content-security-policy': policy({
        ...denyAll,
        'script-src': `'self'`,
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': `'self'`,
        'connect-src': `'self'`,
      }),
      'cross-origin-opener-policy': 'same-origin',
      // Prevents the back button from showing it: another person may be signed in by then.
      'cache-control': 'no-store',
    });
    return reply.type('text/html; charset=utf-8').send(index.replaceAll('__nonce__', nonce));
  }
}
