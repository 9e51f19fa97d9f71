// Who may send files in parts, and what is refused.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { beginUpload, idIn, offsetOf, sendByClient, sendPart, tus } from '../support/uploads.ts';

const maxBytes = 1_000_000;

let service: Service;
let acme: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService({ MAX_FILE_BYTES: String(maxBytes) });
  acme = await service.tenant();
  client = await acme.client();
});
afterAll(() => service.close());

const filename = (name: string) => `filename ${Buffer.from(name).toString('base64')}`;

describe('an upload is refused', () => {
  const begin = { 'upload-length': '10' };
  test.each<[string, string, Record<string, string>, number, string, string]>([
    ['without a version', 'POST', { ...begin, 'tus-resumable': '' }, 412, 'PRECONDITION_FAILED', 'Tus-Resumable'],
    ['of another version', 'POST', { ...begin, 'tus-resumable': '0.2.2' }, 412, 'PRECONDITION_FAILED', '1.0.0'],
    ['without a length', 'POST', {}, 400, 'BAD_REQUEST', 'Upload-Length'],
    ['of a wrong length', 'POST', { 'upload-length': '-1' }, 400, 'BAD_REQUEST', 'upload-length'],
    ['whose length is not known', 'POST', { 'upload-defer-length': '1' }, 400, 'BAD_REQUEST', 'defer-length'],
    ['of several uploads', 'POST', { ...begin, 'upload-concat': 'partial' }, 400, 'BAD_REQUEST', 'oncatenation'],
    ['that is too large', 'POST', { 'upload-length': '1000001' }, 413, 'PAYLOAD_TOO_LARGE', ''],
    ['with broken metadata', 'POST', { ...begin, 'upload-metadata': 'a b c' }, 400, 'BAD_REQUEST', 'upload-metadata'],
    ['with a key', 'POST', { ...begin, 'idempotency-key': 'a' }, 400, 'BAD_REQUEST', 'Idempotency-Key'],
  ])('%s', async (_, method, headers, status, code, message) => {
    const refused = await tus(client, method, '', headers);
    expect(refused).toMatchObject({ status, error: { code, message: expect.stringContaining(message) } });
    expect(refused.headers.get('tus-resumable')).toBe('1.0.0');
    expect(refused.headers.get('tus-version')).toBe('1.0.0');
  });

  test('that is empty, or whose name or metadata is too long', async () => {
    expect(await tus(client, 'POST', '', { 'upload-length': '0' })).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { file: 'must not be empty' } },
    });
    expect(await tus(client, 'POST', '', { ...begin, 'upload-metadata': filename('a'.repeat(256)) })).toMatchObject({
      status: 422,
      error: { details: { name: 'must have at most 255 characters' } },
    });
    expect(await tus(client, 'POST', '', { ...begin, 'upload-metadata': `x ${'AAAA'.repeat(600)}` })).toMatchObject({
      status: 422,
      error: { details: { 'Upload-Metadata': 'must have at most 2000 characters' } },
    });
  });

  test('at another place than where it ends, or with more than it has', async () => {
    const id = await beginUpload(client, 6);
    expect(await sendPart(client, id, 3, 'abc')).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(await sendPart(client, id, 0, 'abcdefg')).toMatchObject({
      status: 413,
      error: { code: 'PAYLOAD_TOO_LARGE' },
    });
    expect(await offsetOf(client, id)).toBe(0);
    const type = { 'content-type': 'application/octet-stream', 'upload-offset': '0' };
    expect(await tus(client, 'PATCH', `/${id}`, type, 'abc')).toMatchObject({
      status: 415,
      error: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    const part = { 'content-type': 'application/offset+octet-stream' };
    expect(await tus(client, 'PATCH', `/${id}`, part, 'abc')).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', message: 'Upload-Offset: is required' },
    });
    expect(await sendPart(client, id, 0, 'abcdef')).toMatchObject({ status: 204 });
    expect(await sendPart(client, id, 0, 'abcdef')).toMatchObject({ status: 409 });
  });

  test('in too many parts', async () => {
    const id = await beginUpload(client, 6);
    await service.database.query({
      text: `UPDATE file_uploads SET parts = array_fill(id, ARRAY[2000]) WHERE id = $1`,
      values: [id],
    });
    expect(await sendPart(client, id, 0, 'abc')).toMatchObject({
      status: 422,
      error: { details: { file: 'must arrive in at most 2000 parts' } },
    });
    await tus(client, 'DELETE', `/${id}`);
  });

  test('where there is none, or no such id or method', async () => {
    expect(await sendPart(client, randomUUID(), 0, 'abc')).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    expect((await tus(client, 'DELETE', `/${randomUUID()}`)).status).toBe(404);
    expect(await sendPart(client, 'abc', 0, 'abc')).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
    const { status, headers } = await tus(client, 'GET', `/${randomUUID()}`);
    expect([status, headers.get('allow')]).toEqual([405, 'HEAD, PATCH, DELETE, OPTIONS']);
  });
});

