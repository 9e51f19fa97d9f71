import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FileLinks } from '../../src/auth/file-links.ts';
import { openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { addFile, contentOf } from '../support/files.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { listeners } from '../support/subscription.ts';

let service: Service;
let acme: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService({
    MAX_FILE_BYTES: '300000',
    BYTE_LIMIT_LINKS_PER_HOUR: '1000000',
    RATE_LIMIT_PUBLIC_PER_HOUR: '77',
  });
  acme = await service.tenant();
  client = await acme.client();
});
afterAll(() => service.close());

const form = { 'content-type': 'application/octet-stream' };

/** Asks GraphQL, as the holder of a token or in a session. @returns the data */
async function ask(by: Pick<Client, 'graphql'>, query: string) {
  const { data, errors } = await by.graphql(query);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return data;
}

/** The path of an address of the service, whatever the address that people know it by. */
const at = (url: unknown): string => {
  const { pathname, search } = new URL(String(url));
  return `${service.origin}${pathname}${search}`;
};

/** The link to a file. */
async function linkTo(by: Pick<Client, 'graphql'>, id: unknown): Promise<string> {
  const { file } = (await ask(by, `{ file(id: "${id}") { url } }`)) as { file: Row };
  return at(file['url']);
}

/** A link that sends a file. */
async function linkToSend(by: Pick<Client, 'graphql'>, name: string): Promise<string> {
  const query = `mutation { createFileUpload(input: { name: ${JSON.stringify(name)} }) { url expiresAt } }`;
  const { createFileUpload } = (await ask(by, query)) as { createFileUpload: { url: string; expiresAt: string } };
  expect(Math.abs(Date.parse(createFileUpload.expiresAt) - Date.now() - 600_000)).toBeLessThan(20_000);
  return at(createFileUpload.url);
}

/** A request that comes by a link alone. */
async function send(link: string, body: RequestInit['body'], headers: Record<string, string> = form) {
  const reply = await fetch(link, { method: 'POST', headers, ...(body != null && { body }) });
  return { status: reply.status, headers: reply.headers, json: (await reply.json()) as { data: Row; error: Row } };
}

const person = (index: number) => acme.users[index]?.id ?? '';

