import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('the picture of a person', () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('is added, shown and removed', async () => {
    const people = await givePasswords(service, await service.tenant());
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.signIn(people.member);
    await page.waitForURL('**/c/*');
    await visitor.open('/account');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add picture' }).click(),
    ]);
    const buffer = await sharp({ create: { width: 600, height: 400, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    await chooser.setFiles({ name: 'me.png', mimeType: 'image/png', buffer });
    const picture = page.getByRole('img', { name: 'Your picture' });
    await picture.waitFor();
    await page.waitForFunction(
      () => (document.querySelector('img[alt="Your picture"]') as HTMLImageElement).naturalWidth > 0,
    );
    await page.getByRole('button', { name: 'Remove picture' }).click();
    await page.getByRole('button', { name: 'Add picture' }).waitFor();
    expect(await picture.count()).toBe(0);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
