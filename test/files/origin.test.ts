// The host of contents, which has nothing else.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { addFile } from '../support/files.ts';
import { type Service, startService } from '../support/service.ts';

const host = 'files.premises.example';
const publicUrl = 'https://premises.example';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService({ FILES_ORIGIN: `https://${host}/`, PUBLIC_URL: publicUrl });
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

/** Sends a request to a host; the port is that of the service. */
async function ask(at: string, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request(service.origin + path, { method, headers: { host: at, ...headers } });
  sent.end();
  // The event of a response has it alone.
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}

/** The link to a file. */
async function linkTo(id: unknown): Promise<URL> {
  const { data } = await client.graphql(`{ file(id: "${id}") { url contentUrl } }`);
  const { file } = data as { file: { url: string; contentUrl: string } };
  expect(file.contentUrl).toBe(`${publicUrl}/api/v1/files/${id}/content`);
  return new URL(file.url);
}

const pdf = '%PDF-1.4\n%\u00e2\u00e3\n';

test('links lead there, and a PDF is shown there alone', async () => {
  const { id } = await addFile(client, pdf, 'lease.pdf');
  const link = await linkTo(id);
  expect(link.origin).toBe(`https://${host}`);
  const path = link.pathname + link.search;
  const shown = await ask(host.toUpperCase(), path);
  expect([shown.status, shown.headers['content-type']]).toEqual([200, 'application/pdf']);
  expect(shown.headers['content-disposition']).toBe('inline; filename="lease.pdf"');
  expect(shown.headers['x-content-type-options']).toBe('nosniff');
  expect(shown.headers['content-security-policy']).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors https://premises.example",
  );
  expect(shown.headers['set-cookie']).toBeUndefined();
  const stored = await ask('premises.example', path);
  expect([stored.status, stored.headers['content-disposition']]).toEqual([200, 'attachment; filename="lease.pdf"']);
  expect(stored.headers['content-security-policy']).toMatch(/; sandbox$/);
});

test.each([
  ['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
  ['x.html', '<!doctype html><script>alert(1)</script>', 'text/html; charset=utf-8'],
  ['x.xml', '<?xml version="1.0"?><x/>', 'application/xml'],
])('%s is stored everywhere', async (name, content, type) => {
  const { id } = await addFile(client, content, name);
  const { pathname, search } = await linkTo(id);
  for (const at of [host, 'premises.example']) {
    const { headers } = await ask(at, pathname + search);
    expect([headers['content-type'], headers['content-disposition']]).toEqual([type, `attachment; filename="${name}"`]);
    expect(headers['content-security-policy']).toMatch(/; sandbox$/);
  }
});

test('nothing else is there, whoever asks', async () => {
  const { id } = await addFile(client, 'abc');
  const link = await linkTo(id);
  const path = link.pathname + link.search;
  const own = { authorization: `Bearer ${client.token}` };
  const asked: readonly [string, string, Record<string, string>?][] = [
    ['GET', '/'],
    ['GET', '/sign-in', { accept: 'text/html' }],
    ['GET', '/healthz'],
    ['GET', '/graphql', own],
    ['POST', '/graphql', { ...own, 'content-type': 'application/json' }],
    ['POST', '/auth/sign-in', { 'content-type': 'application/json' }],
    ['GET', '/api/v1/service-requests', own],
    ['GET', `/api/v1/files/${id}`, own],
    ['GET', `/api/v1/files/${id}/content`, own],
    ['GET', `/v1/files/${id}/content`, own],
    ['POST', path, own],
    ['POST', `/api/v1/files?link=${link.searchParams.get('link')}`, own],
    ['GET', `/api/v1/files/${id}/preview${link.search}`, own],
    ['GET', '/nowhere'],
    ['OPTIONS', '/graphql'],
    ['PROPFIND', path],
  ];
  for (const [method, at, headers] of asked) {
    const { status, body, headers: sent } = await ask(host, at, headers, method);
    expect({ method, at, status, body, cookie: sent['set-cookie'] }).toEqual({
      ...{ method, at, status: 404, cookie: undefined },
      body: expect.stringContaining('"NOT_FOUND"'),
    });
  }
  expect((await ask(host, path)).status).toBe(200);
  expect((await ask(host, path, {}, 'HEAD')).headers['content-length']).toBe('3');
  // Not its last character, of which some bits mean nothing.
  const altered = link.search.replace(/.(?=.{4}$)/, (character) => (character === 'A' ? 'B' : 'A'));
  expect((await ask(host, link.pathname + altered)).status).toBe(401);
  expect((await ask('premises.example', `/api/v1/files/${id}`, own)).status).toBe(200);
});
