// Shows a document without data where a page cannot be loaded. Pages always come from the service as long as it can be
// reached, so a release is seen at once; what is kept here is that of the release whose worker this is.
interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface RequestEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** What a service worker has, as far as this one uses it. */
interface WorkerScope {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
}

const worker = self as unknown as WorkerScope;

/** The service writes the version of its pages here, and the addresses of the files that the document loads. */
const [version = '', ...files] = '__shell__'.split(' ');

const cacheName = `premises-shell-${version}`;

/** The document that is shown. Its address on the service is that of all who are offline. */
const shellAddress = '/offline';

async function keepShell() {
  const cache = await caches.open(cacheName);
  // Without the session's cookie: the document is that of nobody.
  const shell = fetch(new Request(shellAddress, { credentials: 'omit', cache: 'no-store' }));
  await Promise.all([shell.then((response) => cache.put(shellAddress, response)), cache.addAll(files)]);
  await worker.skipWaiting();
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

const kept = async (address: string) => (await caches.open(cacheName)).match(address, { ignoreVary: true });

/** A page from the service, whatever its status; the document that is kept if the service cannot be reached. */
async function load(request: Request) {
  try {
    return await fetch(request);
  } catch {
    return (await kept(shellAddress)) ?? Response.error();
  }
}

worker.addEventListener('install', (event) => event.waitUntil(keepShell()));
worker.addEventListener('activate', (event) => event.waitUntil(forgetOthers()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(load(request));
  // Their names change with their content. All else, such as what the API answers, goes past this worker.
  else if (files.includes(pathname)) event.respondWith(kept(pathname).then((response) => response ?? fetch(request)));
});
