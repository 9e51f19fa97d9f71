// The page of notifications, and the one that stops emails.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import type { Browser } from 'playwright-core';
import { UnsubscribeTokens } from '../../src/auth/unsubscribe.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { givePasswords } from '../support/browser.ts';
import { notificationWorker } from '../support/log-worker.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('the pages of notifications', () => {
  let service: Service;
  let tenant: Tenant;
  let browser: Browser;
  let member: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    ({ member } = await givePasswords(service, tenant));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test.each(['light', 'dark'] as const)('list, mark as read and switch off, in %s colors', async (colorScheme) => {
    const { prisma } = service.database;
    const [, , cleo] = tenant.users;
    const worker = notificationWorker({
      database: service.database,
      api,
      mailer: noMailer,
      log: pino({ level: 'silent' }),
    });
    // Also of what an earlier test has changed.
    await waitForOlderTransactions(service.database);
    await worker.deliverPending();
    await prisma.notification.deleteMany();
    await prisma.notificationPreference.deleteMany();
    const program = await tenant.client();
    await program.post('/service-requests', { title: 'Lamp', assigned_to: cleo?.id });
    await program.post('/service-requests', { title: 'Lift', assigned_to: cleo?.id });
    await waitForOlderTransactions(service.database);
    await worker.deliverPending();
    await worker.close();

    const visitor = await Visitor.create(browser, service, { colorScheme, viewport: phone, reducedMotion: 'reduce' });
    const { page } = visitor;
    const assertAccessible = async () => {
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
    };
    await visitor.signIn(member);
    await page.waitForURL('**/c/*');
    await visitor.follow('Notifications');
    await page.getByText('2 unread notifications').waitFor();
    await page.getByText('Email is not sent here.').waitFor();
    await assertAccessible();
    await page.getByRole('button', { name: 'Mark as read: Lift' }).press('Enter');
    await page.getByText('Lift is read.').waitFor();
    await page.getByText('1 unread notification', { exact: true }).waitFor();
    expect(await visitor.focused()).toBe('1 unread notification');
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('No unread notifications').waitFor();
    // The field shows a choice before it is saved, and the last one remains.
    const save = await visitor.delayRequests('graphql', 'mutation SetNotificationPreference');
    for (const choice of ['OFF', 'EMAIL']) {
      await page.getByLabel('Low stock').selectOption(choice);
      expect(await page.getByLabel('Low stock').inputValue()).toBe(choice);
    }
    await save();
    await page.getByText('Low stock: in the list and by email.').waitFor();
    await assertAccessible();
    const preference = { where: { userId: cleo?.id ?? '', kind: 'low_stock' } };
    expect(await prisma.notificationPreference.findFirst(preference)).toMatchObject({ delivery: 'email' });

    await page.getByRole('link', { name: 'Lamp' }).click();
    await page.getByRole('heading', { name: 'Lamp' }).waitFor();
    const facts = page.getByRole('table', { name: 'Lamp' });
    await facts.getByRole('row', { name: `Assignee ${cleo?.fullName}` }).waitFor();
    await page.getByText('There are no service request comments yet.').waitFor();
    await assertAccessible();
    const address = new URL(page.url()).pathname;
    const id = address.split('/').at(-1) ?? '';
    expect(address).toBe(`/c/${tenant.company.slug}/service-requests/${id}`);
    // Comments are text, whatever they look like.
    await program.post(`/service-requests/${id}/comments`, { comment: '<b>Done</b>\nToday' });
    await visitor.open(address);
    await page.getByRole('table', { name: 'Service request comments' }).getByText('<b>Done</b>').waitFor();
    await assertAccessible();
    // Gone, or of another company.
    const other = await service.tenant();
    await givePasswords(service, other);
    const stranger = await Visitor.create(browser, service, { colorScheme, viewport: phone });
    await stranger.signIn(other.users[0]?.email ?? '');
    await stranger.page.waitForURL('**/c/*');
    for (const path of [address, `/rows/service-requests/${id}`]) {
      await stranger.open(path);
      await stranger.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    }
    expect(await findViolations(stranger.page)).toEqual([]);
    await program.delete(`/service-requests/${id}`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await visitor.open('/rows/service-requests/1');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(stranger.consoleErrors).toEqual([]);
    await Promise.all([visitor.close(), stranger.close()]);

    // Signed out.
    const tokens = new UnsubscribeTokens(service.database);
    const companyId = tenant.company.id;
    const token = await tokens.sign({ companyId, userId: cleo?.id ?? '', kinds: ['low_stock'] });
    const guest = await Visitor.create(browser, service, { colorScheme, viewport: phone });
    await guest.open(`/unsubscribe?token=${token}`);
    await guest.page.getByText('You get no more emails of this kind: Low stock.').waitFor();
    expect(await findViolations(guest.page)).toEqual([]);
    expect(await prisma.notificationPreference.findFirst(preference)).toMatchObject({ delivery: 'list' });
    await guest.open('/unsubscribe?token=x');
    await guest.page.getByText('This link is incomplete.').waitFor();
    expect([...visitor.consoleErrors, ...guest.consoleErrors]).toEqual([]);
    await guest.close();
  });
});
