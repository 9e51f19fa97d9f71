// What a browser does with files that somebody has sent.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '../support/client.ts';
import { addFile } from '../support/files.ts';
import { type Service, startService } from '../support/service.ts';
import { executable, launch, pdfViewer } from './chromium.ts';
import { inChromium } from './visitor.ts';

/** A page that is red. */
function redPdf(): string {
  const stream = '1 0 0 rg 0 0 300 300 re f';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ];
  let text = '%PDF-1.4\n';
  const places: string[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(String(text.length).padStart(10, '0'));
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((place) => `${place} 00000 n \n`).join('');
  return `${text}xref\n0 5\n0000000000 65535 f \n${table}trailer << /Size 5 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
}

inChromium('files that somebody has sent', () => {
  let service: Service;
  let browser: Browser;
  let framing: Server;
  let client: Client;
  beforeAll(async () => {
    service = await startService({ PUBLIC_URL: 'http://premises.example', FILES_ORIGIN: 'http://files.example' });
    client = await (await service.tenant()).client();
    // A page with a frame, on the host of the service and on another one.
    framing = createServer((request, response) => {
      const src = new URL(request.url ?? '', 'http://x').searchParams.get('of') ?? '';
      response.setHeader('content-type', 'text/html');
      response.end(`<body><iframe width=500 height=500 src="${src.replaceAll('&', '&amp;')}"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(framing, 'listening');
    const { host } = new URL(service.origin);
    // It listens on a port, not on a pipe.
    const pages = `127.0.0.1:${(framing.address() as AddressInfo).port}`;
    const hosts = { 'files.example': host, 'service.example': host, 'premises.example': pages, 'evil.example': pages };
    browser = await launch(hosts, [], pdfViewer ?? executable);
  });
  afterAll(async () => {
    await browser?.close();
    framing?.close();
    await service?.close();
  });

  const viewer = 'chrome-extension://';
  const hasViewer = (page: Page) => page.frames().some((frame) => frame.url().startsWith(viewer));

  async function linkTo(content: string, name: string): Promise<string> {
    const { id } = await addFile(client, content, name);
    const { data } = await client.graphql(`{ file(id: "${id}") { url } }`);
    return (data as { file: { url: string } }).file.url;
  }

  /** What becomes of an address: it is shown by the viewer, stored, or neither. */
  async function open(address: string): Promise<'shown' | 'stored' | 'refused'> {
    const page = await browser.newPage();
    try {
      let isStored = false;
      page.on('download', () => (isStored = true));
      await page.goto(address).catch(() => {}); // A download ends the navigation.
      for (let tries = 0; tries < 30 && !isStored && !hasViewer(page); tries++) await page.waitForTimeout(100);
      if (isStored) return 'stored';
      return hasViewer(page) ? 'shown' : 'refused';
    } finally {
      await page.close();
    }
  }

  (pdfViewer ? test : test.skip)(
    'a PDF is shown on the host of contents, also in a frame of our pages; elsewhere it is stored',
    async () => {
      const link = await linkTo(redPdf(), 'red.pdf');
      expect(await open(link)).toBe('shown');
      expect(await open(link.replace('files.example', 'service.example'))).toBe('stored');
      const framed = `/?of=${encodeURIComponent(link)}`;
      expect(await open(`http://premises.example${framed}`)).toBe('shown');
      expect(await open(`http://evil.example${framed}`)).toBe('refused');
    },
  );

  test.each([
    ['x.html', '<!doctype html><title>run</title><script>document.title = "ran"</script>'],
    ['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "ran"</script></svg>'],
    // Two formats at once: the first bytes decide, and a browser must not find the other one.
    ['x.gif', 'GIF89a/*<!doctype html><script>document.title = "ran"</script>*/=1;'],
  ])('%s runs nothing, on either host', async (name, content) => {
    const link = await linkTo(content, name);
    for (const address of [link, link.replace('files.example', 'service.example')]) {
      const page = await browser.newPage();
      await page.goto(address).catch(() => {}); // A download ends the navigation.
      await page.waitForTimeout(200);
      expect([name, await page.title()]).not.toContain('ran');
      await page.close();
    }
  });
});
