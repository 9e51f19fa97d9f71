// Saved queries as tables and charts.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { openAs } from './place.ts';
import { inChromium } from './visitor.ts';

inChromium('answers of saved queries', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    const client = await tenant.client();
    for (const [title, priority] of [
      ['Lamp', 'urgent'],
      ['Door', 'urgent'],
      ['Tap', 'low'],
      ['Sink', 'low'],
    ])
      await client.post('/service-requests', { title, priority });
    const { serviceRequest } = service.database.prisma;
    await serviceRequest.updateMany({ where: { title: 'Sink' }, data: { status: 'IN_PROGRESS' } });
    const createdAt = new Date(Date.now() - 40 * 86_400_000);
    await serviceRequest.updateMany({ where: { title: 'Tap' }, data: { createdAt } });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const query = `query Open($priority: [RequestPriority!]) {
    open: serviceRequests(filter: { priority: { in: $priority } }) {
      totalCount
      byState: aggregates { key { status priority } count }
      byMonth: aggregates { key { createdAt { month } } count urgent: count(where: { priority: { eq: URGENT } }) }
    }
  }`;
  const keep = (owner: number, values: { name: string; query: string; variables?: string; isShared?: boolean }) =>
    service.database.prisma.savedQuery.create({
      data: { companyId: tenant.company.id, userId: tenant.users[owner]?.id ?? '', isShared: true, ...values },
    });
  const addressOf = (id: string) => `/c/${tenant.company.slug}/saved-queries/${id}`;

  test('are drawn by their shape, changed, kept, opened by others, and lead to their rows', async () => {
    const saved = await keep(0, { name: 'Open requests', query, variables: '{"priority": ["URGENT", "LOW"]}' });
    const mine = await openAs(browser, service, people.admin, addressOf(saved.id));
    const { page } = mine;
    await page.getByRole('heading', { level: 1, name: 'Open requests' }).waitFor();
    const part = (name: string) => page.getByRole('region', { name, exact: true });
    // One number, stacked bars of two keys, lines over time: each with its table.
    await part('Result').getByRole('definition').filter({ hasText: /^4$/ }).waitFor();
    await part('Open by state').locator('[data-chart=STACKED_BARS] .recharts-bar-rectangle').first().waitFor();
    await part('Open by month').locator('[data-chart=LINES] .recharts-line').first().waitFor();
    expect(await part('Open by state').getByRole('row').allInnerTexts()).toEqual([
      'Status\tPriority\tCount',
      'Pending\tLow\t1',
      'Pending\tUrgent\t2',
      'In progress\tLow\t1',
    ]);
    expect(await findViolationsEverywhere(page)).toEqual([]);

    // The variables are a form, and part of the address.
    const form = page.getByRole('form', { name: 'Variables' });
    await form.getByLabel('Priority').and(page.locator('input')).press('Backspace');
    await form.getByRole('button', { name: 'Run' }).click();
    await part('Result').getByRole('definition').filter({ hasText: /^2$/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('variables')).toBe('{"priority":["URGENT"]}');

    // Another chart, which is kept with the query.
    const chart = part('Open by state').getByRole('group', { name: 'Chart of Open by state' });
    await chart.getByLabel('Shown as').selectOption('Bars');
    await chart.getByLabel('Apart by').selectOption('Nothing');
    await part('Open by state').getByRole('button', { name: 'Save chart' }).click();
    await page.getByText('Saved the chart.').waitFor();
    expect((await service.database.prisma.savedQuery.findFirstOrThrow({ where: { id: saved.id } })).charts).toEqual({
      'open.byState': { kind: 'BARS', labels: 'key.status', values: ['count'], split: null },
    });

    // Somebody else opens the address, sees the chart, and cannot keep another one.
    const other = await openAs(browser, service, people.member, addressOf(saved.id));
    const theirs = other.page.getByRole('region', { name: 'Open by state', exact: true });
    await theirs.locator('[data-chart=BARS]').waitFor();
    await theirs.getByLabel('Shown as').selectOption('Table alone');
    await theirs.locator('[data-chart]').waitFor({ state: 'detached' });
    expect(await theirs.getByRole('button', { name: 'Save chart' }).count()).toBe(0);

    // Figures lead to the rows that they count, with the conditions of the list, the group and the measure.
    await theirs
      .getByRole('row', { name: /Pending Urgent/ })
      .getByRole('link')
      .click();
    await other.page.getByText('2 rows', { exact: true }).waitFor();
    await other.page.goBack();
    await other.page
      .getByRole('region', { name: 'Open by month', exact: true })
      .getByRole('link', { name: 'Urgent: 2. Show the rows' })
      .click();
    await other.page.getByText('2 rows', { exact: true }).waitFor();
    expect(await other.page.getByText('Lamp').count()).toBe(1);
    expect([...mine.consoleErrors, ...other.consoleErrors]).toEqual([]);
    await Promise.all([mine.close(), other.close()]);
  });

  test('say kindly what somebody may not see, what costs too much, and what is no query', async () => {
    const [rights, cost, change, hidden] = await Promise.all([
      keep(0, { name: 'People', query: '{ desks { totalCount } securityEvents { nodes { id } } }' }),
      keep(0, {
        name: 'Everything',
        query:
          '{ buildings(first: 100) { nodes { serviceRequests(first: 100) { nodes { comments(first: 100) { nodes { id comment } } } } } } }',
      }),
      keep(0, { name: 'Change', query: 'mutation Add { createBuilding(input: { name: "Annex" }) { id } }' }),
      keep(0, { name: 'Hidden', query: '{ desks { totalCount } }', isShared: false }),
    ]);
    const visitor = await openAs(browser, service, people.member, `/c/${tenant.company.slug}/saved-queries`);
    const { page } = visitor;
    await page.getByRole('link', { name: 'People', exact: true }).last().waitFor();
    expect(await page.getByText('Hidden').count()).toBe(0);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await visitor.open(addressOf(rights.id));
    await page.getByText('You cannot see all of this').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await visitor.open(addressOf(cost.id));
    await page.getByText('This asks for too much at once').waitFor();
    await visitor.open(addressOf(change.id));
    await page.getByText('This is no query').waitFor();
    expect(await service.database.prisma.building.count({ where: { name: 'Annex' } })).toBe(0);
    await visitor.open(addressOf(hidden.id));
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('are placed on dashboards, which run what is in view', async () => {
    const { prisma } = service.database;
    const saved = await keep(0, { name: 'By state', query });
    const mine = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}/dashboards`);
    const { page } = mine;
    await page.getByText('There are no dashboards yet.').waitFor();
    await page.getByLabel('Name').fill('Operations');
    await page.getByLabel("It is the company's").check();
    await page.getByRole('button', { name: 'Create dashboard' }).click();
    await page.getByText('It is empty.').waitFor();
    const { id } = await prisma.dashboard.findFirstOrThrow();

    await page.getByRole('main').getByRole('link', { name: 'saved queries' }).click();
    await page.getByRole('link', { name: 'By state', exact: true }).click();
    for (const part of ['Open by state', 'Open by month']) {
      await page.getByRole('button', { name: `Place ${part} on a dashboard` }).click();
      await page.getByRole('menuitem', { name: 'Operations' }).click();
      const notice = page.getByRole('status').filter({ hasText: 'Placed on “Operations”.' });
      await notice.getByRole('button', { name: 'Close' }).click();
      await notice.waitFor({ state: 'detached' });
    }
    await mine.open(`/c/${tenant.company.slug}/dashboards/${id}`);
    const tile = (name: string) => page.getByRole('region', { name: `By state: ${name}` });
    await tile('Open by state').locator('[data-chart=STACKED_BARS]').waitFor();
    await tile('Open by month').locator('[data-chart=LINES]').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit' }).click();
    const controls = page.getByRole('group', { name: 'Change By state: Open by month' });
    await controls.getByRole('button', { name: 'Earlier' }).click();
    await page.getByText('Moved “By state: Open by month”.').waitFor();
    await controls.getByLabel('Shown as').selectOption('Bars');
    await tile('Open by month').locator('[data-chart=BARS]').waitFor();
    expect((await prisma.dashboard.findFirstOrThrow()).tiles).toMatchObject({
      list: [
        { part: 'open.byMonth', kind: 'BARS' },
        { part: 'open.byState', kind: null },
      ],
    });
    expect(await findViolationsEverywhere(page)).toEqual([]);

    // With many tiles, those below run once they are scrolled to; others see it, and do not change it.
    const far = await keep(0, { name: 'Far away', query: 'query Far { desks { aggregates { count } } }' });
    const list = [
      ...Array.from({ length: 12 }, () => ({ savedQueryId: saved.id, part: 'open.byState', kind: null, isWide: true })),
      { savedQueryId: far.id, part: 'desks.aggregates', kind: null, isWide: true },
    ];
    await prisma.dashboard.update({
      where: { companyId_id: { companyId: tenant.company.id, id } },
      data: { tiles: { list } },
    });
    const other = await openAs(browser, service, people.member);
    const asked: string[] = [];
    await other.page.route('**/graphql', (route) => {
      const [, name] = /query (Far|Open)/.exec(route.request().postData() ?? '') ?? [];
      if (name) asked.push(name);
      return route.fallback();
    });
    await other.open(`/c/${tenant.company.slug}/dashboards/${id}`);
    await other.page.locator('[data-chart]').first().waitFor();
    // Tiles of one query share its answer.
    expect(asked).toEqual(['Open']);
    expect(await other.page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await other.page.getByRole('region', { name: /Far away/ }).scrollIntoViewIfNeeded();
    await other.page
      .getByRole('region', { name: /Far away/ })
      .getByRole('definition')
      .filter({ hasText: /^0$/ })
      .waitFor();
    expect(asked).toEqual(['Open', 'Far']);
    await prisma.savedQuery.update({
      where: { companyId_id: { companyId: tenant.company.id, id: far.id } },
      data: { isShared: false },
    });
    await other.page.reload();
    await other.page.getByText('This query was deleted, or is no longer shared with you.').waitFor();
    expect([...mine.consoleErrors, ...other.consoleErrors]).toEqual([]);
    await Promise.all([mine.close(), other.close()]);
  });
});
