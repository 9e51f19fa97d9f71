import { randomBytes } from 'node:crypto';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import Negotiator from 'negotiator';
import { languages, type PageData, type SessionBody, type SignInOptions } from '../auth/sessions/bodies.ts';
import { ServiceError } from '../errors.ts';
import { allowOnlyReads, refuseUnknownMethod } from '../http/errors.ts';
import { sendCompressed } from '../http/file.ts';
import { denyAll, policy, wantsPage } from '../http/headers.ts';
import { barcodeWorker, companyAddress, guestPages, manifestAddress, routes, shell } from './addresses.ts';
import { type BuiltPages, folder } from './built.ts';

export { readPages } from './built.ts';

/** The base addresses of the API. */
const apiRoot = /^\/(api\/)?v1\/?(\?|$)/;

/** Lets routes send built files, compressed where the client accepts it. */
export async function registerFiles(app: FastifyInstance): Promise<void> {
  // Their ETag says as much as their time.
  const headers = { cacheControl: false, lastModified: false };
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, ...headers });
}

/**
 * Sets the media type of scripts since RFC 9239, as the library's table is older. Files have none of the headers that
 * pages of other origins may read, whose names would be half of what some of them take.
 */
const asOwnFile: onSendAsyncHookHandler = async (_request, reply) => {
  reply.removeHeader('access-control-expose-headers');
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

/** The service worker fetches pages and their files, and nothing of others. */
const workerPolicy = policy({ ...denyAll, 'connect-src': `'self'` });

/** The worker that reads barcodes is WebAssembly, which no page may run; it loads that from the service alone. */
const barcodePolicy = policy({
  ...denyAll,
  'script-src': `'self' 'wasm-unsafe-eval'`,
  'connect-src': `'self'`,
});

/** The description of the app that phones install, which begins with the day of whoever works in a company. */
function manifestOf(company: string): string {
  const start = `/c/${encodeURIComponent(company)}/my-day`;
  return JSON.stringify({
    name: 'Premises',
    short_name: 'Premises',
    id: start,
    start_url: start,
    scope: '/',
    display: 'standalone',
    theme_color: '#0b7285',
    background_color: '#ffffff',
    icons: [
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icon-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  });
}

const [signInAddress] = guestPages.SignIn;

/** What the pages need of the service. */
interface PageSources {
  /** The types of resources by the part of an address that names one. */
  readonly collections: ReadonlyMap<string, string>;
  /** Finds the session of a request as the pages receive it; null without one. */
  readonly findSession: (request: FastifyRequest, reply: FastifyReply) => Promise<SessionBody | null>;
  readonly signInOptions: SignInOptions;
}

/** What of a page the browser receives first. */
interface Shown {
  readonly html: string;
  /** The links that load its scripts. */
  readonly links: string;
}

/**
 * Serves the pages and their files. One document has all pages for people who are signed in, and one those for others:
 * its script chooses one; the API decides on access. Who is signed in comes with the document.
 */
export function servePages(app: FastifyInstance, built: BuiltPages, sources: PageSources): void {
  const { documents, files, preloadsOf, stylesOf, signIn, worker } = built;
  const { collections, findSession, signInOptions } = sources;
  for (const page of routes) {
    const shown = { html: documents[page.document], links: preloadsOf(page) };
    serve(page.address, (request, reply) => {
      // A part of an address that the router has matched.
      const { collection } = request.params as { readonly collection?: string };
      if (page.address === signInAddress) return sendSignIn(request, reply, shown, stylesOf(page));
      if (collection === undefined) return sendPage(request, reply, shown);
      const type = collections.get(collection);
      return type ? sendPage(request, reply, shown, { type }) : sendPage(request, reply.status(404), shown);
    });
  }
  const known = new Set(files);
  // All assets share a route. There are about eighty, and a route for each would have seven methods.
  for (const url of ['/assets/:name', ...files.filter((file) => !file.startsWith('/assets/'))]) {
    // An asset's name contains a hash of its content, so it can be cached forever.
    const cacheControl = url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    app.get<{ Params: { name?: string } }>(url, { onSend: asOwnFile }, ({ params: { name } }, reply) => {
      const file = name === undefined ? url : `/assets/${name}`;
      if (!known.has(file)) return reply.callNotFound();
      if (file === barcodeWorker) reply.header('content-security-policy', barcodePolicy);
      return reply.headers({ 'cache-control': cacheControl, vary: 'Accept, Accept-Encoding' }).sendFile(file);
    });
    allowOnlyReads(app, url);
  }
  // What a browser shows without a network. Nobody is in it: it is the same for all.
  const offline = { html: documents[shell.page.document], links: preloadsOf(shell.page) };
  serve(shell.page.address, async (_request, reply) => sendDocument(reply, offline, { isOffline: true }));
  serve(shell.worker, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': workerPolicy, 'cache-control': 'no-cache' })
      .type('text/javascript; charset=utf-8')
      .send(worker),
  );
  serve(companyAddress + manifestAddress, async (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .type('application/manifest+json; charset=utf-8')
      .send(manifestOf((request.params as { readonly company: string }).company)),
  );
  // People who open the API's address find its documentation.
  app.addHook('onRequest', async (request, reply) => {
    if (apiRoot.test(request.url) && wantsPage(request)) return reply.header('vary', 'Accept').redirect('/');
  });
  // Unknown addresses get a page in a browser, and JSON elsewhere.
  app.setNotFoundHandler((request, reply) => {
    refuseUnknownMethod(request, reply);
    if (wantsPage(request)) return sendDocument(reply.status(404), { html: documents.index, links: '' });
    throw new ServiceError('NOT_FOUND', 'There is no page at this address. The API is at /api/v1 and /graphql.');
  });

  function serve(url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) {
    app.get(url, handler);
    allowOnlyReads(app, url);
  }

  /**
   * Sends the document that has the form already, in the reader's language, with the page's styles but not its scripts.
   * Those show what failed before, and lead on whoever is signed in.
   */
  async function sendSignIn(request: FastifyRequest, reply: FastifyReply, shown: Shown, styles: string) {
    const session = await findSession(request, reply).catch(() => undefined);
    const accepted = new Negotiator(request.raw).language([...languages]);
    const html = signIn(languages.find((each) => each === accepted) ?? languages[0], signInOptions.emailsLinks);
    const { error } = request.query as { readonly error?: unknown };
    if (session !== null || error !== undefined || html === undefined)
      return sendDocument(reply, shown, { signIn: signInOptions, ...(session !== undefined && { session }) });
    reply.header('vary', 'Accept, Accept-Encoding, Accept-Language');
    // It contains nothing that only somebody may know.
    return sendCompressed(
      prepareDocument(reply, { html, links: styles }, { signIn: signInOptions, session }),
      request,
      reply,
    );
  }

  /** Sends the document with the session. The page asks for one that could not be read, and says why. */
  async function sendPage(request: FastifyRequest, reply: FastifyReply, shown: Shown, data: PageData = {}) {
    const session = await findSession(request, reply).catch(() => undefined);
    // Whoever is signed in begins in their company.
    if (request.routeOptions.url === '/' && session?.company)
      return reply.header('cache-control', 'no-store').redirect(`/c/${session.company.slug}`);
    return sendDocument(reply, shown, { ...data, ...(session !== undefined && { session }) });
  }

  /** It is not compressed: it contains what only the person may know. */
  const sendDocument = (reply: FastifyReply, shown: Shown, data: PageData = {}): FastifyReply =>
    reply.send(prepareDocument(reply, shown, data));

  /** Sets the headers of a document. @returns it with its data */
  function prepareDocument(reply: FastifyReply, { html: shown, links }: Shown, data: PageData): string {
    reply.type('text/html; charset=utf-8');
    // Mantine and React add style elements at run time. The nonce of this response allows those, and no others.
    const nonce = randomBytes(16).toString('base64');
    reply.headers({
      'content-security-policy': policy({
        ...denyAll,
        'script-src': `'self'`,
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': `'self'`,
        'connect-src': `'self'`,
        'worker-src': `'self'`,
        'manifest-src': `'self'`,
      }),
      'cross-origin-opener-policy': 'same-origin',
      // Prevents the back button from showing it: another person may be signed in by then.
      'cache-control': 'no-store',
    });
    // A `<` could end the element that the data is in.
    const json = JSON.stringify(data).replaceAll('<', '\\u003c');
    const html = shown.replace('</head>', (end) => links + end).replaceAll('__nonce__', nonce);
    return html.replace('"__data__"', () => json);
  }
}