test('an upload is its sender’s alone', async () => {
  const sandbox = await acme.client(['*'], { live: false });
  const globex = await (await service.tenant()).client();
  const id = await beginUpload(client, 6);
  const ben = await openSession(service, acme.users[1]?.id ?? '');
  for (const [method, headers] of [
    ['HEAD', {}],
    ['PATCH', { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }],
    ['DELETE', {}],
  ] as const) {
    for (const by of [sandbox, globex]) expect((await tus(by, method, `/${id}`, headers)).status).toBe(404);
    const byBen = await ben.request(method, `/api/v1/uploads/${id}`, {
      headers: { 'tus-resumable': '1.0.0', ...headers },
    });
    expect(byBen.status).toBe(404);
  }
  const reader = await acme.client(['*:read']);
  for (const method of ['HEAD', 'DELETE']) expect((await tus(reader, method, `/${id}`)).status).toBe(403);
  expect(await tus(reader, 'POST', '', { 'upload-length': '1' })).toMatchObject({
    status: 403,
    error: { code: 'INSUFFICIENT_SCOPE' },
  });
  const writer = await acme.client(['notes:write']);
  expect((await sendPart(writer, id, 0, 'abc')).status).toBe(204);
  const { prisma } = service.database;
  const revoked = await acme.client();
  const [token] = await prisma.apiToken.findMany({ orderBy: { id: 'desc' }, take: 1 });
  await prisma.apiToken.updateMany({ where: { id: token?.id ?? '' }, data: { revokedAt: new Date() } });
  expect(await sendPart(revoked, id, 3, 'def')).toMatchObject({
    status: 401,
    error: { code: 'INVALID_TOKEN' },
  });
  const user = { companyId: acme.company.id, id: acme.users[0]?.id ?? '' };
  const unseen = await acme.client();
  await prisma.user.updateMany({ where: user, data: { deactivatedAt: new Date() } });
  expect((await sendPart(unseen, id, 3, 'def')).status).toBe(401);
  await prisma.user.updateMany({ where: user, data: { deactivatedAt: null } });
  expect((await sendPart(await acme.client(), id, 3, 'def')).status).toBe(204);
});

test('a link begins an upload without a token, once, which goes on by another one', async () => {
  const { users } = await service.tenant();
  const ben = await openSession(service, users[1]?.id ?? '');
  const query = 'mutation { createFileUpload(input: { name: "door.bin" }) { resumableUrl } }';
  const made = (await ben.graphql(query)).data as { createFileUpload: Row };
  const { pathname, search } = new URL(String(made.createFileUpload['resumableUrl']));
  expect(pathname).toBe('/api/v1/uploads');
  const endpoint = service.origin + pathname + search;
  const content = randomBytes(250_000);
  const nobody = { origin: service.origin, token: undefined };
  const metadata = { filename: 'other.bin' };
  const { url, begunAt } = await sendByClient(nobody, content, { endpoint, chunkSize: 100_000, metadata });
  expect(begunAt).toEqual([0, 100_000, 200_000]);
  const { row } = await ben.get(`/api/v1/files/${idIn(url)}`);
  expect(row).toMatchObject({
    name: 'door.bin',
    sha256: createHash('sha256').update(content).digest('hex'),
    user_id: users[1]?.id,
  });
  const again = await fetch(endpoint, { method: 'POST', headers: { 'tus-resumable': '1.0.0', 'upload-length': '1' } });
  expect(again.status).toBe(409);
  const resume = new URL(url);
  const head = (address: string) => fetch(address, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } });
  expect((await head(url)).status).toBe(200);
  expect((await head(url.replace(idIn(url), randomUUID()))).status).toBe(401);
  // Neither is for what the other one is for.
  expect((await fetch(`${service.origin}/api/v1/files/${idIn(url)}/content${resume.search}`)).status).toBe(401);
  expect((await head(`${service.origin}${resume.pathname}${search}`)).status).toBe(401);
  await service.database.prisma.session.deleteMany({ where: { personId: users[1]?.id ?? '' } });
  expect((await head(url)).status).toBe(401);
});

test('OPTIONS says what of the protocol there is, and pages of others may read the answers', async () => {
  const reply = await fetch(`${service.origin}/api/v1/uploads`, { method: 'OPTIONS' });
  expect(reply.status).toBe(204);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'tus-version': '1.0.0',
    'tus-extension': 'creation,creation-with-upload,termination,expiration',
    'tus-max-size': String(maxBytes),
  });
  const begun = await tus(client, 'POST', '', { 'upload-length': '1', origin: 'https://elsewhere.example' });
  expect(begun.headers.get('access-control-allow-origin')).toBe('*');
  const exposed = begun.headers.get('access-control-expose-headers')?.split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['Location', 'Upload-Offset', 'Tus-Resumable', 'X-Request-Id']));
});
