import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
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

  test('announces a package, and follows it', async () => {
    const { company, client } = await service.tenant();
    const visitor = await Visitor.arrive(browser, service, {
      viewport: phone,
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    });
    const { page } = visitor;
    await visitor.open(`/packages?company=${company.slug}`);
    expect(await page.getByLabel('Company').inputValue()).toBe(company.slug);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);

    // What is wrong is said next to the fields, all at once.
    await page.getByLabel('Your e-mail address').fill('gus@nowhere');
    await page.getByLabel('Parcels').fill('-1');
    await page.getByRole('button', { name: 'Announce it' }).click();
    await page.getByRole('alert').waitFor();
    const wrong = await page
      .locator('[aria-invalid=true]')
      .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('name')));
    expect(wrong).toEqual(['guest_name', 'guest_email', 'quantity']);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('guest_name');
    const name = page.getByLabel('Your name');
    const told = (await name.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${told.split(' ').at(-1)}"]`).textContent()).toBe('This is required.');

    await name.fill('Gus');
    await page.getByLabel('Your e-mail address').fill('gus@example.com');
    await page.getByLabel('What is it?').fill('A cello');
    await page.getByLabel('Parcels').fill('1');
    await page.getByRole('button', { name: 'Announce it' }).click();
    const link = await page.getByLabel('Link').inputValue();
    expect(link).toMatch(/\/packages\/[\w-]{22}$/);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Your package is announced');

    await page.getByRole('link', { name: 'Follow it' }).click();
    await page.waitForURL(link);
    await page.getByRole('status').getByText('It is expected.').waitFor();
    expect(await page.locator('dl').textContent()).toContain('A cello');
    const staff = await client();
    const { data } = await staff.graphql<{ expectedPackages: { nodes: { id: string }[] } }>(
      '{ expectedPackages { nodes { id } } }',
    );
    await staff.graphql('mutation ($id: ID!) { updateExpectedPackage(id: $id, input: { status: RECEIVED }) { id } }', {
      ...data.expectedPackages.nodes[0],
    });
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByRole('status').getByText('It has arrived.').waitFor();
    expect(await visitor.focused()).toBe('Look again');

    await visitor.open('/packages/AAAAAAAAAAAAAAAAAAAAAA');
    await page.getByText('There is no such package').waitFor();
    // What is no token, but another address of the API.
    await visitor.open('/packages/status');
    await page.getByText('There is no such package').waitFor();
    await visitor.open('/packages/%');
    await page.getByText('There is no such package').waitFor();
    await visitor.open('/package');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
  });
});
