// Files that arrive broken, together, or where there is no room. Nothing is left of what fails.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { addFile, contentOf, sendBytes } from '../support/files.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const octets = { 'content-type': 'application/octet-stream' };

let folder: string;
let service: Service;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  service = await startService({ FILES_URL: pathToFileURL(folder).href, MAX_COMPANY_FILE_BYTES: '1000000' });
  client = await (await service.tenant()).client();
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** All files of the store, also those that are not whole. */
async function stored(): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map(({ name }) => name);
}

describe('what is left of a file that fails', () => {
  test('nothing, when the client goes away in the middle', async () => {
    const before = [await service.database.prisma.file.count(), (await stored()).length];
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /api/v1/files HTTP/1.1', 'Host: x', `Authorization: Bearer ${client.token}`];
    socket.write([...head, 'Content-Type: application/octet-stream', 'Content-Length: 500000', '', ''].join('\r\n'));
    socket.write(Buffer.alloc(200_000));
    await until('the beginning of the file', async () => (await stored()).length > (before[1] ?? 0));
    socket.destroy();
    await until('its end', async () => (await stored()).length === before[1]);
    expect(await service.database.prisma.file.count()).toBe(before[0]);
  });

  test('a file has as many bytes as its request says, and what follows is another request', async () => {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /api/v1/files HTTP/1.1', 'Host: x', `Authorization: Bearer ${client.token}`];
    const lines = [...head, 'Content-Type: application/octet-stream', 'Content-Length: 3', '', 'abcdef'];
    socket.write(lines.join('\r\n'));
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1.1 201 [^]*"size":3[^]*HTTP\/1.1 400 /);
  });

  const form = { 'content-type': 'multipart/form-data; boundary=x' };
  const part = (name: string, content: string, more = '') =>
    `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
  const file = part('file', 'abc', '; filename="a"');
  test.each([
    ['too many fields', Array.from({ length: 20 }, (_, n) => part(`field${n}`, 'x')).join('') + file, 400],
    ['a field with another name', part('photo', 'abc', '; filename="a"'), 422],
    ['several files', file + file, 422],
    ['an end in the middle', file.slice(0, -4), 400],
    ['no end', file, 400],
    [
      'headers of a megabyte',
      `--x\r\ncontent-disposition: form-data; name="file"; filename="${'a'.repeat(1_000_000)}"\r\n\r\nabc\r\n`,
      422,
    ],
    ['no parts', '', 422],
    ['text that is no form', 'abc'.repeat(1000), 400],
  ])('a form with %s', async (name, content, status) => {
    const before = [await service.database.prisma.file.count(), await stored()];
    const end = name.includes('end') ? '' : '--x--\r\n';
    const reply = await sendBytes(client, '/files', content + end, form);
    expect([reply.status, reply.error['code']]).toEqual([status, status === 400 ? 'BAD_REQUEST' : 'VALIDATION_ERROR']);
    expect([await service.database.prisma.file.count(), await stored()]).toEqual(before);
  });
});

test('of files that together are more than a company may have, those that fit arrive', async () => {
  const { client: of } = await service.tenant();
  const sender = await of();
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => sendBytes(sender, '/files', new Uint8Array(300_000), octets)),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 413, 413, 413, 413, 413]);
  expect(replies.find(({ status }) => status === 413)?.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

test.each([
  ['GIF and HTML', 'GIF89a/*<!doctype html><script>alert(1)</script>*/=1;', 'image/gif'],
  ['PDF and HTML', '%PDF-1.4\n<!doctype html><script>alert(1)</script>\n%%EOF', 'application/pdf'],
])('%s at once are what the first bytes say, and nothing of them runs', async (_, content, type) => {
  const { id } = await addFile(client, content, 'x.html');
  const { headers } = await contentOf(client, String(id));
  expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([type, 'nosniff']);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/);
});

/** Whether this process may mount. */
const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

(mayMount ? test : test.skip)('a full disk refuses files, and has room again when some are deleted', async () => {
  const disk = await mkdtemp(join(tmpdir(), 'premises-disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk]).status !== 0) throw new Error('no tmpfs');
  await mkdir(join(disk, 'files'));
  const full = await startService({ FILES_URL: pathToFileURL(join(disk, 'files')).href });
  try {
    const sender = await (await full.tenant()).client();
    const { id } = await addFile(sender, new Uint8Array(1_000_000));
    expect(await sendBytes(sender, '/files', new Uint8Array(1_500_000), octets)).toMatchObject({
      status: 503,
      error: { code: 'SERVICE_UNAVAILABLE', message: 'The store of files is full; nothing was stored.' },
    });
    expect(await full.database.prisma.file.count()).toBe(1);
    expect((await (await contentOf(sender, String(id))).arrayBuffer()).byteLength).toBe(1_000_000);
    expect((await sendBytes(sender, '/files', new Uint8Array(500_000), octets)).status).toBe(201);
  } finally {
    await full.close();
    spawnSync('umount', [disk]);
    await rm(disk, { recursive: true });
  }
});
