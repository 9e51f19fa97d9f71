// Setting up an empty company: its first rows from a spreadsheet, and its people.
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Jobs } from '../../src/background/jobs.ts';
import { date } from '../../src/fields/index.ts';
import { sheetType } from '../../src/http/send-table.ts';
import { sheetPrinter } from '../../src/http/sheet-xml.ts';
import { printTable } from '../../src/http/table.ts';
import { writeWorkbook } from '../../src/http/workbook.ts';
import { importFile } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium } from './visitor.ts';

const file = (content: string, name = 'firmen.csv') => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(content),
});

/** A workbook with assets, whose dates and prices are dates and numbers of the sheet. */
const workbook = () => {
  const columns = [
    { name: 'Gerät', type: undefined },
    { name: 'Serial number', type: undefined },
    { name: 'Gekauft', type: date },
    { name: 'Preis', type: undefined },
  ] as const;
  const rows = [
    ['Drill', 'D-1', '2026-03-31', 149.9],
    ['Lathe', 'L-7', '2024-02-29', 12_500],
    ['Press', 'P-2', null, -1],
  ];
  const printer = sheetPrinter(columns, 'UTC');
  return buffer(writeWorkbook(printTable({ first: { rows, next: undefined } }, printer, async () => {})));
};

inChromium('setting up', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let jobs: Jobs;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    jobs = new Jobs({ database: service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importFile]);
    jobs.start();
  });
  afterAll(async () => {
    await jobs?.close();
    await browser?.close();
    await service?.close();
  });

  const companyNames = async () =>
    (
      await service.database.prisma.vendor.findMany({
        where: { companyId: tenant.company.id },
        orderBy: { companyName: 'asc' },
      })
    ).map(({ companyName }) => companyName);
  const choose = (page: Page, content: string, name?: string) =>
    page.getByRole('region', { name: 'Import a file' }).locator('input[type=file]').setInputFiles(file(content, name));

  test('leads from an empty company to rows of a spreadsheet whose columns are called otherwise', async () => {
    const visitor = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}`);
    const { page } = visitor;
    await page.getByText('This company is empty').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await countTaps(page);
    await page.getByRole('main').getByRole('link', { name: 'Set up' }).click();
    await page.getByText('1 of 8 steps are done.').waitFor();
    await page.getByRole('button', { name: 'Import vendors' }).click();
    expect(await countTaps(page)).toBe(2);
    expect(await page.getByLabel('What the rows are').inputValue()).toBe('Vendor');

    // The service proposes a field for one column; another one is called otherwise, and a third one is none.
    await choose(page, 'Firma;email;Farbe\nAcme;a@acme.example;rot\nBolt;;blau\nCoil;nonsense;\n');
    await page.getByText('Some columns match no field.', { exact: false }).waitFor();
    const columns = page.getByRole('table', { name: 'Columns of the file' });
    await columns.getByText('Acme · Bolt · Coil').waitFor();
    expect(await page.getByRole('combobox', { name: 'Field of email' }).inputValue()).toBe('Email');
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Field of Firma' }).click();
    await page.getByRole('option', { name: 'Company name', exact: true }).click();
    await page.getByRole('button', { name: 'Check the file again' }).click();
    await page.getByText('3 rows checked, nothing is written yet: 2 new, 1 refused.').waitFor();
    const refused = page.getByRole('table', { name: 'Refused rows' });
    expect(await refused.getByRole('rowheader').textContent()).toBe('4');
    expect(await refused.getByRole('cell').textContent()).toMatch(/email: must be an email address/);
    expect(await companyNames()).toEqual([]);
    expect(await findViolationsEverywhere(page)).toEqual([]);

    // Its address shows it again.
    await page.reload();
    await page.getByRole('button', { name: 'Import the other 2 rows' }).click();
    await page.getByText('The import is done: 2 new, 1 refused.').waitFor();
    expect(await companyNames()).toEqual(['Acme', 'Bolt']);
    await page.getByText('2 of 8 steps are done.').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download all refused rows' }).click();
    expect((await download).suggestedFilename()).toBe('import-errors.csv');
    await page.getByRole('button', { name: 'Undo the import' }).click();
    await page.getByText('2 rows taken back.').waitFor();
    expect(await companyNames()).toEqual([]);
    await page.getByText('1 of 8 steps are done.').waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('makes rows of a workbook, whose dates and numbers stay what they are', async () => {
    const path = `/c/${tenant.company.slug}/set-up?resource=Asset`;
    const visitor = await openAs(browser, service, people.admin, path);
    const { page } = visitor;
    expect(await page.getByLabel('What the rows are').inputValue()).toBe('Asset');
    const input = page.getByRole('region', { name: 'Import a file' }).locator('input[type=file]');
    await input.setInputFiles({ name: 'geräte.xlsx', mimeType: sheetType, buffer: await workbook() });
    const columns = page.getByRole('table', { name: 'Columns of the file' });
    await columns.getByText('Drill · Lathe · Press').waitFor();
    expect(await page.getByRole('combobox', { name: 'Field of Serial number' }).inputValue()).toBe('Serial number');
    for (const [column, field] of [
      ['Gerät', 'Asset name'],
      ['Gekauft', 'Purchase date'],
      ['Preis', 'Purchase price'],
    ] as const) {
      await page.getByRole('combobox', { name: `Field of ${column}` }).click();
      await page.getByRole('option', { name: field, exact: true }).click();
    }
    await page.getByRole('button', { name: 'Check the file again' }).click();
    await page.getByText('3 rows checked, nothing is written yet: 2 new, 1 refused.').waitFor();
    const refused = page.getByRole('table', { name: 'Refused rows' });
    expect(await refused.getByRole('rowheader').textContent()).toBe('4');
    await page.getByRole('button', { name: 'Import the other 2 rows' }).click();
    await page.getByText('The import is done: 2 new, 1 refused.').waitFor();
    const made = await service.database.prisma.asset.findMany({
      where: { companyId: tenant.company.id },
      orderBy: { assetName: 'asc' },
    });
    expect(
      made.map(({ assetName, serialNumber, purchaseDate, purchasePrice }) => [
        ...[assetName, serialNumber, purchaseDate?.toISOString().slice(0, 10), Number(purchasePrice)],
      ]),
    ).toEqual([
      ['Drill', 'D-1', '2026-03-31', 149.9],
      ['Lathe', 'L-7', '2024-02-29', 12_500],
    ]);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('says why a file was not taken, leaves no import behind, and sends none twice', async () => {
    const { prisma } = service.database;
    const visitor = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}/set-up?resource=Vendor`);
    const { page } = visitor;
    await page.getByLabel('What the rows are').waitFor();
    await page.route('**/imports/*/file*', (route) => route.abort());
    await choose(page, 'company_name\nAcme\n', 'refused.csv');
    await page.getByText("Can't reach the server.", { exact: false }).waitFor();
    await page.unroute('**/imports/*/file*');
    expect(await prisma.import.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({ status: 'CANCELLED' });

    const release = await visitor.delayRequests('imports/*/file*');
    await choose(page, 'company_name\nAcme\n', 'held.csv');
    const button = page.getByRole('button', { name: 'Choose a file' });
    await page.locator('button[data-loading]', { hasText: 'Choose a file' }).waitFor();
    expect(await button.isDisabled()).toBe(true);
    await release();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('The import is done: 1 new.').waitFor();
    expect(await prisma.import.count({ where: { fileName: 'held.csv' } })).toBe(1);

    // The same row again, which is known by its name now.
    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.getByLabel('What the rows are').selectOption('Vendor');
    await page.getByLabel('What becomes of them').selectOption('UPSERT');
    await page.getByLabel('A row that is here already').selectOption({ label: 'Company name' });
    await choose(page, 'company_name,email\nAcme,new@acme.example\nDusk,\n', 'again.csv');
    await page.getByText('2 rows checked, nothing is written yet: 1 new, 1 changed.').waitFor();
    await page.getByRole('button', { name: 'Cancel the import' }).click();
    await page.getByText('0 rows taken back.').waitFor();
    expect(visitor.consoleErrors.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
    await visitor.close();
  });

  test('invites several people at once, and says who was not', async () => {
    const { prisma } = service.database;
    const visitor = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}/set-up`);
    const { page } = visitor;
    const form = page.getByRole('form', { name: 'Invite people' });
    await form.getByLabel('Email addresses').fill(`Dora Dee <dora@example.com>\nemil.e@example.com\n${people.member}`);
    await form.getByLabel('Role').selectOption('EXECUTIVE');
    await form.getByRole('button', { name: 'Invite 3 people' }).click();
    await page.getByText('2 invitations made.').waitFor();
    await page.getByRole('alert').getByText(people.member, { exact: false }).waitFor();
    expect(await form.getByLabel('Email addresses').inputValue()).toContain(people.member);
    expect(await page.getByLabel('Invitation link').count()).toBe(2);
    const made = await prisma.invitation.findMany({
      where: { companyId: tenant.company.id },
      orderBy: { email: 'asc' },
      select: { email: true, fullName: true, role: true },
    });
    expect(made).toEqual([
      { email: 'dora@example.com', fullName: 'Dora Dee', role: 'EXECUTIVE' },
      { email: 'emil.e@example.com', fullName: 'Emil E', role: 'EXECUTIVE' },
    ]);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('is found by admins alone', async () => {
    const path = `/c/${tenant.company.slug}/set-up`;
    const member = await openAs(browser, service, people.member, path);
    await member.page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await member.page.getByRole('link', { name: 'Set up' }).count()).toBe(0);
    await member.close();
    const admin = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}`);
    await admin.page.getByRole('link', { name: 'Set up' }).first().waitFor();
    await admin.page.getByRole('banner').getByRole('button', { name: 'Search' }).click();
    await admin.page.getByRole('textbox', { name: 'Search' }).fill('set up');
    await admin.page.getByRole('button', { name: 'Set up', exact: true }).click();
    await admin.page.waitForURL(`**${path}`);
    await admin.close();
  });
});