describe('a link to a file', () => {
  test('has its content without a token, with parts and versions', async () => {
    const { id, sha256 } = await addFile(client, 'abcdef');
    const link = await linkTo(client, id);
    expect(new URL(link).pathname).toBe(`/api/v1/files/${id}/content`);
    const whole = await fetch(link);
    expect([whole.status, await whole.text()]).toEqual([200, 'abcdef']);
    expect(whole.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(whole.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    const part = await fetch(link, { headers: { range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, 'bc']);
    expect((await fetch(link, { headers: { 'if-none-match': `"${sha256}"` } })).status).toBe(304);
    expect((await fetch(link, { method: 'HEAD' })).headers.get('content-length')).toBe('6');
  });

  test('is made in sessions too, and ends with them', async () => {
    const browser = await openSession(service, person(0));
    const { id } = await addFile(client, 'abc');
    const link = await linkTo(browser, id);
    expect((await fetch(link)).status).toBe(200);
    await service.database.prisma.session.deleteMany({ where: { personId: person(0) } });
    expect((await fetch(link)).status).toBe(401);
  });

  test('is decided when it is used: by the token, its person, and the rows', async () => {
    const { id } = await addFile(client, 'abc');
    await client.post('/service-requests', { title: 'Broken door', attachment_ids: [id] });
    const reader = await acme.client(['service_requests:read']);
    const link = await linkTo(reader, id);
    expect((await fetch(link)).status).toBe(200);
    const { prisma } = service.database;
    const [token] = await prisma.apiToken.findMany({ orderBy: { id: 'desc' }, take: 1 });
    const where = { companyId_id: { companyId: token?.companyId ?? '', id: token?.id ?? '' } };
    const scopes = token?.scopes ?? [];
    expect(scopes).toEqual(['service_requests:read']);
    await prisma.apiToken.update({ where, data: { scopes: ['documents:read'] } });
    expect((await fetch(link)).status).toBe(404);
    await prisma.apiToken.update({ where, data: { scopes } });
    expect((await fetch(link)).status).toBe(200);
    const user = { companyId_id: { companyId: token?.companyId ?? '', id: token?.userId ?? '' } };
    await prisma.user.update({ where: user, data: { deactivatedAt: new Date() } });
    expect((await fetch(link)).status).toBe(401);
    await prisma.user.update({ where: user, data: { deactivatedAt: null } });
    await prisma.apiToken.update({ where, data: { revokedAt: new Date() } });
    expect((await fetch(link)).status).toBe(401);
  });

  test('is for one file, and for reading it; a token does not make up for a wrong one', async () => {
    const [one, two] = [await addFile(client, 'abc'), await addFile(client, 'abc')];
    const link = new URL(await linkTo(client, one['id']));
    const other = link.href.replace(String(one['id']), String(two['id']));
    const refused = await fetch(other, { headers: { authorization: `Bearer ${client.token}` } });
    expect([refused.status, ((await refused.json()) as Row)['error']]).toMatchObject([
      401,
      { code: 'INVALID_TOKEN', message: expect.stringContaining('link') },
    ]);
    const value = link.searchParams.get('link') ?? '';
    const bytes = Buffer.from(value, 'base64url');
    // The kind, the caller, the company, the file, the time and the signature.
    for (const place of [0, 1, 17, 33, 49, 53, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      expect((await fetch(link.href.replace(value, changed.toString('base64url')))).status).toBe(401);
    }
    for (const wrong of ['', 'x', value.slice(0, -4), `${value}&link=${value}`])
      expect((await fetch(link.href.replace(value, wrong))).status).toBe(401);
    expect((await send(`${service.origin}/api/v1/files?link=${value}`, 'abc')).status).toBe(401);
    expect((await fetch(`${service.origin}/api/v1/files/${one['id']}?link=${value}`)).status).toBe(401);
  });

  test('expires, between 10 and 15 minutes after it was made', async () => {
    const { id } = await addFile(client, 'abc');
    const link = await linkTo(client, id);
    const bytes = Buffer.from(new URL(link).searchParams.get('link') ?? '', 'base64url');
    const seconds = bytes.readUInt32BE(49) - Date.now() / 1000;
    expect(seconds).toBeGreaterThan(595);
    expect(seconds).toBeLessThanOrEqual(900);
    const [token] = await service.database.prisma.apiToken.findMany({ orderBy: { id: 'asc' }, take: 1 });
    const holder = { kind: 'token', id: token?.id ?? '', companyId: token?.companyId ?? '' } as const;
    const links = new FileLinks(service.database);
    const signed = async (ms: number) => {
      const value = await links.sign({ purpose: 'read', id: String(id) }, holder, new Date(Date.now() + ms));
      return (await fetch(`${link.split('?')[0]}?link=${value}`)).status;
    };
    expect([await signed(5000), await signed(-1000)]).toEqual([200, 401]);
  });

  test('counts as bytes, not as a request', async () => {
    const limited = await acme.client();
    const { id } = await addFile(limited, 'x'.repeat(250_000));
    const link = await linkTo(limited, id);
    const before = (await limited.get(`/files/${id}`)).headers.get('x-ratelimit-remaining');
    for (let count = 0; count < 4; count++) expect((await fetch(link)).status).toBe(200);
    const refused = await fetch(link);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const after = (await limited.get(`/files/${id}`)).headers.get('x-ratelimit-remaining');
    expect(Number(before) - Number(after)).toBe(1);
    // With a token, or by another caller's links, it is still read.
    expect((await contentOf(limited, String(id))).status).toBe(200);
    expect((await fetch(await linkTo(client, id))).status).toBe(200);
  });

  test('of a guess counts against the address', async () => {
    const reply = await fetch(`${service.origin}/api/v1/files/019b6f3c-0000-7000-8000-000000000000/content?link=x`);
    expect([reply.status, reply.headers.get('x-ratelimit-limit')]).toEqual([401, '77']);
  });
});

test('subscriptions, whose events others with the same rights get too, have no links', async () => {
  const { listen, closeAll } = listeners(() => service);
  try {
    const query = 'subscription { serviceRequests { row { attachments { nodes { contentUrl url } } } } }';
    const listening = await listen(client, query);
    const { id } = await addFile(client, 'abc');
    await client.post('/service-requests', { title: 'Broken door', attachment_ids: [id] });
    await listening.received(1);
    const nodes = [{ contentUrl: expect.stringContaining(String(id)), url: null }];
    expect(listening.payloads[0]).toMatchObject({ data: { serviceRequests: { row: { attachments: { nodes } } } } });
  } finally {
    closeAll();
  }
});

describe('a link that sends a file', () => {
  test('makes it as a request with a token does, once', async () => {
    const browser = await openSession(service, person(0));
    const link = await linkToSend(browser, 'bröken & door.txt');
    const sent = await send(link, 'abc');
    expect(sent).toMatchObject({
      status: 201,
      json: {
        data: {
          name: 'bröken & door.txt',
          size: 3,
          media_type: 'text/plain',
          sha256: createHash('sha256').update('abc').digest('hex'),
          user_id: person(0),
        },
      },
    });
    expect(sent.headers.get('location')).toBe(`/api/v1/files/${sent.json.data['id']}`);
    expect((await send(link, 'abc')).status).toBe(409);
    expect(await service.database.prisma.file.count({ where: { name: 'bröken & door.txt' } })).toBe(1);
  });

  test('takes a form, whose file has the name of the link', async () => {
    const body = new FormData();
    body.set('file', new Blob(['abc']), 'other.txt');
    expect(await send(await linkToSend(client, 'own.txt'), body, {})).toMatchObject({
      status: 201,
      json: { data: { name: 'own.txt' } },
    });
  });

  test('of two uses at once one succeeds; one that failed may be repeated', async () => {
    const link = await linkToSend(client, 'a.txt');
    expect((await send(link, new Uint8Array(300_001))).status).toBe(413);
    expect((await send(link, '')).status).toBe(422);
    const statuses = await Promise.all([send(link, 'one'), send(link, 'two'), send(link, 'three')]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test('is for its name, for those who may write, and as long as they may', async () => {
    const link = await linkToSend(client, 'a.txt');
    expect((await send(link.replace('a.txt', 'b.txt'), 'abc')).status).toBe(401);
    const reader = await acme.client(['*:read']);
    const { errors } = await reader.graphql('mutation { createFileUpload(input: { name: "a" }) { url } }');
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
    const writer = await acme.client(['documents:write']);
    const late = await linkToSend(writer, 'a.txt');
    const { prisma } = service.database;
    const [token] = await prisma.apiToken.findMany({ orderBy: { id: 'desc' }, take: 1 });
    const where = { companyId_id: { companyId: token?.companyId ?? '', id: token?.id ?? '' } };
    await prisma.apiToken.update({ where, data: { scopes: ['documents:read'] } });
    expect((await send(late, 'abc')).status).toBe(403);
    await prisma.apiToken.update({ where, data: { revokedAt: new Date() } });
    expect((await send(late, 'abc')).status).toBe(401);
    const long = await client.graphql(`mutation { createFileUpload(input: { name: "${'x'.repeat(256)}" }) { url } }`);
    expect(long.errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR' } }]);
  });
});

test('links of one instance are valid on the others, and are used once on all of them', async () => {
  const other = await startService({}, async () => ({ ...service.database, close: async () => {} }));
  try {
    const there = (link: string) => link.replace(service.origin, other.origin);
    const { id } = await addFile(client, 'Hello', 'hello.txt');
    expect(await (await fetch(there(await linkTo(client, id)))).text()).toBe('Hello');
    const link = await linkToSend(client, 'once.txt');
    expect((await send(there(link), 'abc')).status).toBe(201);
    expect((await send(link, 'abc')).status).toBe(409);
  } finally {
    await other.close();
  }
});
