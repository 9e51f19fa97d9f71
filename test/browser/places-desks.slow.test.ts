import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium } from './visitor.ts';

/** A number of days after today; the companies of tests are in UTC. */
const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

inChromium('the plan of desks', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    const client = await tenant.client();
    const desks = [
      { name: 'A1', floor: '1' },
      { name: 'B1', floor: '2' },
    ];
    const ids: string[] = [];
    for (const desk of desks) ids.push(String((await client.post('/butts-in-seats/desks', desk)).row['id']));
    const [, , cleo] = tenant.users;
    const period = { start_date: dayAfter(-3), end_date: dayAfter(3) };
    await client.post('/butts-in-seats/employees', { desk_id: ids[1], user_id: cleo?.id, ...period });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('books a desk in two taps, and splits a longer record whose day is released', async () => {
    const { prisma } = service.database;
    const people = await givePasswords(service, tenant);
    const viewport = { width: 390, height: 800 };
    const plan = `/c/${tenant.company.slug}/desk-plan`;
    const visitor = await openAs(browser, service, people.member, plan, { viewport });
    const { page } = visitor;
    const today = dayAfter(0);
    const here = page.getByRole('region', { name: 'Who has a desk today' });
    await here.getByText(/Cleo/).waitFor();

    // The day after tomorrow would be one tap more; tomorrow is chosen with one, and booked with another.
    await countTaps(page);
    await page.getByRole('button', { name: 'Later' }).click();
    await page.waitForURL(/day=/);
    await page.getByRole('button', { name: /^Book A1/ }).click();
    await page.getByText(/A1 booked for/).waitFor();
    expect(await countTaps(page)).toBe(2);
    const booked = await prisma.workspaceRecord.findFirstOrThrow({ where: { desk: { name: 'A1' } } });
    expect([booked.startDate, booked.endDate, booked.userId]).toEqual([
      new Date(dayAfter(1)),
      new Date(dayAfter(1)),
      tenant.users[2]?.id,
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: /^Book A1/ }).waitFor();

    // A day in the middle: the record ends before it, and another one goes on after it.
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByRole('button', { name: /^Release B1/ }).click();
    await page.getByRole('button', { name: /^Book B1/ }).waitFor();
    await here.getByText('Nobody yet.').waitFor();
    const periods = await prisma.workspaceRecord.findMany({
      where: { desk: { name: 'B1' } },
      select: { startDate: true, endDate: true, userId: true },
      orderBy: { startDate: 'asc' },
    });
    expect(periods).toEqual([
      { startDate: new Date(dayAfter(-3)), endDate: new Date(dayAfter(-1)), userId: tenant.users[2]?.id },
      { startDate: new Date(dayAfter(1)), endDate: new Date(dayAfter(3)), userId: tenant.users[2]?.id },
    ]);
    expect(await findViolationsEverywhere(page)).toEqual([]);

    // The week has a column for each day, and its address shows it again.
    await page.getByText('Week', { exact: true }).click();
    await page.getByRole('table', { name: 'Desks of the week' }).waitFor();
    expect(await page.getByRole('columnheader').count()).toBe(8);
    await page.reload();
    await page.getByRole('table', { name: 'Desks of the week' }).waitFor();
    expect(await page.locator('input[type=date]').inputValue()).toBe(today);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('is chosen by building and floor, and says where it ends', async () => {
    const { prisma } = service.database;
    const companyId = tenant.company.id;
    const [tower, annex] = await prisma.building.createManyAndReturn({
      data: [
        { companyId, name: 'Tower' },
        { companyId, name: 'Annex' },
      ],
      select: { id: true },
    });
    const desks = Array.from({ length: 310 }, (_, n) => ({
      ...{ companyId, name: `T${n}`, buildingId: tower?.id ?? '', floor: n < 305 ? '10' : '9' },
    }));
    await prisma.desk.createMany({
      data: [...desks, { companyId, name: 'X1', buildingId: annex?.id ?? '', floor: '1' }],
    });
    const visitor = await openAs(browser, service, tenant.users[0]?.email ?? '', `/c/${tenant.company.slug}/desk-plan`);
    const { page } = visitor;
    await page.getByText('The first 300 of 313 desks are shown.', { exact: false }).waitFor();
    await page.getByLabel('Building').selectOption({ label: 'Tower' });
    await page.getByText('The first 300 of 310 desks are shown.', { exact: false }).waitFor();
    // The floors are those of the building, in their order.
    const floors = page.getByLabel('Floor', { exact: true });
    await page.waitForFunction(() => document.querySelectorAll('option[value="1"]').length === 0);
    expect(await floors.locator('option').allTextContents()).toEqual(['All floors', '9', '10']);
    await floors.selectOption('9');
    await page.getByRole('button', { name: /^Book T305/ }).waitFor();
    await page.getByText('The first 300', { exact: false }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: /^Book/ }).count()).toBe(5);
    await page.reload();
    await page.getByRole('button', { name: /^Book T305/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Book/ }).count()).toBe(5);
    // Another building has other floors.
    await page.getByLabel('Building').selectOption({ label: 'Annex' });
    await page.getByRole('button', { name: /^Book X1/ }).waitFor();
    expect(await floors.inputValue()).toBe('');
    expect(await findViolationsEverywhere(page)).toEqual([]);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
