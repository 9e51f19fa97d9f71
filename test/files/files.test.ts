import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { addFile, contentOf, sendBytes } from '../support/files.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let acme: Tenant;
let other: Tenant;
let client: Client;
let stranger: Client;
beforeAll(async () => {
  service = await startService({ MAX_FILE_BYTES: '300000' });
  [acme, other] = [await service.tenant(), await service.tenant()];
  client = await acme.client(['service_requests:read', 'service_requests:write', 'documents:read', 'documents:write']);
  stranger = await other.client();
});
afterAll(() => service.close());

const octets = { 'content-type': 'application/octet-stream' };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('sending', () => {
  test('a body is a file, with what is found out about it', async () => {
    const reply = await sendBytes(client, '/files?name=broken%20door.png', png, octets);
    expect(reply.status).toBe(201);
    const { id } = reply.row;
    expect(reply.headers.get('location')).toBe(`/api/v1/files/${id}`);
    const { user_id: userId, ...row } = reply.row;
    expect(userId).toBe(acme.users[0]?.id);
    expect(row).toEqual({
      id,
      name: 'broken door.png',
      media_type: 'image/png',
      size: png.length,
      preview_status: 'pending',
      scan_status: null,
      sha256: createHash('sha256').update(png).digest('hex'),
      content_url: expect.stringMatching(new RegExp(`/api/v1/files/${id}/content$`)),
      created_at: expect.stringMatching(/^\d{4}-/),
    });
    expect((await client.get(`/files/${id}`)).row).toEqual(reply.row);
  });

  test('a form has a file, with its name', async () => {
    const form = new FormData();
    form.set('file', new Blob([png]), '../../etc/pässwd\u0007.png');
    const reply = await sendBytes(client, '/files', form);
    expect(reply).toMatchObject({
      status: 201,
      row: { name: expect.stringMatching(/pässwd\.png$/), size: png.length },
    });
  });

  test('content decides what a file is', async () => {
    const types = [
      ['x.png', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 'image/svg+xml'],
      ['x.txt', '<!DOCTYPE html><script>alert(1)</script>', 'text/html'],
      ['a.csv', 'a,b\n1,2\n', 'text/csv'],
      ['a.exe', 'plain text', 'text/plain'],
      ['a.pdf', '%PDF-1.4\n%\u00e2\u00e3\n', 'application/pdf'],
      ['a.txt', '\u0000\u0001\u0002', 'application/octet-stream'],
    ] as const;
    for (const [name, text, type] of types)
      expect(await addFile(client, text, name)).toMatchObject({ media_type: type });
  });

  test('what cannot be stored is refused, and leaves nothing', async () => {
    const before = await service.database.prisma.file.count();
    const tooLarge = new Uint8Array(300_001);
    expect(await sendBytes(client, '/files', tooLarge, octets)).toMatchObject({
      status: 413,
      error: { code: 'PAYLOAD_TOO_LARGE' },
    });
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(tooLarge);
        controller.close();
      },
    });
    expect((await sendBytes(client, '/files', stream, octets)).status).toBe(413);
    expect(await sendBytes(client, '/files', '', octets)).toMatchObject({
      status: 422,
      error: { details: { file: 'must not be empty' } },
    });
    const boundary = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
    expect(await sendBytes(client, '/files', broken, boundary)).toMatchObject({ status: 400 });
    expect(await sendBytes(client, '/files', '--x--\r\n', boundary)).toMatchObject({
      status: 422,
      error: { details: { file: 'is required' } },
    });
    expect(await sendBytes(client, '/files', 'abc', { 'content-type': 'multipart/form-data' })).toMatchObject({
      status: 400,
    });
    const two = `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="b"\r\n\r\nabc\r\n--x--\r\n`;
    expect(await sendBytes(client, '/files', two, boundary)).toMatchObject({
      status: 422,
      error: { details: { file: 'must be one file' } },
    });
    expect(await sendBytes(client, `/files?name=${'x'.repeat(256)}`, 'abc', octets)).toMatchObject({ status: 400 });
    expect(await service.database.prisma.file.count()).toBe(before);
  });

  test('only who may write something sends files', async () => {
    const reader = await acme.client(['*:read']);
    expect(await sendBytes(reader, '/files', 'abc', octets)).toMatchObject({
      status: 403,
      error: { code: 'INSUFFICIENT_SCOPE' },
    });
    expect((await sendBytes(service.anonymous, '/files', 'abc', octets)).status).toBe(401);
  });
});

