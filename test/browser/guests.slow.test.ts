import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { type Service, startService } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('a guest with a phone', () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('registers a delivery and tracks it', async () => {
    const { company, client } = await service.tenant();
    const visitor = await Visitor.create(browser, service, {
      viewport: phone,
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    });
    const { page } = visitor;
    await visitor.open(`/packages?company=${company.slug}`);
    expect(await page.getByLabel('Company').inputValue()).toBe(company.slug);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);

    // Errors are shown next to the fields, all at once.
    await page.getByLabel('Your email').fill('gus@nowhere');
    await page.getByLabel('Number of packages').fill('-1');
    await page.getByRole('button', { name: 'Register delivery' }).click();
    await page.getByRole('alert').waitFor();
    const wrong = await page
      .locator('[aria-invalid=true]')
      .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('name')));
    expect(wrong).toEqual(['guest_name', 'guest_email', 'quantity']);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('guest_name');
    const name = page.getByLabel('Your name');
    const describedBy = (await name.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${describedBy.split(' ').at(-1)}"]`).textContent()).toBe('Your name is required.');

    await name.fill('Gus');
    await page.getByLabel('Your email').fill('gus@example.com');
    await page.getByLabel('Contents').fill('A cello');
    await page.getByLabel('Number of packages').fill('1');
    await page.getByRole('button', { name: 'Register delivery' }).click();
    const link = await page.getByLabel('Tracking link').inputValue();
    expect(link).toMatch(/\/packages\/[\w-]{22}$/);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Delivery registered');

    await page.getByRole('link', { name: 'Track package' }).click();
    await page.waitForURL(link);
    await page.getByRole('status').getByText('On its way').waitFor();
    expect(await page.locator('dl').textContent()).toContain('A cello');
    const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const add = async (name: string, mimeType: string, buffer: Buffer) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Add photo' }).click(),
      ]);
      await chooser.setFiles({ name, mimeType, buffer });
    };
    await page.getByText('You can add up to 3 photos of 10 MB each').waitFor();
    await add('cello.png', 'image/png', Buffer.from('no image'));
    await page.getByText("Couldn't add the photo").waitFor();
    for (const count of [1, 2, 3]) {
      await add('cello.png', 'image/png', photo);
      await page.getByText(`Photos for the mailroom: ${count} of 3.`).waitFor();
    }
    expect(await page.getByRole('button', { name: 'Add photo' }).count()).toBe(0);
    const staff = await client();
    const { rows } = await staff.get('/mailroom/expected-packages');
    expect(rows[0]?.['attachment_ids']).toHaveLength(3);
    const { data } = await staff.graphql<{ expectedPackages: { nodes: { id: string }[] } }>(
      '{ expectedPackages { nodes { id } } }',
    );
    await staff.graphql('mutation ($id: ID!) { updateExpectedPackage(id: $id, input: { status: RECEIVED }) { id } }', {
      ...data.expectedPackages.nodes[0],
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('status').getByText('Ready to collect').waitFor();
    expect(await visitor.focused()).toBe('Refresh');

    await visitor.open('/packages/AAAAAAAAAAAAAAAAAAAAAA');
    await page.getByText('Package not found').waitFor();
    // Not a token, but another path of the API.
    await visitor.open('/packages/status');
    await page.getByText('Package not found').waitFor();
    // No encoded text.
    await visitor.open('/packages/%');
    await page.getByText('Package not found').waitFor();
    await visitor.open('/package');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
