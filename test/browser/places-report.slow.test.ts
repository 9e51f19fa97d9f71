// Reporting a problem on a phone, from a code on a wall.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, watchPlace } from './place.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('the report of a problem', () => {
  let service: Service;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let member: string;
  let path: string;
  let buildingId: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    ({ member } = await givePasswords(service, tenant));
    const building = { companyId: tenant.company.id, name: 'Harbour House' };
    buildingId = (await service.database.prisma.building.create({ data: building })).id;
    path = `/c/${tenant.company.slug}/report?building=${buildingId}&floor=4&room=4.10`;
    visitor = await Visitor.create(browser, service, { viewport: phone, reducedMotion: 'reduce', hasTouch: true });
    await watchPlace(visitor.page);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const reports = () => service.database.prisma.serviceRequest.findMany({ where: { companyId: tenant.company.id } });

  test('takes four taps, and comes back to itself after sign-in', async () => {
    const { page } = visitor;
    await visitor.open(path);
    await page.waitForURL('**/sign-in?return_to=*');
    await visitor.signIn(member);
    await page.waitForURL(`**${path}`);
    await page.getByRole('heading', { name: 'Report a problem' }).waitFor();
    // A room is a text: 4.10 is not 4.1.
    expect(await page.getByLabel('Where').inputValue()).toBe('Harbour House, floor 4, room 4.10');
    expect(await findViolationsEverywhere(page)).toEqual([]);

    await countTaps(page);
    await page.getByLabel('What is the problem?').tap();
    await page.keyboard.type('The door is broken');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Add a photo' }).tap();
    const photo = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await (await chooser).setFiles({ name: 'door.png', mimeType: 'image/png', buffer: photo });
    await page.getByRole('button', { name: 'Send' }).tap();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    // One more is the choice of the picture, in the phone's own dialog.
    expect((await countTaps(page)) + 1).toBeLessThanOrEqual(4);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    const [report] = await reports();
    expect(report).toMatchObject({
      title: 'The door is broken',
      buildingId,
      floor: '4',
      room: '4.10',
      createdBy: tenant.users[2]?.id,
      status: 'PENDING',
    });
    expect(report?.attachmentIds).toHaveLength(1);
  });

  test('offers similar open requests of the building, to follow one instead', async () => {
    const client = await tenant.client();
    const { row: lift } = await client.post('/service-requests', {
      title: 'The lift is stuck',
      building_id: buildingId,
    });
    await client.post('/service-requests', { title: 'The lift elsewhere is stuck' });
    const { row: done } = await client.post('/service-requests', { title: 'Stuck lift', building_id: buildingId });
    await client.patch(`/service-requests/${String(done['id'])}`, { status: 'completed' });
    const { page } = visitor;
    await visitor.open(path);
    await page.getByLabel('What is the problem?').fill('Lift stuck again');
    await page.getByText('Is it one of these?').waitFor();
    const offers = page.getByRole('button', { name: /^Follow: / });
    expect(await offers.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual([
      'Follow: The lift is stuck',
    ]);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    const before = (await reports()).length;
    await offers.tap();
    await page.getByRole('heading', { name: 'You follow it' }).waitFor();
    const watcher = { serviceRequestId: String(lift['id']), userId: tenant.users[2]?.id ?? '' };
    expect(await service.database.prisma.watcher.findFirst({ where: watcher })).not.toBeNull();
    expect(await reports()).toHaveLength(before);
  });

  test('keeps what was entered when it is refused, and asks where without a code', async () => {
    const { page } = visitor;
    await visitor.open(`/c/${tenant.company.slug}/report`);
    await page.getByLabel('Room').fill('2.01');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('textarea[aria-invalid=true]').waitFor();
    expect(await page.getByLabel('Room').inputValue()).toBe('2.01');
    await page.getByLabel('What is the problem?').fill(`${'Water '.repeat(60)}\nEverywhere`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const report = (await reports()).find(({ room }) => room === '2.01');
    expect(report?.title.length).toBeLessThanOrEqual(200);
    expect(report?.description).toContain('Everywhere');
    expect(visitor.consoleErrors).toEqual([]);
  });
});
