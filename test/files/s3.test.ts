// Files over HTTP whose bytes are in S3, sent by the service or by S3 itself.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { originalOf } from '../../src/files/index.ts';
import type { Client } from '../support/client.ts';
import { addFile, contentOf, sendBytes } from '../support/files.ts';
import { S3Server } from '../support/s3.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.stop());

const text = 'abcdefghijklmnopqrstuvwxyz';
const octets = { 'content-type': 'application/octet-stream' };

/** The link to a file. */
async function linkTo(client: Client, id: unknown): Promise<string> {
  const { data } = await client.graphql(`{ file(id: "${id}") { url } }`);
  return String((data as { file: { url: string } }).file.url).replace(/^https?:\/\/[^/]+/, client.origin);
}

describe('sent by the service', () => {
  let service: Service;
  let acme: Tenant;
  let client: Client;
  beforeAll(async () => {
    service = await startService({ ...server.env('service'), MAX_FILE_BYTES: '20000000' });
    acme = await service.tenant();
    client = await acme.client();
  });
  afterAll(() => service.close());

  test('a file, in parts and whole', async () => {
    const { id, sha256 } = await addFile(client, text, 'letters.txt');
    expect(sha256).toBe(createHash('sha256').update(text).digest('hex'));
    const whole = await contentOf(client, String(id));
    expect([whole.status, await whole.text()]).toEqual([200, text]);
    const part = await contentOf(client, String(id), { range: 'bytes=-3' });
    expect([part.status, await part.text()]).toEqual([206, 'xyz']);
    expect((await client.delete(`/files/${id}`)).status).toBe(204);
  });

  test('what is too large, or is not whole, leaves nothing', async () => {
    const { store } = filesOf(server.env('service'));
    const countObjects = async () => {
      let count = 0;
      for await (const { key } of store.list()) count += key === '' ? 0 : 1;
      return count;
    };
    const before = await countObjects();
    const tooLarge = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(20_000_001));
        controller.close();
      },
    });
    expect((await sendBytes(client, '/files', tooLarge, octets)).status).toBe(413);
    expect((await sendBytes(client, '/files', '', octets)).status).toBe(422);
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    const cut = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
    expect((await sendBytes(client, '/files', cut, form)).status).toBe(400);
    expect(await countObjects()).toBe(before);
  });

  test('while S3 is down there are neither files nor losses, and the service says so', async () => {
    const { id } = await addFile(client, text, 'letters.txt');
    await server.pause();
    try {
      const rows = await service.database.prisma.file.count();
      const unavailable = { status: 503, error: { code: 'SERVICE_UNAVAILABLE' } };
      expect(await sendBytes(client, '/files', 'abc', octets)).toMatchObject(unavailable);
      const read = await contentOf(client, String(id));
      expect([read.status, ((await read.json()) as { error: unknown }).error]).toEqual([
        503,
        expect.objectContaining({
          code: 'SERVICE_UNAVAILABLE',
          message: 'The store of files is not available; try again later.',
        }),
      ]);
      expect(await service.database.prisma.file.count()).toBe(rows);
      expect((await client.get(`/files/${id}`)).status).toBe(200);
      const ready = await fetch(`${service.origin}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', files: 'unavailable' }]);
    } finally {
      await server.resume();
    }
    expect(await (await contentOf(client, String(id))).text()).toBe(text);
  });
});

describe('sent by S3', () => {
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    const env = { FILES_REDIRECT: 'true', BYTE_LIMIT_LINKS_PER_HOUR: '1000000' };
    service = await startService({ ...server.env('redirected'), ...env });
    client = await (await service.tenant()).client();
  });
  afterAll(() => service.close());

  const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url, { method, headers, redirect: 'manual' });
  const own = () => ({ authorization: `Bearer ${client.token}` });

  test('the address is for one object, for a minute, with its type and its name', async () => {
    const { id } = await addFile(client, text, 'létters.txt');
    const reply = await get(`${client.origin}/api/v1/files/${id}/content`, own());
    expect([reply.status, reply.headers.get('cache-control'), await reply.text()]).toEqual([
      302,
      'private, no-store',
      '',
    ]);
    const address = new URL(reply.headers.get('location') ?? '');
    expect(address.origin).toBe(server.endpoint);
    const row = await service.database.prisma.file.findFirstOrThrow({ where: { id: String(id) } });
    expect(address.pathname).toBe(`/files/redirected/${originalOf(row)}`);
    expect(address.searchParams.get('X-Amz-Expires')).toBe('60');
    const sent = await get(address.href);
    expect([sent.status, await sent.text()]).toEqual([200, text]);
    expect(sent.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(sent.headers.get('content-disposition')).toBe(
      `inline; filename="l_tters.txt"; filename*=UTF-8''l%C3%A9tters.txt`,
    );
    // Browsers and programs ask the new address for the same part.
    const part = await fetch(`${client.origin}/api/v1/files/${id}/content`, {
      headers: { ...own(), range: 'bytes=2-4' },
    });
    expect([part.status, await part.text()]).toEqual([206, 'cde']);
  });

  test('what could run is stored, not shown', async () => {
    const { id } = await addFile(client, '<svg xmlns="http://www.w3.org/2000/svg"/>', 'x.svg');
    const { headers } = await fetch(`${client.origin}/api/v1/files/${id}/content`, { headers: own() });
    expect(headers.get('content-disposition')).toBe('attachment; filename="x.svg"');
  });

  test('HEAD, what a client has, and parts that there are not are answered by the service', async () => {
    const { id, sha256 } = await addFile(client, text, 'letters.txt');
    const url = `${client.origin}/api/v1/files/${id}/content`;
    const head = await get(url, own(), 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      '26',
      `"${sha256}"`,
    ]);
    expect((await get(url, { ...own(), 'if-none-match': `"${sha256}"` })).status).toBe(304);
    expect((await get(url, { ...own(), range: 'bytes=26-' })).status).toBe(416);
    const stranger = await (await service.tenant()).client();
    expect((await get(url, { authorization: `Bearer ${stranger.token}` })).status).toBe(404);
  });

  test('links count the bytes of what they lead to', async () => {
    const { id } = await addFile(client, 'x'.repeat(250_000));
    const link = await linkTo(client, id);
    for (let count = 0; count < 4; count++) expect((await get(link)).status).toBe(302);
    const refused = await get(link);
    expect([refused.status, refused.headers.get('location')]).toEqual([429, null]);
  });
});
