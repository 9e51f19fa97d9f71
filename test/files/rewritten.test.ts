// Images that are written anew: photos of guests, and pictures of people.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { fileWorker } from '../../src/files/worker.ts';
import { openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { contentOf, sendBytes } from '../support/files.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

const guestPath = '/public/expected-packages';

let service: Service;
let acme: Tenant;
let client: Client;
/** What nobody may run: a photo, with its place, to be shown turned, and a script after its end. */
let photo: Buffer<ArrayBuffer>;
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant();
  client = await acme.client(['shipping:read', 'shipping:write']);
  const image = await sharp({ create: { width: 80, height: 40, channels: 3, background: '#cc0000' } })
    .withExif({ IFD0: { ImageDescription: 'at home' }, IFD3: { GPSLatitude: '48/1 12/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  photo = Buffer.concat([image, Buffer.from('<script>alert(1)</script>')]);
});
afterAll(() => service.close());

const bytes = { 'content-type': 'application/octet-stream' };

/** Registers a package. @returns its id and tracking token */
async function announce(): Promise<{ id: string; token: string }> {
  const { row } = await service.anonymous.post(guestPath, {
    company_slug: acme.company.slug,
    guest_name: 'Gus',
    guest_email: 'gus@example.com',
  });
  return { id: String(row['id']), token: String(row['tracking_token']) };
}

const addPhoto = (token: string, body: RequestInit['body'], headers: Record<string, string> = bytes) =>
  sendBytes(service.anonymous, `${guestPath}/${token}/photos`, body, headers);

const attachmentsOf = async (id: string) =>
  (await client.get(`/mailroom/expected-packages/${id}/attachments`)).json['data'] as Row[];

describe('a photo of a guest', () => {
  test('becomes an attachment of their package, and nothing but what people see', async () => {
    const { id, token } = await announce();
    const added = await addPhoto(token, photo);
    expect(added).toMatchObject({ status: 201, row: { id, photo_count: 1 } });
    expect(added.headers.get('location')).toBe(`/api/v1${guestPath}/${token}`);
    expect((await service.anonymous.get(`${guestPath}/${token}`)).row).toMatchObject({ photo_count: 1 });
    const [file] = await attachmentsOf(id);
    expect(file).toMatchObject({ name: 'photo-1.jpg', media_type: 'image/jpeg', user_id: null });
    const content = Buffer.from(await (await contentOf(client, String(file?.['id']))).arrayBuffer());
    const { width, height, exif, orientation } = await sharp(content).metadata();
    expect([width, height, exif, orientation]).toEqual([40, 80, undefined, undefined]);
    expect(content.includes('script')).toBe(false);
    expect((await contentOf(service.anonymous, String(file?.['id']))).status).toBe(401);
  });

  test('comes in a form too', async () => {
    const { id, token } = await announce();
    const form = new FormData();
    form.set('file', new Blob([photo]), 'door.jpg');
    expect((await addPhoto(token, form, {})).status).toBe(201);
    expect(await attachmentsOf(id)).toHaveLength(1);
  });

  test('is one of three, also where four come at once', async () => {
    const { id, token } = await announce();
    const answers = await Promise.all([1, 2, 3, 4].map(() => addPhoto(token, photo)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409]);
    expect((await addPhoto(token, photo)).error).toMatchObject({ code: 'CONFLICT' });
    expect(await attachmentsOf(id)).toHaveLength(3);
  });

  test('does not wait for a file that a job reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
    const path = join(folder, 'original');
    // Nothing is ever written to it.
    execFileSync('mkfifo', [path]);
    const stop = new AbortController();
    const read = fileWorker.run({ does: 'previews', path, mediaType: 'image/png', folder }, stop.signal);
    let isRead = false;
    void read
      .catch(() => {})
      .then(() => {
        isRead = true;
      });
    const { token } = await announce();
    expect((await addPhoto(token, photo)).status).toBe(201);
    expect(isRead).toBe(false);
    stop.abort(new Error('stopped'));
    await expect(read).rejects.toThrow('stopped');
    await rm(folder, { recursive: true });
  });

  test('is refused where it is no image, or too large, or for no package', async () => {
    const { id, token } = await announce();
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    for (const [sent, message] of [
      ['just text', 'must be an image: PNG, JPEG, WebP, GIF or AVIF'],
      ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'must be an image: PNG, JPEG, WebP, GIF or AVIF'],
      [`%PDF-1.4 ${'a'.repeat(100)}`, 'must be an image: PNG, JPEG, WebP, GIF or AVIF'],
      [png.subarray(0, 60), 'The image cannot be read.'],
    ] as const)
      expect(await addPhoto(token, sent as string)).toMatchObject({
        status: 422,
        error: { code: 'VALIDATION_ERROR', details: { file: message } },
      });
    expect((await addPhoto(token, Buffer.alloc(10_000_001))).error).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The file must have at most 10000000 bytes.',
    });
    expect((await addPhoto('unknown', photo)).error).toMatchObject({ code: 'NOT_FOUND' });
    expect(await attachmentsOf(id)).toEqual([]);
    expect((await service.anonymous.get(`${guestPath}/${token}`)).row).toMatchObject({ photo_count: 0 });
  });
});

