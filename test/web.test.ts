import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isEnumType } from 'graphql';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import { createLimiter } from '../src/auth/limits.ts';
import type { PageData } from '../src/auth/sessions/bodies.ts';
import { readConfig } from '../src/config.ts';
import { guestPages, pages, rowTypes } from '../src/pages/addresses.ts';
import { root } from '../src/root.ts';
import { api } from '../src/schema/index.ts';
import { notificationSubjects } from '../src/schema/notifications/read.ts';
import type { ResourceWords } from '../web/src/api/meta.ts';
import { describeList } from '../web/src/lists/lists.ts';
import { columnsOf, type Shown } from '../web/src/lists/query.ts';
import type { ListName } from '../web/src/lists/titles.ts';
import { openSession } from './support/browser.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Reads a whole response, as the server waits for unread responses when it stops. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(service.origin + path, { redirect: 'manual', headers });
  const body = Buffer.from(await response.arrayBuffer());
  return new Response(body.length > 0 ? body : null, { status: response.status, headers: response.headers });
}
const policyOf = ({ headers }: Response) => headers.get('content-security-policy') ?? '';
const assets = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

test.each(['/api/v1', '/v1/', '/api/v1?x=1'])(
  '%s leads a browser to the index, and is JSON elsewhere',
  async (path) => {
    const page = await get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([page.status, page.headers.get('location')]).toEqual([302, '/']);
    for (const accept of ['*/*', 'application/json']) {
      const program = await get(path, { accept });
      expect([program.status, await program.json()]).toEqual([
        401,
        expect.objectContaining({ error: expect.objectContaining({ code: 'INVALID_TOKEN' }) }),
      ]);
    }
  },
);

test.each([
  '/',
  '/sign-in',
  '/forgot-password',
  '/reset-password',
  '/lists/low-stock',
  '/rows/service-requests/00000000-0000-0000-0000-000000000000',
  '/account',
  '/dashboard',
  '/webhooks',
  '/ai-usage',
  '/packages',
  '/packages/AAAAAAAAAAAAAAAAAAAAAA',
])('%s is a page with a strict policy', async (path) => {
  const [one, other] = [await get(path), await get(path)];
  expect(one.status).toBe(200);
  expect(one.headers.get('cache-control')).toBe('no-store');
  const [, nonce = ''] = /'nonce-([^']+)'/.exec(policyOf(one)) ?? [];
  expect(nonce.length).toBeGreaterThanOrEqual(22);
  expect(await one.text()).toContain(`nonce="${nonce}"`);
  expect(policyOf(other)).not.toContain(nonce);
  expect(policyOf(one)).toContain(`default-src 'none'`);
  expect(policyOf(one)).toContain(`frame-ancestors 'none'`);
  expect(policyOf(one)).not.toMatch(/unsafe|\*|https?:/);
});