describe('reading', () => {
  const text = 'abcdefghijklmnopqrstuvwxyz';
  test('parts, versions and HEAD', async () => {
    const { id, sha256 } = await addFile(client, text, 'letters.txt');
    const whole = await contentOf(client, String(id));
    expect(await whole.text()).toBe(text);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '26',
      'content-disposition': 'inline; filename="letters.txt"',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      etag: `"${sha256}"`,
    });
    expect(whole.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    const part = await contentOf(client, String(id), { range: 'bytes=2-4' });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, 'cde', 'bytes 2-4/26']);
    const end = await contentOf(client, String(id), { range: 'bytes=-3' });
    expect([end.status, await end.text()]).toEqual([206, 'xyz']);
    const beyond = await contentOf(client, String(id), { range: 'bytes=26-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */26']);
    expect((await contentOf(client, String(id), { 'if-none-match': `"${sha256}"` })).status).toBe(304);
    const changed = await contentOf(client, String(id), { range: 'bytes=2-4', 'if-range': '"other"' });
    expect([changed.status, await changed.text()]).toEqual([200, text]);
    const head = await contentOf(client, String(id), {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '26', '']);
  });

  test('what could run is stored, not shown', async () => {
    const { id } = await addFile(client, '<svg xmlns="http://www.w3.org/2000/svg"/>', 'ü "x".svg');
    const { headers } = await contentOf(client, String(id));
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="_ _x_.svg"; filename*=UTF-8''%C3%BC%20%22x%22.svg`,
    );
  });
});

describe('who may read a file', () => {
  test('its sender, until a row holds it; then the readers of the row', async () => {
    const { id } = await addFile(client, 'abc');
    const colleague = await acme.client(['*'], {});
    expect((await contentOf(stranger, String(id))).status).toBe(404);
    const { row } = await client.post('/service-requests', { title: 'Broken door', attachment_ids: [id] });
    expect(row).toMatchObject({ attachment_ids: [id] });
    expect((await contentOf(colleague, String(id))).status).toBe(200);
    expect((await contentOf(stranger, String(id))).status).toBe(404);
    expect((await contentOf(await acme.client(['documents:read']), String(id))).status).toBe(404);
    expect((await client.get(`/service-requests/${row['id']}/attachments`)).rows).toMatchObject([{ id }]);
    expect((await client.get(`/service-requests/${row['id']}?include=attachments`)).row).toMatchObject({
      attachments: [{ id }],
      attachments_total: 1,
    });
    const { data } = await client.graphql(
      `{ serviceRequest(id: "${row['id']}") { attachments { nodes { id name } totalCount } } }`,
    );
    expect(data).toEqual({ serviceRequest: { attachments: { nodes: [{ id, name: 'file.txt' }], totalCount: 1 } } });
  });

  test('files that a caller may not read are not attached', async () => {
    const { id } = await addFile(stranger, 'abc');
    const reply = await client.post('/service-requests', { title: 'Broken door', attachment_ids: [id] });
    expect(reply).toMatchObject({ status: 422, details: { 'attachment_ids.0': 'no such file in your company' } });
    const none = '019b6f3c-0000-7000-8000-000000000000';
    expect((await client.post('/service-requests', { title: 'x', attachment_ids: [none] })).details).toEqual({
      'attachment_ids.0': 'no such file in your company',
    });
    const own = await addFile(client, 'abc');
    expect(
      (await client.post('/service-requests', { title: 'x', attachment_ids: [own['id'], own['id']] })).details,
    ).toEqual({
      attachment_ids: 'must not have a file twice',
    });
  });
});

describe('attachments', () => {
  test('are sent, put and removed', async () => {
    const { row } = await client.post('/service-requests', { title: 'Broken door' });
    const path = `/service-requests/${row['id']}/attachments`;
    const sent = await sendBytes(client, `${path}?name=a.png`, png, octets);
    expect(sent).toMatchObject({ status: 201, row: { name: 'a.png' } });
    const { id } = await addFile(client, 'abc');
    expect((await sendBytes(client, `${path}/${id}`, undefined, {}, 'PUT')).status).toBe(204);
    expect((await sendBytes(client, `${path}/${id}`, undefined, {}, 'PUT')).status).toBe(204);
    expect((await client.get(path)).rows.map((file) => file['id'])).toEqual([sent.row['id'], id]);
    expect((await sendBytes(client, `${path}/${id}`, undefined, {}, 'DELETE')).status).toBe(204);
    expect((await sendBytes(client, `${path}/${id}`, undefined, {}, 'DELETE')).status).toBe(404);
    expect((await client.get(path)).rows.map((file) => file['id'])).toEqual([sent.row['id']]);
    // It is its sender's again, and only until it is deleted.
    expect((await contentOf(client, String(id))).status).toBe(200);
    expect(await service.database.prisma.file.findFirst({ where: { id: String(id) } })).toMatchObject({
      unheldSince: expect.any(Date),
    });
    expect((await client.delete(`/files/${id}`)).status).toBe(204);
    expect((await contentOf(client, String(id))).status).toBe(404);
    expect((await client.delete(`/files/${sent.row['id']}`)).status).toBe(409);
  });

  test('end with the row', async () => {
    const { id } = await addFile(client, 'abc');
    const { row } = await client.post('/service-requests', { title: 'Broken door', attachment_ids: [id] });
    expect((await client.delete(`/service-requests/${row['id']}`)).status).toBe(204);
    const { prisma } = service.database;
    expect(await prisma.fileHold.count({ where: { fileId: String(id) } })).toBe(0);
    expect(await prisma.file.findFirst({ where: { id: String(id) } })).toMatchObject({ unheldSince: expect.any(Date) });
  });
});

describe('documents', () => {
  test('are of a file that was sent, or of one elsewhere', async () => {
    const { id, content_url: url } = await addFile(client, 'abc', 'plan.txt');
    const { row } = await client.post('/documents', { title: 'Plan', file_id: id });
    expect(row).toMatchObject({ file_id: id, file_url: url });
    const path = `/documents/${row['id']}`;
    expect((await client.patch(path, { file_url: 'https://files.example.com/plan.pdf' })).status).toBe(200);
    expect((await client.get(path)).row).toMatchObject({
      file_id: null,
      file_url: 'https://files.example.com/plan.pdf',
    });
    expect((await client.patch(path, { file_id: id })).status).toBe(200);
    expect((await client.get(path)).row).toMatchObject({ file_id: id, file_url: url });
    expect((await client.patch(path, { file_id: null })).status).toBe(200);
    expect((await client.get(path)).row).toMatchObject({ file_id: null, file_url: null });
    const both = await client.post('/documents', { title: 'x', file_id: id, file_url: 'https://files.example.com/x' });
    expect(both.details).toEqual({ file_url: 'must be left out where the file was sent to the service' });
  });
});
