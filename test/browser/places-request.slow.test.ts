// The page of one request: its fields, and what has been said and done about it.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { openAs } from './place.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('the page of a request', () => {
  let service: Service;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let id: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    const { admin } = await givePasswords(service, tenant);
    const screen = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
    visitor = await openAs(browser, service, admin, undefined, screen);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  beforeEach(async () => {
    const client = await tenant.client();
    const body = { title: 'Lamp', description: 'It flickers.', category: 'Light', room: '4.10' };
    const { row } = await client.post('/service-requests', body);
    id = String(row['id']);
    await visitor.open(`/c/${tenant.company.slug}/requests/${id}`);
    await visitor.page.getByRole('heading', { name: 'Lamp' }).waitFor();
    await visitor.page.getByText('reported it').waitFor();
  });

  const stored = () => service.database.prisma.serviceRequest.findFirstOrThrow({ where: { id } });
  const change = async (body: object) => (await tenant.client()).patch(`/service-requests/${id}`, body);

  test('shows comments, files, time and activity in one stream', async () => {
    const { page } = visitor;
    await page.getByLabel('Comment', { exact: true }).last().fill('The part has arrived.');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add files' }).click(),
    ]);
    await chooser.setFiles({ name: 'part.txt', mimeType: 'text/plain', buffer: Buffer.from('A part') });
    await page.getByText('part.txt').waitFor();
    await page.getByRole('button', { name: 'Add comment' }).click();
    const stream = page.getByRole('list', { name: 'What has happened' });
    await stream.getByText('The part has arrived.').waitFor();
    await stream.getByRole('link', { name: 'part.txt' }).waitFor();
    await page.getByRole('button', { name: 'Log time' }).click();
    await page.getByLabel('Hours').fill('1.5');
    await page.getByLabel('Work').fill('Replaced the ballast.');
    await page.getByRole('button', { name: 'Log time' }).click();
    await stream.getByText('spent 1.5 hours: Replaced the ballast.').waitFor();
    await page.getByLabel('Status').selectOption('IN_PROGRESS');
    await page.getByRole('button', { name: 'Save' }).click();
    await stream.getByText('changed the status: Pending → In progress').waitFor();
    expect(await stream.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('reported it'),
      expect.stringContaining('The part has arrived.'),
      expect.stringContaining('spent 1.5 hours'),
      expect.stringContaining('changed the status'),
    ]);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByRole('button', { name: 'Stop following' }).waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
  });

  test('merges what only one of two people has changed', async () => {
    const { page } = visitor;
    await page.getByLabel('Room').fill('4.12');
    // Somebody else meanwhile.
    await change({ category: 'Electrical' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await stored()).toMatchObject({ room: '4.12', category: 'Electrical' });
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Category').inputValue()).toBe('Electrical');
  });

  test('lets the person choose where both have changed a field', async () => {
    const { page } = visitor;
    await page.getByLabel('Room').fill('4.12');
    await page.getByLabel('Category').fill('Lighting');
    await page.getByLabel('Floor').fill('4');
    await change({ category: 'Electrical', room: '4.11', priority: 'high' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Mine: 4.12').waitFor();
    await dialog.getByText('Theirs: 4.11').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await dialog.getByRole('radiogroup', { name: 'Category' }).getByLabel('Theirs: Electrical').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await stored()).toMatchObject({ room: '4.12', category: 'Electrical', floor: '4', priority: 'HIGH' });
  });

  test('is not found by other companies', async () => {
    const other = await service.tenant();
    await givePasswords(service, other);
    const stranger = await Visitor.create(browser, service);
    await stranger.signIn(other.users[0]?.email ?? '');
    await stranger.page.waitForURL(/dashboard|\/c\//);
    await stranger.open(`/c/${other.company.slug}/requests/${id}`);
    await stranger.page.getByRole('heading', { name: 'Not found' }).waitFor();
    await stranger.close();
    expect(visitor.consoleErrors).toEqual([]);
  });
});
