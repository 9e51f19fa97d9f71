// The day of a technician whose service fails at a tap, or cannot be reached at all.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { openAs } from './place.ts';
import { inChromium, phone } from './visitor.ts';

const options = { viewport: phone, hasTouch: true };

inChromium('the day of a technician without a service', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let member: string;
  let path: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    ({ member } = await givePasswords(service, tenant));
    path = `/c/${tenant.company.slug}/my-day`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A request that is assigned to the technician. @returns its id */
  async function assign(title: string) {
    const client = await tenant.client();
    const { row } = await client.post('/service-requests', { title, room: '12', assigned_to: tenant.users[2]?.id });
    return String(row['id']);
  }
  const statusOf = async (id: string) =>
    (await service.database.prisma.serviceRequest.findFirstOrThrow({ where: { id } })).status;

  test('lists a tap that the service fails at three times, and goes on with the others', async () => {
    const broken = await assign('Lift');
    const other = await assign('Lamp');
    const { page, open, close } = await openAs(browser, service, member, undefined, options);
    await page.clock.install();
    await open(path);
    await page.getByText('Lift').waitFor();
    await page.evaluate((id) => {
      const { fetch } = window;
      const tried = { count: 0, isMended: false };
      Object.assign(window, { tried });
      window.fetch = (input, init) => {
        const body = typeof init?.body === 'string' ? init.body : '';
        if (tried.isMended || !body.includes('mutation') || !body.includes(id)) return fetch(input, init);
        tried.count += 1;
        return Promise.resolve(new Response('{"errors": []}', { status: 500 }));
      };
    }, broken);
    const tries = () => page.evaluate(() => (window as unknown as { tried: { count: number } }).tried.count);
    /** The page tries again every 15 s. */
    async function tryAgain() {
      const count = await tries();
      await page.clock.fastForward(16_000);
      await until('it is tried again', async () => (await tries()) > count);
    }
    const refused = page.getByRole('alert').filter({ hasText: 'Refused' });

    await page.getByRole('button', { name: 'Done: Lift' }).tap();
    await until('it is tried', async () => (await tries()) > 0);
    await page.getByRole('button', { name: 'Done: Lamp' }).tap();
    await page.getByText('2 taps wait to be sent').waitFor();
    await tryAgain();
    expect(await refused.count()).toBe(0);
    expect(await statusOf(other)).toBe('PENDING');
    await tryAgain();
    await refused.getByText('The service fails at it each time.').waitFor();
    await until('the other is done', async () => (await statusOf(other)) === 'COMPLETED');
    await page.getByText(/to be sent\./).waitFor({ state: 'detached' });
    expect(await findViolationsEverywhere(page)).toEqual([]);

    await page.evaluate(() => Object.assign((window as unknown as { tried: object }).tried, { isMended: true }));
    await page.getByRole('button', { name: /^Retry: Lift/ }).tap();
    await until('it is done', async () => (await statusOf(broken)) === 'COMPLETED');
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
    await close();
  });

  test('shows the work that was seen last where there is no service, until its person signs out', async () => {
    await assign('Door');
    const before = Date.now();
    const { page, close } = await openAs(browser, service, member, path, options);
    await page.getByText('Door').waitFor();
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      while (!navigator.serviceWorker.controller)
        await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
    });
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    const work = page.getByRole('region', { name: `Assigned to ${tenant.users[2]?.fullName}` });
    await work.waitFor();
    expect(await work.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Door\s+Pending · room 12$/),
    ]);
    const [, time = ''] = /, as of (.+)/.exec(await work.innerText()) ?? [];
    // To the second, in the time zone of the browser.
    expect(Date.parse(`${time} UTC`)).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(`${time} UTC`)).toBeLessThanOrEqual(Date.now());
    expect(await findViolationsEverywhere(page)).toEqual([]);

    await page.context().setOffline(false);
    // The page comes back by itself, unless the network of its service worker comes back later than its own.
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await until('the page is back', async () => {
      await page.waitForTimeout(1000);
      if (!(await signOut.isVisible())) await page.reload().catch(() => undefined);
      return signOut.isVisible();
    });
    await signOut.click();
    await page.waitForURL('**/sign-in');
    expect(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual([]);
    await close();
  });
});
