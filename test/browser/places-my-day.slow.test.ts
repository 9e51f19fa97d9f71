// The day of a technician: what to do, and taps that wait for a network.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page, Request } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium, phone } from './visitor.ts';

const options = { viewport: phone, hasTouch: true };

inChromium('the day of a technician', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let member: string;
  let executive: string;
  let path: string;
  let titles = 0;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    ({ member, executive } = await givePasswords(service, tenant));
    path = `/c/${tenant.company.slug}/my-day`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const technician = () => tenant.users[2]?.id ?? '';
  const records = () =>
    service.database.prisma.timeClockRecord.findMany({
      where: { companyId: tenant.company.id },
      orderBy: { clockInTime: 'asc' },
    });
  const areClosed = async () => (await records()).every(({ clockOutTime }) => clockOutTime !== null);
  /** A request that is assigned to the technician. */
  async function assign() {
    const title = `Job ${++titles}`;
    const client = await tenant.client();
    const { row } = await client.post('/service-requests', { title, assigned_to: technician() });
    return { title, id: String(row['id']) };
  }
  const statusOf = async (id: string) =>
    (await service.database.prisma.serviceRequest.findFirstOrThrow({ where: { id } })).status;
  /** The names of what the browser has stored for pages without a network. */
  const stored = (page: Page) =>
    page.evaluate(async () => (await indexedDB.databases()).flatMap(({ name }) => name ?? []).sort());
  const waitUntilReady = (page: Page) =>
    page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      while (!navigator.serviceWorker.controller)
        await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
    });
  const isMutation = (request: Request) => request.postData()?.includes('mutation') === true;
  /** Has no change arrive until the page is left. Routes do not see all requests of pages with service workers. */
  const failMutations = (page: Page) =>
    page.evaluate(() => {
      const { fetch } = window;
      window.fetch = (input, init) =>
        typeof init?.body === 'string' && init.body.includes('mutation')
          ? Promise.reject(new TypeError('No network'))
          : fetch(input, init);
    });
  const clockedIn = (page: Page) => page.getByText(/^Clocked in since/);

  test('has what is assigned, checklists to tick, due maintenance and reminders', async () => {
    const { prisma } = service.database;
    const companyId = tenant.company.id;
    const asset = await prisma.asset.create({ data: { companyId, assetName: 'Boiler' } });
    const day = new Date(new Date().toISOString().slice(0, 10));
    const work = { companyId, assetId: asset.id };
    await prisma.assetMaintenance.create({ data: { ...work, scheduledDate: day, description: 'Sweep it' } });
    await prisma.reminder.create({ data: { companyId, title: 'Call the inspector', dueDate: new Date() } });
    const checklist = { companyId, name: 'Opening round', assignedTo: technician() };
    const { id: checklistId } = await prisma.checklist.create({ data: checklist });
    for (const [order, title] of ['Lights', 'Doors'].entries())
      await prisma.checklistTask.create({ data: { companyId, checklistId, title, order } });
    const job = await assign();
    const visitor = await openAs(browser, service, member, path, options);
    const { page } = visitor;
    await page.getByText('Boiler').waitFor();
    await page.getByText('Call the inspector').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);

    await countTaps(page);
    await page.getByRole('button', { name: `Start: ${job.title}` }).tap();
    await until('the job begins', async () => (await statusOf(job.id)) === 'IN_PROGRESS');
    await page.getByRole('button', { name: `Done: ${job.title}` }).tap();
    await page.getByText('No request is assigned to you.').waitFor();
    expect(await countTaps(page)).toBe(2);
    expect(await statusOf(job.id)).toBe('COMPLETED');

    await page.getByLabel('Lights').check();
    // What is ticked stays so: nothing is sent before all is.
    await page.reload();
    await until('the tick is there', () => page.getByLabel('Lights').isChecked());
    await page.getByLabel('Doors').check();
    await page.getByLabel('Notes on Opening round').fill('One lamp');
    await page.getByRole('button', { name: 'Complete: Opening round' }).tap();
    await page.getByText('Done today').waitFor();
    const completions = await prisma.checklistCompletion.findMany({ where: { companyId } });
    expect(completions).toMatchObject([{ completedBy: technician(), completionDate: day, notes: 'One lamp' }]);

    await page.getByRole('button', { name: 'Clock in' }).tap();
    await clockedIn(page).waitFor();
    await until('the record is there', async () => (await records()).length === 1);
    await page.getByRole('button', { name: 'Clock out' }).tap();
    await page.getByText('Not clocked in.').waitFor();
    await until('the record is closed', areClosed);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('keeps taps without a network, and sends each once, in order and with its time', async () => {
    const before = (await records()).length;
    const job = await assign();
    const visitor = await openAs(browser, service, member, path, options);
    const { page } = visitor;
    const context = page.context();
    await page.getByText(job.title).waitFor();
    await waitUntilReady(page);
    const other = await context.newPage();
    await other.goto(service.origin + path);
    await other.getByText(job.title).waitFor();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Clock in' }).tap();
    await clockedIn(page).waitFor();
    // The other tab knows it, and goes on with it.
    await clockedIn(other).waitFor();
    const tappedBefore = Date.now();
    await other.getByRole('button', { name: `Done: ${job.title}` }).tap();
    await page.getByText('2 taps wait to be sent').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    expect((await records()).length).toBe(before);

    // A page that is opened now says that there is no connection, and has nothing of anybody.
    await other.reload();
    await other.getByRole('heading', { name: 'No connection' }).waitFor();
    await other.getByText('2 taps of this browser wait here').waitFor();
    expect(await other.locator('#page-data').textContent()).toBe('{"isOffline":true}');
    expect(await findViolationsEverywhere(other)).toEqual([]);

    // The first answer is lost: the tap is sent again, and done once.
    let answers = 0;
    await context.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation ClockIn') || ++answers > 1) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await context.setOffline(false);
    await until('the job is done', async () => (await statusOf(job.id)) === 'COMPLETED');
    await page.getByText('No request is assigned to you.').waitFor();
    expect(answers).toBeGreaterThanOrEqual(2);
    expect(await records()).toHaveLength(before + 1);
    const record = (await records()).at(-1);
    expect(record?.clockInTime.getTime()).toBeLessThanOrEqual(tappedBefore);
    // The other tab has come back by itself.
    await other.getByRole('button', { name: 'Clock out' }).waitFor();
    await other.getByRole('button', { name: 'Clock out' }).tap();
    await page.getByText('Not clocked in.').waitFor();
    await until('the record is closed', areClosed);
    await visitor.close();
  });

  test('lists what is refused, to send it again, change or discard it', async () => {
    const visitor = await openAs(browser, service, member, undefined, options);
    const { page } = visitor;
    await visitor.withoutStream();
    await visitor.open(path);
    await page.getByText('Not clocked in.').waitFor();
    await waitUntilReady(page);
    // What still loads would fail, and be shown anew.
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Clock in' }).tap();
    await clockedIn(page).waitFor();
    const tapped = Date.now();
    // Meanwhile somebody clocks them in.
    const entered = await service.database.prisma.timeClockRecord.create({
      data: { companyId: tenant.company.id, userId: technician() },
    });
    await page.getByRole('button', { name: 'Clock out' }).tap();
    await page.context().setOffline(false);
    const refused = page.getByRole('alert').filter({ hasText: 'Refused' });
    await refused.waitFor();
    // What follows it waits.
    await page.getByText('1 tap waits to be sent').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Retry: Clock in' }).tap();
    await refused.waitFor();
    await page.getByRole('button', { name: 'Edit: Clock in' }).tap();
    await page.getByRole('dialog').getByLabel('Notes').fill('At the gate');
    await page
      .getByRole('dialog')
      .getByLabel('Time')
      .fill(new Date(tapped - 2 * 3_600_000).toISOString().slice(0, 16));
    // The earlier refusal is there until the answer comes.
    const answer = page.waitForResponse((response) => isMutation(response.request()));
    await page.getByRole('button', { name: 'Send again' }).tap();
    await answer;
    await refused.waitFor();
    await service.database.prisma.timeClockRecord.deleteMany({ where: { id: entered.id } });
    await page.getByRole('button', { name: 'Retry: Clock in' }).tap();
    await until('it is sent', async () => (await records()).some(({ notes }) => notes === 'At the gate'));
    await until('the record is closed', areClosed);
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
    await visitor.close();
  });

  test('forgets taps at sign-out, and sends those of nobody else', async () => {
    const job = await assign();
    const visitor = await openAs(browser, service, member, path, options);
    const { page } = visitor;
    await page.getByText(job.title).waitFor();
    await waitUntilReady(page);
    await failMutations(page);
    await page.getByRole('button', { name: `Done: ${job.title}` }).tap();
    await page.getByText('1 tap waits to be sent').waitFor();

    // Their session ends, and somebody else signs in in this browser.
    await page.context().clearCookies();
    await visitor.open('/sign-in');
    await visitor.signIn(executive);
    await page.waitForURL(/dashboard|\/c\//);
    await visitor.open(path);
    await page.getByRole('heading', { name: 'My day' }).waitFor();
    await page.getByText('Not clocked in.').waitFor();
    expect(await page.getByText('to be sent').count()).toBe(0);
    expect(await statusOf(job.id)).toBe('PENDING');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    // What the first one has tapped is still theirs.
    expect(await stored(page)).toEqual([`premises-taps ${technician()} ${tenant.company.id}`]);
    expect(await page.evaluate(() => caches.keys())).toEqual([]);
    await visitor.signIn(member);
    await page.waitForURL(/dashboard|\/c\//);
    await visitor.open(path);
    await until('the job is done', async () => (await statusOf(job.id)) === 'COMPLETED');

    await failMutations(page);
    await page.getByRole('button', { name: 'Clock in' }).tap();
    await page.getByText('1 tap waits to be sent').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect(await stored(page)).toEqual([]);
    await visitor.close();
  });

  test('keeps the taps of each company apart', async () => {
    const second = await service.tenant();
    const { prisma } = service.database;
    const user = await prisma.user.findFirstOrThrow({ where: { id: technician() } });
    // The same person belongs to both.
    await prisma.user.create({
      data: { companyId: second.company.id, id: user.id, email: user.email, fullName: user.fullName, role: 'MEMBER' },
    });
    const visitor = await openAs(browser, service, member, undefined, options);
    const { page } = visitor;
    await visitor.open(path);
    const choose = page.getByRole('button', { name: /^Switch to/ });
    await page.getByText('Not clocked in.').or(choose).first().waitFor();
    if (await choose.isVisible()) await choose.click();
    await page.getByText('Not clocked in.').waitFor();
    const count = (await records()).length;
    await failMutations(page);
    await page.getByRole('button', { name: 'Clock in' }).tap();
    await page.getByText('1 tap waits to be sent').waitFor();
    await visitor.open(`/c/${second.company.slug}/my-day`);
    await choose.click();
    await page.getByText('Not clocked in.').waitFor();
    expect(await page.getByText('to be sent').count()).toBe(0);
    expect(await prisma.timeClockRecord.count({ where: { companyId: second.company.id } })).toBe(0);
    await visitor.open(path);
    await choose.click();
    await until('the record is there', async () => (await records()).length === count + 1);
    await visitor.close();
  });

  test('is installable, and what it keeps is replaced by that of a new release', async () => {
    const visitor = await openAs(browser, service, member, path, options);
    const { page } = visitor;
    await page.getByRole('heading', { name: 'My day' }).waitFor();
    await waitUntilReady(page);
    const devtools = await page.context().newCDPSession(page);
    const { data, errors } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    expect(JSON.parse(data ?? '')).toMatchObject({ start_url: path, display: 'standalone' });
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // Browsers of tests have no profile, which is where apps are installed.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);

    const keptNames = () => page.evaluate(() => caches.keys());
    const [name = ''] = await keptNames();
    expect(name).toMatch(/^premises-shell-[0-9a-f]{16}$/);
    const kept = await page.evaluate(async (each) => {
      const cache = await caches.open(each);
      return (await cache.keys()).map(({ url }) => new URL(url).pathname);
    }, name);
    expect(kept).toContain('/offline');
    expect(kept.filter((file) => !/^\/(offline|favicon\.svg|assets\/[\w.-]+)$/.test(file))).toEqual([]);

    // Unknown pages are still unknown.
    expect((await visitor.open('/nowhere'))?.status()).toBe(404);
    await visitor.open(path);
    await page.getByRole('heading', { name: 'My day' }).waitFor();
    // Another worker takes the place of this one at once, and forgets what others have kept.
    await page.evaluate(async () => {
      await caches.open('premises-shell-of-a-former-release');
      await navigator.serviceWorker.register('/service-worker.js?next');
    });
    await until('the former shell is gone', async () => (await keptNames()).join() === name);
    await until('the other worker', async () =>
      /\?next$/.test(String(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL))),
    );
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
