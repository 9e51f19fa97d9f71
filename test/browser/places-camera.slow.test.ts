// Scanning parcels with the camera of a phone, which shows a picture of a barcode.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toBuffer } from 'bwip-js/node';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium, phone } from './visitor.ts';

const [width, height] = [640, 480];

/** A film of one picture: a barcode on a white label, as Chromium's fake camera takes it. */
async function filmOf(text: string): Promise<Buffer> {
  const code = await toBuffer({ bcid: 'code128', text, scale: 3, height: 20, backgroundcolor: 'ffffff' });
  const light = await sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
    .composite([{ input: code, gravity: 'center' }])
    .greyscale()
    .raw()
    .toBuffer();
  // Without colors.
  const colors = Buffer.alloc((width * height) / 2, 128);
  return Buffer.concat([
    Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\nFRAME\n`),
    light.subarray(0, width * height),
    colors,
  ]);
}

/** A worker with the directives of its policy that something has violated. */
interface Watched {
  forbidden: string[];
}

function watchPolicy(): void {
  const forbidden: string[] = [];
  Object.assign(globalThis, { forbidden });
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => forbidden.push(effectiveDirective));
}

inChromium('the camera of the mailroom', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let folder: string;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'premises-film-'));
    const film = join(folder, 'parcel.y4m');
    await writeFile(film, await filmOf('PARCEL-0007'));
    [service, browser] = await Promise.all([
      startService(),
      launch({}, [
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
        `--use-file-for-fake-video-capture=${film}`,
      ]),
    ]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    const { slug } = tenant.company;
    const guest = { company_slug: slug, guest_name: 'Gus', guest_email: 'gus@example.com', quantity: 1 };
    const parcel = { description: 'A cello', tracking_number: 'PARCEL-0007' };
    await service.anonymous.post('/public/expected-packages', { ...guest, ...parcel });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = () =>
    openAs(browser, service, people.member, `/c/${tenant.company.slug}/mailroom`, {
      viewport: phone,
      permissions: ['camera'],
    });

  test('receives a parcel once, by a worker whose own policy alone allows WebAssembly', async () => {
    const { prisma } = service.database;
    const visitor = await open();
    const { page } = visitor;
    await page.getByText('Nothing waits here').waitFor();
    const policies = new Map<string, string>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      policies.set(pathname, response.headers()['content-security-policy'] ?? '');
    });
    await countTaps(page);
    page.on('worker', (worker) => void worker.evaluate(watchPolicy));
    await page.getByRole('button', { name: 'Scan with camera' }).click();
    await page
      .getByRole('region', { name: /^On the shelf/ })
      .getByText('A cello')
      .waitFor();
    expect(await countTaps(page)).toBe(1);
    // It stays in sight: that is no other scan.
    await page.waitForTimeout(3500);
    expect(await prisma.scanEvent.count()).toBe(1);
    expect((await prisma.expectedPackage.findFirstOrThrow()).status).toBe('RECEIVED');
    expect(await findViolationsEverywhere(page)).toEqual([]);
    // Its policy has forbidden nothing that it did, and forbids what it does not do.
    const [reader] = page.workers();
    const forbidden = () => reader?.evaluate(() => (globalThis as unknown as Watched).forbidden);
    expect(await forbidden()).toEqual([]);
    await reader?.evaluate(() => fetch('https://elsewhere.example/').catch(() => undefined));
    expect(await forbidden()).toEqual(['connect-src']);
    await page.getByRole('button', { name: 'Close the camera' }).click();
    await page.getByRole('button', { name: 'Scan with camera' }).waitFor();
    expect(await page.locator('video').count()).toBe(0);

    const worker = await fetch(`${service.origin}/barcode-worker.js`);
    await worker.arrayBuffer();
    expect(worker.headers.get('content-security-policy')).toMatch(
      /script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'$/,
    );
    const document = await page.request.get(page.url());
    expect(document.headers()['content-security-policy']).not.toMatch(/unsafe/);
    // Everything is of the service itself.
    expect([...policies.keys()].some((path) => path.endsWith('.wasm'))).toBe(true);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('says what to do where the reader cannot be loaded, where the camera is blocked, and without https', async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.route('**/*.wasm', (route) => route.abort());
    await page.getByRole('button', { name: 'Scan with camera' }).click();
    await page.getByText("Couldn't use the camera").waitFor();
    await page.getByRole('button', { name: 'Close the camera' }).click();
    await page.unroute('**/*.wasm');

    // A slow network: the camera shows a picture, and the scan follows.
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/*.wasm', async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Scan with camera' }).click();
    await page.getByText('Hold a barcode in front of the camera.').waitFor();
    release();
    await page.getByText('Scanned 1.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Close the camera' }).click();

    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('No.', 'NotAllowedError'));
    });
    await page.getByRole('button', { name: 'Scan with camera' }).click();
    await page.getByText('The camera is blocked.', { exact: false }).waitFor();
    await visitor.close();
  });

  test('is not offered where the page is not secure', async () => {
    const visitor = await openAs(browser, service, people.member, undefined, { viewport: phone });
    // As on http, but on the machine itself.
    await visitor.page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
    await visitor.open(`/c/${tenant.company.slug}/mailroom`);
    await visitor.page.getByText('open this page with https', { exact: false }).waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Scan with camera' }).count()).toBe(0);
    await visitor.close();
  });
});