test('a page of a company comes with who is signed in and the scripts of its page, and unknown ones are 404', async () => {
  const tenant = await service.tenant();
  const [user] = tenant.users;
  const browser = await openSession(service, user?.id ?? '');
  const dataOf = (html: string) => JSON.parse(/id="page-data"[^>]*>([^<]*)</.exec(html)?.[1] ?? '') as PageData;
  const page = await browser.open(`/c/${tenant.company.slug}/service-requests`, { accept: 'text/html' });
  const html = await page.text();
  expect([page.status, page.headers.get('content-encoding'), page.headers.get('cache-control')]).toEqual([
    ...[200, null, 'no-store'],
  ]);
  expect(dataOf(html)).toMatchObject({
    session: { person: { id: expect.any(String) }, company: { slug: tenant.company.slug } },
    type: 'ServiceRequest',
  });
  const scripts = [...html.matchAll(/modulepreload" crossorigin href="([^"]+)"/g)].map(([, path = '']) => path);
  expect(scripts.filter((path) => /ListPage|CompanyPages/.test(path))).toHaveLength(2);
  for (const path of scripts) expect([path, (await get(path)).status]).toEqual([path, 200]);
  const guest = await get(`/c/${tenant.company.slug}/service-requests`, { accept: 'text/html' });
  expect(dataOf(await guest.text())).toEqual({ session: null, type: 'ServiceRequest' });
  for (const path of ['/c/acme/nothing', '/c/acme/service-requests/1/nothing'])
    expect([path, (await get(path, { accept: 'text/html' })).status]).toEqual([path, 404]);
});

test('a browser keeps a document of nobody, which each release replaces, and installs a page of a company', async () => {
  const browser = await openSession(service, (await service.tenant()).users[0]?.id ?? '');
  const offline = await (await browser.open('/offline', { accept: 'text/html' })).text();
  expect(/id="page-data"[^>]*>([^<]*)</.exec(offline)?.[1]).toBe('{"isOffline":true}');
  const worker = await get('/service-worker.js');
  expect([worker.status, worker.headers.get('cache-control'), worker.headers.get('content-type')]).toEqual([
    ...[200, 'no-cache', 'text/javascript; charset=utf-8'],
  ]);
  expect(policyOf(worker)).toBe(
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'`,
  );
  const script = await worker.text();
  const files = /[0-9a-f]{16}( \/[\w./-]+)+/.exec(script)?.[0].split(' ').slice(1) ?? [];
  expect(files.filter((file) => /Offline-/.test(file))).toHaveLength(1);
  for (const file of assets(offline)) expect(files).toContain(file);
  for (const file of files) expect([file, (await get(file)).status]).toEqual([file, 200]);
  const manifest = await get('/c/acme/manifest.webmanifest');
  expect([manifest.status, manifest.headers.get('content-type')]).toEqual([
    ...[200, 'application/manifest+json; charset=utf-8'],
  ]);
  const { start_url, icons } = (await manifest.json()) as { start_url: string; icons: { src: string }[] };
  expect(start_url).toBe('/c/acme/my-day');
  for (const { src } of icons) expect([src, (await get(src)).headers.get('content-type')]).toEqual([src, 'image/png']);
});

test.each(['/nowhere', '/account/x', '/lists/nothing', '/rows/nothing/1', '/auth/nowhere'])(
  'unknown %s is a page in a browser, and JSON elsewhere',
  async (path) => {
    const page = await get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(policyOf(page)).toContain(`default-src 'none'`);
    const program = await get(path);
    expect([program.status, await program.json()]).toEqual([
      404,
      expect.objectContaining({ error: expect.objectContaining({ code: 'NOT_FOUND', status: 404 }) }),
    ]);
  },
);

test('every row that notifications are about has a page', () => {
  const tables = Object.entries(notificationSubjects).map(([table, { type }]) => [table.replaceAll('_', '-'), type]);
  for (const [, type] of tables) expect([...api.collections.values()]).toContain(type);
  // Notifications of earlier versions led there.
  expect(Object.fromEntries(tables)).toEqual(rowTypes);
  expect([...pages.Row].sort()).toEqual(tables.map(([page]) => `/rows/${page}/:id`).sort());
});

test('the files of pages and of tutorials are those that have addresses', async () => {
  const names = async (folder: string, ending: string) =>
    (await readdir(join(root, folder)))
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length))
      .sort();
  expect(await names('web/src/guests', '.tsx')).toEqual([...Object.keys(guestPages), 'main'].sort());
  expect(await names('web/src/pages', '.tsx')).toEqual([...Object.keys(pages), 'NotFound'].sort());
  const tutorials = await names('docs/tutorials', '.md');
  expect(tutorials.map((name) => `/tutorials/${name}`)).toEqual([...pages.Tutorial].sort());
});

