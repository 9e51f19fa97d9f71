// Previews of images, and the process that makes them.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { Jobs } from '../../src/background/jobs.ts';
import { readConfig } from '../../src/config.ts';
import { folderOf, openFiles } from '../../src/files/index.ts';
import { FileWorker } from '../../src/files/worker.ts';
import { noMailer } from '../../src/mail/index.ts';
import { previewFile } from '../../src/schema/files/preview-job.ts';
import { api } from '../../src/schema/index.ts';
import type { Client } from '../support/client.ts';
import { pdfOf } from '../support/documents.ts';
import { addFile } from '../support/files.ts';
import { filesFolder, type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let acme: Tenant;
let client: Client;
let jobs: Jobs;
const logged: unknown[] = [];
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant();
  client = await acme.client(['service_requests:read', 'service_requests:write']);
  const log = { warn: (facts: unknown) => void logged.push(facts) };
  const files = openFiles(readConfig({ FILES_URL: `file://${filesFolder}` }));
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, files, log }, [previewFile]);
});
afterEach(() => expect(logged.splice(0)).toEqual([]));
afterAll(async () => {
  await jobs.close();
  await service.close();
});

/** An image of one colour. */
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } });

/** A PNG of grey pixels, by its specification: all of them black, and in several passes if it is interlaced. */
function greyPng(width: number, height: number, pixels: Buffer, interlaced = false): Buffer<ArrayBuffer> {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, interlaced ? 1 : 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = chunk('IDAT', deflateSync(pixels));
  return Buffer.concat([signature, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))]);
}

const bytesOf = async (image: Sharp) => new Uint8Array(await image.toBuffer());

/** Gets a preview. */
const getPreview = (id: unknown, query = '', by = client, headers: Record<string, string> = {}) =>
  fetch(`${by.origin}/api/v1/files/${String(id)}/preview${query}`, {
    headers: { authorization: `Bearer ${by.token}`, ...headers },
  });

/** What an image is. */
const imageOf = async (reply: Response) => sharp(await reply.arrayBuffer()).metadata();

/** The message of an error. */
const messageOf = async (reply: Response) => [reply.status, ((await reply.json()) as Reply).error.message];
interface Reply {
  readonly error: { readonly message: string };
}

describe('previews', () => {
  test('of a photo are upright, in three sizes, and do not say where it was taken', async () => {
    const place = { IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' } };
    // A camera that was held sideways: the first row of the image is its right side.
    const photo = plain(3000, 2000).withMetadata({ orientation: 6 }).withExifMerge(place).jpeg();
    const bytes = await bytesOf(photo);
    expect((await sharp(bytes).metadata()).exif).toBeDefined();
    const { id, sha256, preview_status: status } = await addFile(client, bytes, 'door.jpg');
    expect(status).toBe('pending');
    expect(await messageOf(await getPreview(id))).toEqual([
      404,
      'The preview is being made; try again in a few seconds.',
    ]);
    await jobs.runAll();
    expect((await client.get(`/files/${id}`)).row).toMatchObject({ preview_status: 'ready' });

    const sides = { small: [64, 96], medium: [320, 480], large: [1067, 1600] };
    for (const [size, [width, height]] of Object.entries(sides)) {
      const reply = await getPreview(id, `?size=${size}`);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': 'image/webp',
        'content-disposition': 'inline; filename="door.jpg.webp"',
        etag: `"${sha256}-${size}"`,
        'x-content-type-options': 'nosniff',
      });
      const image = await imageOf(reply);
      expect(image).toMatchObject({ format: 'webp', width, height });
      expect([image.exif, image.xmp, image.iptc, image.orientation]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    }
    expect(await imageOf(await getPreview(id))).toMatchObject({ height: 480 });
    expect((await getPreview(id, '?size=small', client, { 'if-none-match': `"${sha256}-small"` })).status).toBe(304);
    expect((await getPreview(id, '?size=huge')).status).toBe(400);
  });

  test('are of the usual formats of images, and never larger than these', async () => {
    const image = plain(20, 10);
    const formats = { png: image.png(), jpeg: image.jpeg(), webp: image.webp(), gif: image.gif(), avif: image.avif() };
    const ids: unknown[] = [];
    for (const [name, made] of Object.entries(formats))
      ids.push((await addFile(client, await bytesOf(made), name))['id']);
    await jobs.runAll();
    for (const id of ids)
      for (const size of ['small', 'medium', 'large'])
        expect(await imageOf(await getPreview(id, `?size=${size}`))).toMatchObject({ width: 20, height: 10 });
  });

  test('of a PDF are of its first page', async () => {
    const { id, preview_status: status } = await addFile(client, pdfOf('Safety manual', 'Valves'), 'manual.pdf');
    expect(status).toBe('pending');
    await jobs.runAll();
    // A page of A4 has 595 by 842 points.
    for (const [size, width, height] of [
      ['small', 68, 96],
      ['medium', 339, 480],
      ['large', 1131, 1600],
    ] as const)
      expect(await imageOf(await getPreview(id, `?size=${size}`))).toMatchObject({ format: 'webp', width, height });
    const page = sharp(await (await getPreview(id, '?size=large')).arrayBuffer()).greyscale();
    const darkest = async (left: number, top: number, width: number, height: number) =>
      (await sharp(await page.clone().extract({ left, top, width, height }).png().toBuffer()).stats()).channels[0]?.min;
    // The text begins 72 points from the left and 98 to 122 from the top, and the rest is white.
    expect(await darkest(130, 180, 400, 60)).toBeLessThan(80);
    expect(await darkest(0, 300, 1131, 1300)).toBeGreaterThan(240);

    const cut = await addFile(client, pdfOf('Valves').subarray(0, 300), 'cut.pdf');
    await jobs.runAll();
    expect(await messageOf(await getPreview(cut['id']))).toEqual([
      404,
      'The file has no preview. The PDF cannot be read.',
    ]);
  });

  test('are for those who may read the file', async () => {
    const { id } = await addFile(client, await bytesOf(plain(20, 10).png()), 'a.png');
    const stranger = await (await service.tenant()).client();
    await jobs.runAll();
    expect((await getPreview(id)).status).toBe(200);
    await client.post('/service-requests', { title: 'Broken door', attachment_ids: [id] });
    expect((await getPreview(id)).status).toBe(200);
    // A token without the scope of the row.
    expect((await getPreview(id, '', await acme.client(['documents:read']))).status).toBe(404);
    expect((await getPreview(id, '', stranger)).status).toBe(404);
    expect((await fetch(`${client.origin}/api/v1/files/${String(id)}/preview`)).status).toBe(401);
  });

  test('there are none of other files, also of those that look like images', async () => {
    const text = await addFile(client, 'abc', 'a.png');
    const svg = await addFile(client, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'a.svg');
    for (const { id, preview_status: status } of [text, svg]) {
      expect(status).toBeNull();
      expect((await getPreview(id)).status).toBe(404);
    }
    const whole = await bytesOf(plain(400, 300).png());
    const { id } = await addFile(client, whole.slice(0, 60), 'cut.png');
    await jobs.runAll();
    expect((await client.get(`/files/${id}`)).row).toMatchObject({ preview_status: 'failed' });
    expect(await messageOf(await getPreview(id))).toEqual([404, 'The file has no preview. The image cannot be read.']);
  });

  test('an image that is larger than any camera takes is refused, and the next one is not', async () => {
    const bomb = await addFile(client, greyPng(100_000, 100_000, Buffer.alloc(1_000_000)), 'bomb.png');
    const { id } = await addFile(client, await bytesOf(plain(20, 10).png()), 'a.png');
    await jobs.runAll();
    expect(await messageOf(await getPreview(bomb['id']))).toEqual([
      404,
      'The file has no preview. The image has more than 210 million pixels.',
    ]);
    expect((await getPreview(id)).status).toBe(200);
  });

  test('of a file that was deleted are not kept', async () => {
    const { id } = await addFile(client, await bytesOf(plain(20, 10).png()), 'a.png');
    const key = { companyId: acme.company.id, id: String(id) };
    await jobs.runAll();
    expect(readdirSync(join(filesFolder, folderOf(key))).sort()).toEqual(['large', 'medium', 'original', 'small']);
    const other = await addFile(client, await bytesOf(plain(20, 10).png()), 'a.png');
    expect((await client.delete(`/files/${other['id']}`)).status).toBe(204);
    await jobs.runAll();
    expect(readdirSync(join(filesFolder, folderOf({ ...key, id: String(other['id']) })))).toEqual(['original']);
  });
});