describe('the picture of a person', () => {
  const idOf = (index: number) => acme.users[index]?.id ?? '';
  /** Sets a picture in a session, as a page does. */
  const setPicture = async (index: number, body: Buffer<ArrayBuffer>) => {
    const { cookies } = await openSession(service, idOf(index));
    return sendBytes(service.anonymous, '/me/avatar', body, { ...bytes, ...ofPage(cookies) }, 'PUT');
  };
  const ofPage = (cookies: ReadonlyMap<string, string>) => ({
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'cors',
    origin: 'http://localhost:4000',
  });
  const pictureOf = async (index: number) => {
    const { row } = await (await acme.client(['users:read'])).get(`/users/${idOf(index)}`);
    return /\/api\/v1\/files\/([\w-]{36})\/content$/.exec(String(row['avatar_url']))?.[1];
  };

  test('is seen by those who see the person', async () => {
    expect((await setPicture(0, photo)).status).toBe(204);
    const id = (await pictureOf(0)) ?? '';
    const seen = await contentOf(await acme.client(['users:read']), id);
    expect([seen.status, seen.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const content = Buffer.from(await seen.arrayBuffer());
    const { width, height, exif } = await sharp(content).metadata();
    expect([width, height, exif]).toEqual([512, 512, undefined]);
    expect(content.includes('script')).toBe(false);
    const globex = await (await service.tenant()).client();
    for (const by of [await acme.client(['notes:read']), globex]) expect((await contentOf(by, id)).status).toBe(404);
  });

  test('is their own to set, replace and remove, in a session', async () => {
    const byToken = await sendBytes(await acme.client(), '/me/avatar', photo, bytes, 'PUT');
    expect(byToken).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
    await setPicture(1, photo);
    const first = await pictureOf(1);
    await setPicture(1, photo);
    const second = await pictureOf(1);
    expect(second).not.toBe(first);
    const { prisma } = service.database;
    const left = await prisma.file.findMany({ where: { id: { in: [first ?? '', second ?? ''] } } });
    expect(left.map(({ id }) => id)).toEqual([second]);
    expect(await setPicture(1, Buffer.from('text'))).toMatchObject({
      status: 422,
      error: { details: { file: 'must be an image: PNG, JPEG, WebP, GIF or AVIF' } },
    });
    expect(await pictureOf(1)).toBe(second);
    const ben = await openSession(service, idOf(1));
    expect((await ben.request('DELETE', '/api/v1/me/avatar')).status).toBe(204);
    expect(await pictureOf(1)).toBeUndefined();
    expect(await prisma.file.count({ where: { id: second ?? '' } })).toBe(0);
  });

  test('is erased with the person', async () => {
    await setPicture(2, photo);
    const id = (await pictureOf(2)) ?? '';
    const admin = await openSession(service, idOf(0));
    const [named, email] = [`id: "${idOf(2)}"`, acme.users[2]?.email];
    for (const change of [`deactivateUser(${named})`, `eraseUser(${named}, email: "${email}")`])
      expect((await admin.graphql(`mutation { ${change} { id } }`)).errors).toEqual([]);
    expect(await pictureOf(2)).toBeUndefined();
    expect(await service.database.prisma.file.count({ where: { id } })).toBe(0);
  });
});