test('pages reject methods that write', async () => {
  const response = await fetch(`${service.origin}/account`, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect((await fetch(`${service.origin}/account`, { method: 'OPTIONS' })).status).toBe(204);
  expect((await fetch(`${service.origin}/account`, { method: 'HEAD' })).status).toBe(200);
});

test.each([
  ['/', 'GET, HEAD, OPTIONS'],
  ['/account?tab=tokens', 'GET, HEAD, OPTIONS'],
  ['/account/', 'GET, HEAD, OPTIONS'],
  ['/healthz', 'GET, HEAD, OPTIONS'],
  ['/graphql', 'GET, HEAD, POST, OPTIONS'],
  ['/auth/session', 'GET, PATCH, HEAD, OPTIONS'],
  ['/auth/unsubscribe', 'GET, POST, HEAD, OPTIONS'],
])('%s rejects methods that few know', async (path, allow) => {
  for (const method of ['PROPFIND', 'TRACE', 'MKCOL']) {
    const reply = await service.anonymous.at('').request(method, path);
    expect([reply.status, reply.headers.get('allow'), reply.error.code]).toEqual([405, allow, 'METHOD_NOT_ALLOWED']);
    expect((await service.anonymous.at('').request(method, '/nowhere')).status).toBe(404);
  }
});

test('scripts and styles are compressed, and cached permanently', async () => {
  const graphiql = await get('/graphql', { accept: 'text/html' });
  const paths = [...assets(await (await get('/sign-in')).text()), ...assets(await graphiql.text())];
  expect(paths.filter((path) => path.includes('graphiql')).length).toBeGreaterThan(2);
  for (const path of paths) {
    const gzipped = await get(path, { 'accept-encoding': 'gzip' });
    expect([gzipped.status, gzipped.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    const response = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
    // As browsers revalidate; fetch by itself would request a new copy.
    const again = {
      'accept-encoding': 'br',
      'if-none-match': response.headers.get('etag') ?? '',
      'cache-control': 'max-age=0',
    };
    expect((await get(path, again)).status).toBe(304);
  }
  expect((await get('/assets/none.js')).status).toBe(404);
  expect((await get('/assets/..%2findex.html')).status).toBe(404);
});

test('GraphiQL’s policy allows only its own scripts', async () => {
  const policy = policyOf(await get('/graphql', { accept: 'text/html' }));
  expect(policy).toContain(`script-src 'self';`);
  expect(policy).toContain(`worker-src 'self';`);
  expect(policy).toContain(`frame-ancestors 'none'`);
});

test('every response has the security headers', async () => {
  for (const path of ['/sign-in', '/graphql', '/api/v1/paints', '/healthz', '/nothing']) {
    const { headers } = await get(path);
    expect([
      headers.get('x-content-type-options'),
      headers.get('referrer-policy'),
      headers.get('strict-transport-security'),
    ]).toEqual(['nosniff', 'no-referrer', null]);
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'`);
  }
});

test('over https it sends HSTS, and its log hides tracking tokens', async () => {
  const { database } = service;
  const lines: string[] = [];
  const logger = pino(new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(String(line)), done()) }));
  const limiter = createLimiter(database, undefined);
  const app = await createApp({
    api,
    config: readConfig({ PUBLIC_URL: 'https://premises.example' }),
    database,
    limiter,
    logger,
  });
  const token = 'AAAAAAAAAAAAAAAAAAAAAA';
  const { headers } = await app.inject(`/packages/${token}`);
  await app.inject(`/api/v1/public/expected-packages/${token}?x=${token}`);
  await app.inject(`/api/v1/public/expected-packages/${token}.json`);
  await app.inject('/api/v1/openapi.json');
  await app.close();
  await limiter.close();
  expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}$/);
  expect(lines.filter((line) => line.includes('answered'))).toHaveLength(4);
  expect(lines.join('')).not.toContain(token);
  expect(lines.join('')).toContain('"path":"/api/v1/openapi.json"');
});

test('the values that lists of figures show are fields of the API, which has their labels', async () => {
  const lists = pages.List.map((path) => path.split('/')[2] as ListName);
  const range = { start: '2026-01-01', end: '2026-01-31' };
  const shown: { type: string; shown: readonly Shown[] }[] = [
    ...lists.map((name) => describeList(name, range, 'UTC', new Date())),
  ];
  const client = await (await service.tenant()).client();
  const { data } = await client.graphql<{ resources: ResourceWords[] }>(
    '{ resources { type label fields { name label type control } } }',
  );
  for (const { type, shown: values } of shown) {
    const words = data.resources.find((resource) => resource.type === type);
    expect([type, words && columnsOf(words, values).length]).toEqual([type, values.length]);
  }
});

test('the words that pages look up are those of enums of the API', async () => {
  const files = await readdir(join(root, 'web/src'), { recursive: true });
  const sources = await Promise.all(
    files.filter((name) => /\.tsx?$/.test(name)).map((name) => readFile(join(root, 'web/src', name), 'utf8')),
  );
  const lookUps = [/\b(?:words|label|choices(?:<\w+>)?)\('(\w+)'/g, /\bof="(\w+)"/g];
  const names = lookUps.flatMap((lookUp) =>
    sources.flatMap((text) => [...text.matchAll(lookUp)].map(([, name]) => name)),
  );
  expect(names).toEqual(expect.arrayContaining(['NotificationKind', 'RequestStatus', 'UserRole']));
  expect(names.filter((name) => !isEnumType(api.schema.getType(name ?? '')))).toEqual([]);
});