describe('the process', () => {
  const { signal } = new AbortController();
  let folder: string;
  let worker: FileWorker;
  const task = (bytes: Uint8Array) => {
    const path = join(folder, 'original');
    writeFileSync(path, bytes);
    return { does: 'previews', path, mediaType: 'image/png', folder } as const;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'premises-worker-'));
  });
  afterEach(() => worker.end());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('reads a bomb in little memory', async () => {
    worker = new FileWorker();
    const bomb = greyPng(100_000, 100_000, Buffer.alloc(1_000_000));
    await expect(worker.run(task(bomb), signal)).rejects.toThrow('more than 210 million pixels');
    const most = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1];
    expect(Number(most)).toBeLessThan(150_000);
  });

  test('has a limit of memory, and another one follows', async () => {
    worker = new FileWorker({ memory: 150 });
    // An interlaced image is whole in memory before its first row is known.
    const large = greyPng(14_000, 14_000, Buffer.alloc(14_000 * 14_100), true);
    await expect(worker.run(task(large), signal)).rejects.toMatchObject({ name: 'UnfitFile' });
    expect(await worker.run(task(await bytesOf(plain(9, 9).png())), signal)).toEqual({});
  });

  test('has a limit of time, and can be killed', async () => {
    const image = task(await bytesOf(plain(3000, 3000).png()));
    worker = new FileWorker({ taskMs: 20 });
    await expect(worker.run(image, signal)).rejects.toThrow('The file takes too long to read.');
    expect(worker.pid).toBeUndefined();
    worker = new FileWorker();
    const killed = worker.run(image, signal);
    await sleep(100);
    process.kill(worker.pid ?? 0, 'SIGKILL');
    await expect(killed).rejects.toThrow('The file cannot be read: reading it has failed.');
    expect(await worker.run(image, signal)).toEqual({});
  });

  test('does one task at a time, ends with the signal, and when it has nothing to do', async () => {
    worker = new FileWorker({ idleMs: 200 });
    const image = task(await bytesOf(plain(1000, 1000).png()));
    const stopped = new AbortController();
    const [first, second, third] = [
      worker.run(image, signal),
      worker.run(image, stopped.signal),
      worker.run(image, signal),
    ];
    stopped.abort(new Error('stopped'));
    expect(await first).toEqual({});
    await expect(second).rejects.toThrow('stopped');
    expect(await third).toEqual({});
    expect(worker.pid).toBeDefined();
    await sleep(600);
    expect(worker.pid).toBeUndefined();
  });
});
