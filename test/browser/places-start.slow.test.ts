// Where people begin: what waits for them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { openAs } from './place.ts';
import { inChromium } from './visitor.ts';

inChromium('the start page', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('counts what waits for a member, and leads to it', async () => {
    const { companyId, id: userId } = await service.database.prisma.user.findFirstOrThrow({
      where: { companyId: tenant.company.id, email: people.member },
    });
    const { prisma } = service.database;
    const policy = { companyId, documentType: 'policy', requiresAcknowledgment: true, status: 'ACTIVE' as const };
    const known = await prisma.hrDocument.create({ data: { ...policy, title: 'Fire drill', category: 'POLICY' } });
    await prisma.hrDocument.create({ data: { ...policy, title: 'Keys and badges', category: 'POLICY' } });
    await prisma.hrAcknowledgment.create({
      data: { companyId, documentId: known.id, userId, acknowledgedAt: new Date() },
    });
    await prisma.trainingProgram.create({
      data: { companyId, title: 'Ladders', trainingType: 'safety', isMandatory: true, status: 'ACTIVE' },
    });
    // The home page leads people who are signed in to their company.
    const visitor = await openAs(browser, service, people.member, '/');
    const { page } = visitor;
    await page.waitForURL(`**/c/${tenant.company.slug}`);
    const count = (label: string) =>
      page.locator('.mantine-Card-root', { hasText: label }).locator('.number').textContent();
    await page.locator('.number', { hasText: /^\d+$/ }).first().waitFor();
    expect(await count('Policies to acknowledge')).toBe('1');
    expect(await count('Training to complete')).toBe('1');
    expect(await page.getByText('Requisitions to decide').count()).toBe(0);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Policies to acknowledge' }).click();
    await page.getByRole('link', { name: 'Keys and badges' }).waitFor();
    expect(await page.getByRole('link', { name: 'Fire drill' }).count()).toBe(0);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
