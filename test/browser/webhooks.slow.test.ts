// The page of webhooks, with a receiver on loopback.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { givePasswords } from '../support/browser.ts';
import { type WebhookWorker, webhookWorker } from '../support/log-worker.ts';
import { type Service, startService } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('the page of webhooks', () => {
  let service: Service;
  let browser: Browser;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  let receiver: Server;
  let url: string;
  let worker: WebhookWorker;
  const received: { headers: Record<string, string>; body: string }[] = [];
  /** What the receiver answers. */
  let status = 200;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1' }), launch()]);
    people = await givePasswords(service, await service.tenant());
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        received.push({ headers: request.headers as Record<string, string>, body });
        response.writeHead(status).end(`answer ${received.length}`);
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/premises`;
    worker = webhookWorker({
      database: service.database,
      ...{ api, mailer: noMailer },
      ...{ allowedHosts: ['127.0.0.1'], log: { warn: () => {} } },
    });
    worker.start();
  });
  afterAll(async () => {
    await browser?.close();
    await worker?.close();
    receiver?.close();
    await service?.close();
  });

  test('creates, tests, replays, rotates, turns off and deletes one, by keyboard too', async () => {
    const visitor = await Visitor.create(browser, service, { viewport: phone });
    const { page } = visitor;
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    await visitor.signIn(people.member);
    await page.waitForURL('**/c/*');
    await visitor.follow('Webhooks');
    await page.getByText('No webhooks yet.').waitFor();

    await button('Create webhook').press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('CRM');
    await page.getByRole('textbox', { name: 'URL' }).fill('crm');
    await page.keyboard.press('Enter');
    await page.getByText('URL must be an http or https URL').waitFor();
    const field = page.getByRole('textbox', { name: 'URL' });
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await field.fill(url);
    await page.getByLabel('Selected resources').check();
    await page.keyboard.press('Enter');
    await page.getByText('Select at least one of the resources.').waitFor();
    await page.getByLabel('Paints', { exact: true }).check();
    await page.getByLabel('Selected actions').check();
    await page.getByLabel('Update', { exact: true }).check();
    await button('Create webhook').click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.getByLabel('Secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    expect(await dialog.getByLabel('Secret').evaluate((input) => input === document.activeElement)).toBe(true);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await visitor.focused()).toBe('Your webhooks');
    expect(await page.content()).not.toContain(secret);
    await page.getByText('Paints · Update').waitFor();
    await page.getByText(url).waitFor();

    await button('Send test event: CRM').click();
    await page.getByText('Succeeded', { exact: true }).waitFor();
    await page.getByText(/1 attempt · Response 200/).waitFor();
    expect(received).toHaveLength(1);
    const [first] = received;
    expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({ type: 'test' });
    await page.getByText('Request and response').press('Enter');
    expect(JSON.parse((await page.getByLabel('Request').textContent()) ?? '')).toEqual(JSON.parse(first?.body ?? ''));
    expect(await page.getByLabel('Response').textContent()).toBe('answer 1');

    // Everything but its owner and company can be changed.
    await button('Edit CRM').press('Enter');
    const edited = page.getByRole('form', { name: 'Edit CRM' });
    const isFocused = (label: string) => edited.getByLabel(label).evaluate((input) => input === document.activeElement);
    expect(await isFocused('Name')).toBe(true);
    expect(await edited.getByLabel('URL').inputValue()).toBe(url);
    expect(await edited.getByLabel('Paints', { exact: true }).isChecked()).toBe(true);
    await edited.getByLabel('Filter').fill('{ finish: { eq: "matte" ');
    await edited.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText('Filter is not a valid filter').waitFor();
    expect(await isFocused('Filter')).toBe(true);
    await edited.getByLabel('Filter').fill('{ finish: { eq: "matte" } }');
    await edited.getByLabel('Fields').fill('{ name finish }');
    await edited.getByLabel('URL').fill(`${url}/changed`);
    await edited.getByLabel('Create', { exact: true }).check();
    await edited.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText('CRM was changed.').waitFor();
    expect(await visitor.focused()).toBe('Edit');
    await page.getByText('Paints · Create, Update').waitFor();
    expect(await service.database.prisma.webhook.findFirst({})).toMatchObject({
      ...{ name: 'CRM', url: `${url}/changed`, resources: ['Paint'], actions: ['create', 'update'], enabled: true },
      ...{ filter: '{ finish: { eq: "matte" } }', selection: '{ name finish }' },
    });
    // A form that is saved before its options have loaded keeps the webhook's own.
    const loadChoices = await visitor.delayRequests('graphql', 'query WebhookChoices');
    await button('Edit CRM').click();
    await edited.getByRole('button', { name: 'Save webhook' }).click();
    await edited.waitFor({ state: 'hidden' });
    await page.getByText('Paints · Create, Update').waitFor();
    await loadChoices();
    // It stays until the list has what was saved, with which the next one begins.
    const loadList = await visitor.delayRequests('graphql', 'query Webhooks');
    await button('Edit CRM').click();
    await edited.getByLabel('Delete', { exact: true }).check();
    const [saved] = await Promise.all([
      page.waitForResponse((response) => response.request().postData()?.includes('mutation UpdateWebhook') === true),
      edited.getByRole('button', { name: 'Save webhook' }).click(),
    ]);
    await saved.finished();
    expect(await edited.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await loadList();
    await edited.waitFor({ state: 'hidden' });
    await button('Edit CRM').click();
    await edited.getByLabel('Delete', { exact: true }).uncheck();
    await edited.getByRole('button', { name: 'Save webhook' }).click();
    await edited.waitFor({ state: 'hidden' });
    await page.getByText('Paints · Create, Update').waitFor();
    await button('Edit CRM').click();
    await edited.getByLabel('Name').fill('ERP');
    await edited.getByRole('button', { name: 'Cancel' }).click();
    expect(await visitor.focused()).toBe('Edit');

    // The test event again, with what was sent today.
    await page.getByText('Deliveries of a time range').press('Enter');
    const today = new Date().toLocaleDateString('en-CA');
    await page.getByLabel('From', { exact: true }).fill(`${today}T00:00`);
    await page.getByLabel('Until', { exact: true }).fill(`${today}T23:59`);
    await button('Send again').click();
    await page.getByText('1 message is sent again.').waitFor();
    while (received.length < 2) await page.waitForTimeout(50);
    expect(received[1]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await page.getByText('Succeeded', { exact: true }).waitFor();

    await button('Rotate secret: CRM').click();
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog', { name: 'Secret rotated' }).waitFor();
    await dialog.getByLabel('Secret').waitFor();
    const next = await dialog.getByLabel('Secret').inputValue();
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    await page.waitForFunction((value) => document.activeElement?.getAttribute('value') === value, next);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(/Also signed with the previous secret until/).waitFor();

    // The same message again, to a receiver that is down: words say so in the list and in the log.
    status = 500;
    await button(/^Send again: test of /).click();
    await page.getByText('Failing', { exact: true }).nth(1).waitFor();
    await page
      .getByText(/^Failing since .* Last: test, 1 attempt. The receiver responded with 500. Next attempt /)
      .waitFor();
    expect(received).toHaveLength(3);

    // To one that wants nothing more.
    status = 410;
    await button(/^Send again: test of /).click();
    await page.getByText('Failed', { exact: true }).waitFor();
    await page.getByText(/1 attempt · Response 410/).waitFor();
    expect(received).toHaveLength(4);
    expect(received[3]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(new Webhook(next).verify(received[3]?.body ?? '', received[3]?.headers ?? {})).toMatchObject({
      type: 'test',
    });
    await page.getByText('Turned off by the service. The receiver responded with 410 Gone.').waitFor();
    await button('Turn on CRM').click();
    await page.getByText('CRM is on.').waitFor();
    await button('Turn off CRM').click();
    await page.getByText('CRM is off.').waitFor();
    expect(await service.database.prisma.webhook.findFirst({})).toMatchObject({
      enabled: false,
      actions: ['create', 'update'],
    });

    // Admins see who created it.
    const admin = await Visitor.create(browser, service);
    await admin.signIn(people.admin);
    await admin.page.waitForURL('**/c/*');
    await admin.open('/webhooks');
    const owner = await service.database.prisma.user.findFirstOrThrow({ where: { email: people.member } });
    await admin.page.getByText(`by ${owner.fullName}`).waitFor();
    // Of others' they see failures without bodies, and can turn them off and delete them.
    const ofOthers = admin.page.getByRole('listitem').filter({ hasText: 'CRM' });
    expect(await ofOthers.getByRole('button').allTextContents()).toEqual(['Deliveries', 'Delete webhook']);
    await button('Turn on CRM').click();
    await page.getByText('CRM is on.').waitFor();
    await admin.page.reload();
    await admin.page.getByRole('button', { name: 'Deliveries of CRM' }).click();
    await admin.page.getByText(/1 attempt · Response 410/).waitFor();
    expect(await ofOthers.first().getByRole('button').allTextContents()).toEqual([
      ...['Deliveries', 'Turn off', 'Delete webhook'],
      'Refresh',
    ]);
    expect(await admin.page.locator('details').count()).toBe(0);
    await admin.page.getByRole('button', { name: 'Turn off CRM' }).click();
    await admin.page.getByText('CRM is off.').waitFor();
    await page.reload();

    await button('Delete webhook: CRM').click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await visitor.focused()).toBe('Delete webhook');
    await button('Delete webhook: CRM').click();
    // What has begun cannot be canceled.
    const remove = await visitor.delayRequests('graphql', 'mutation DeleteWebhook');
    await dialog.getByRole('button', { name: 'Delete webhook' }).click();
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await remove();
    await page.getByText('CRM was deleted.').waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(await visitor.focused()).toBe('Your webhooks');
    expect(await service.database.prisma.webhook.count()).toBe(0);
    expect([...visitor.consoleErrors, ...admin.consoleErrors]).toEqual([]);
    for (const each of [visitor, admin]) await each.close();
  });
});
