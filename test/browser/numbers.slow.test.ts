import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { slowdown } from '../support/slowdown.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('reports', () => {
  let service: Service;
  let browser: Browser;
  let program: Client;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    const tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    program = await tenant.client();
    for (const priority of ['low', 'high', 'high'])
      await program.post('/service-requests', { title: `A ${priority} one`, priority });
    await program.post('/move-requests', { title: 'A move' });
    await program.post('/inventory', { name: 'Bulbs', quantity: 3, reorder_point: 5, unit_cost: 412.5 });
    await program.post('/procurement/requisitions', { title: 'More bulbs', total_amount: 1234.5 });
    const record = 'mutation ($input: RecordAiUsageInput!) { recordAiUsage(input: $input) { id } }';
    const occurredAt = new Date().toISOString();
    for (const costUsd of [1.25, 0.5]) {
      await program.graphql(record, {
        input: { feature: 'request_triage', model: 'small', inputTokens: 1000, outputTokens: 50, costUsd, occurredAt },
      });
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const signedIn = async (email: string) => {
    const visitor = await Visitor.create(browser, service);
    await visitor.signIn(email);
    await visitor.page.waitForURL('**/dashboard');
    return visitor;
  };

  /** Opens GraphiQL in a browser that has nothing of it, and measures how long it takes and what it loads. */
  async function openGraphiql() {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const received = { bytes: 0 };
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (received.bytes += encodedDataLength));
    const start = Date.now();
    await visitor.open('/graphql');
    const lowStock = page.getByRole('tab', { name: 'LowStock' });
    await lowStock.waitFor();
    await page.locator('.graphiql-query-editor').getByText('LatestRequests').waitFor();
    return { visitor, lowStock, received, milliseconds: Date.now() - start };
  }

  test('the dashboard shows the figures of REST', async () => {
    const visitor = await signedIn(people.member);
    const { page } = visitor;
    await page.getByText('Low stock').waitFor();
    const { data } = await visitor.fetch<{ data: Record<string, Record<string, unknown>> }>(
      '/api/v1/dashboard/analytics?mode=batch',
    );
    const shown = {
      service_requests: await visitor.tile('Service requests'),
      move_requests: await visitor.tile('Move requests'),
      low_stock: await visitor.tile('Low stock'),
      stock_value: await visitor.tile('Stock value'),
      open_amount: await visitor.tile('Open requisitions'),
      reminders: await visitor.tile('Reminders due'),
    };
    expect(shown).toEqual({
      service_requests: 3,
      move_requests: 1,
      low_stock: 1,
      stock_value: 1237.5,
      open_amount: 1234.5,
      reminders: 0,
    });
    expect(shown).toEqual({
      service_requests: data['service_requests']?.['total'],
      move_requests: data['move_requests']?.['total'],
      low_stock: data['inventory']?.['low_stock'],
      stock_value: data['inventory']?.['stock_value'],
      open_amount: data['procurement']?.['open_amount'],
      reminders: data['reminders']?.['due'],
    });
    const high = page.getByRole('table', { name: 'Service requests by priority' }).getByRole('row', { name: 'High' });
    expect(await high.getByRole('cell').last().textContent()).toBe('2');

    // A figure leads to what it counts.
    await page.getByRole('link', { name: 'Low stock: 1.' }).click();
    await page.waitForURL('**/graphql?query=*');
    await page.locator('.graphiql-query-editor').getByText('LowStockItems').waitFor();
    const tabs = page.getByRole('tab');
    expect(await tabs.allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('LowStockItems'), expect.stringContaining('LatestRequests')]),
    );
    const found = await visitor.run<{ inventoryItems: { totalCount: number } }>('LowStockItems');
    expect(found.inventoryItems.totalCount).toBe(shown.low_stock);
    await page.goBack();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();

    // Days without data, typed before the page has the figures of the default range.
    const load = await visitor.delayRequests('dashboard/analytics*');
    await page.reload();
    await page.getByLabel('Start date').fill('2020-01-01');
    await page.getByLabel('End date').fill('2020-01-31');
    await load();
    await page.getByText('Requests created from').waitFor();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('Requests created from Jan 1, 2020').waitFor();
    expect(await visitor.tile('Service requests')).toBe(0);
    await page.getByLabel('Start date').fill('2020-02-01');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('alert').getByText('End date must be on or after the start date.').waitFor();
    // The figures on the page belong to the previous range.
    await page.getByText('Requests created from Jan 1, 2020').waitFor();

    // Long ranges are in months and weeks.
    await page.getByLabel('Start date').fill('2017-02-01');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('View as table').click();
    const bins = (size: string) => page.getByRole('table', { name: `Requests created per ${size}` });
    await bins('month').getByRole('rowheader', { name: 'February 2017' }).waitFor();
    expect(await bins('month').getByRole('rowheader').count()).toBe(36);
    await page.getByRole('button', { name: 'Last 365 days' }).click();
    await bins('week').waitFor();
    expect(await bins('week').getByRole('rowheader').count()).toBeLessThanOrEqual(54);
    const counts = (await bins('week').getByRole('cell').allTextContents()).map(Number);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 + 1);
    const week = page.getByRole('button', { name: 'Last 7 days' });
    await week.press('Enter');
    await bins('day').waitFor();
    expect(await bins('day').getByRole('rowheader').count()).toBe(7);
    // The focus stays where it was.
    expect(await visitor.focused()).toBe('7 days');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('AI usage is visible to admins and executives, who can summarize a month', async () => {
    const visitor = await signedIn(people.executive);
    const { page } = visitor;
    await page.getByRole('link', { name: 'AI usage' }).click();
    await page.getByText('Request triage').first().waitFor();
    expect([await visitor.tile('Cost'), await visitor.tile('Requests'), await visitor.tile('Input tokens')]).toEqual([
      1.75, 2, 2000,
    ]);
    // The chart adds up to the total, without a summary.
    await page.getByText('View as table').click();
    const costs = await page.getByRole('table', { name: 'Cost per month' }).getByRole('cell').allTextContents();
    expect(costs.reduce((sum, cost) => sum + Number(cost.replace('$', '')), 0)).toBe(1.75);
    await page
      .getByRole('button', { name: /^Summarize/ })
      .first()
      .click();
    await page.getByText('summarized: $1.75 for 1 feature.').waitFor();
    await page.getByText('1 feature, updated just now').waitFor();
    // The months on the page are those of its figures.
    const load = await visitor.delayRequests('ai-usage?*');
    await page.getByLabel('Period').selectOption('12');
    expect(await page.getByText('Not summarized yet').count()).toBe(5);
    await load();
    await page.getByText('Not summarized yet').nth(10).waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();

    const member = await signedIn(people.member);
    await member.page.getByText('Low stock').waitFor();
    expect(await member.page.getByRole('link', { name: 'AI usage' }).count()).toBe(0);
    await member.open('/ai-usage');
    await member.page.getByText("You don't have access to this page").waitFor();
    expect(await member.page.getByText('Request triage').count()).toBe(0);
    await member.close();
  });

  test('the REST reference shows quickly, and finds and tries operations', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    // The service generates the document once.
    const { text } = await program.get('/openapi.json');
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, object>> };
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path).filter((part) => 'operationId' in part),
    );
    const open = async () => {
      const start = Date.now();
      await visitor.open('/docs');
      await page.getByText(`${operations.length} operations`).waitFor();
      await page.getByText('/paints/{id}', { exact: true }).first().waitFor();
      return Date.now() - start;
    };
    // Once of three times, as other tests may take the processors for a while.
    let milliseconds = await open();
    for (let tries = 1; tries < 3 && milliseconds >= 2_000; tries += 1) milliseconds = await open();
    expect(milliseconds).toBeLessThan(2_000 * slowdown());

    await page.getByLabel('Search operations').fill('list stock adjustments');
    await page.getByText('3 operations', { exact: true }).waitFor();
    await page.getByLabel('Search operations').fill('list paints');
    await page.getByText('/paints', { exact: true }).click();
    const parameters = page.getByRole('table', { name: 'Parameters' });
    await parameters.getByRole('row', { name: 'limit' }).getByText('1 to 100').waitFor();
    await page.getByLabel('API token for trying operations').fill(program.token ?? '');
    await page.getByLabel('Query').fill('limit=1');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page
      .getByRole('status')
      .getByText(/^200 in \d+ ms$/)
      .waitFor();
    expect(await page.getByLabel('Response', { exact: true }).textContent()).toContain('"total": 0');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('GraphiQL opens quickly, and loads the schema once a token is entered', async () => {
    // Once of three times, each with an empty cache: other tests may take the processors for a while.
    let opened = await openGraphiql();
    for (let tries = 1; tries < 3 && opened.milliseconds >= 3_000; tries += 1) {
      await opened.visitor.close();
      opened = await openGraphiql();
    }
    expect(opened.milliseconds).toBeLessThan(3_000 * slowdown());
    const { visitor, lowStock, received } = opened;
    const { page } = visitor;
    await page.getByText('An API token is required').first().waitFor();
    expect(received.bytes).toBeLessThan(1_800_000);
    // As a person clicks: wherever the tab is when the button goes down, and where it is when it goes up.
    const box = await lowStock.boundingBox();
    await page.mouse.click((box?.x ?? 0) + 30, (box?.y ?? 0) + 12, { delay: 80 });
    await page.getByRole('tab', { name: 'LowStock', selected: true }).waitFor({ timeout: 2_000 });

    const [introspection] = await Promise.all([
      page.waitForResponse((response) => response.request().postData()?.includes('IntrospectionQuery') === true),
      visitor.typeToken(program.token ?? ''),
    ]);
    expect(introspection.status()).toBe(200);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('GraphiQL sends requests with the session', async () => {
    const visitor = await signedIn(people.admin);
    const { page } = visitor;
    await page.getByRole('link', { name: 'GraphiQL', exact: true }).click();
    await page.getByText('No token needed.').waitFor();
    expect(await page.title()).toBe('Company company-1 · GraphiQL');
    await visitor.run('LatestRequests');
    await page.locator('.result-window').getByText('A high one').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('LatestRequests.csv');
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(head).toBe('id,title,status,priority,building.name,assignee.fullName,comments,watchers');
    expect(lines.some((line) => line.includes('A high one'))).toBe(true);
    // A token in the headers is not persisted for the next person at this browser.
    const headers = visitor.headersEditor();
    await visitor.typeToken('svc_live_typed');
    // Typed text is stored with a delay.
    await page.waitForTimeout(1_000);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('svc_live_typed');
    await page.reload();
    await page.getByText('No token needed.').waitFor();
    await headers.getByText('Bearer').waitFor();
    expect(await headers.textContent()).not.toContain('svc_live_typed');
    await page.getByRole('link', { name: 'Back to dashboard' }).click();
    await page.waitForURL('**/dashboard');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('GraphiQL follows a list with the session', async () => {
    const visitor = await signedIn(people.admin);
    const { page } = visitor;
    await visitor.open('/graphql');
    await page.getByText('No token needed.').waitFor();
    await page.getByRole('tab', { name: 'FollowRequests' }).click();
    await page.locator('.graphiql-query-editor').getByText('FollowRequests').waitFor();
    const opened = page.waitForResponse((response) => response.headers()['content-type'] === 'text/event-stream');
    // GraphiQL processes new text with a delay, and ignores the button until then.
    const execute = page.getByRole('button', { name: /Execute query/ });
    for (let isOpen: unknown; !isOpen; ) {
      // Once it runs, the button stops it.
      if (await execute.isVisible()) await execute.click();
      isOpen = await Promise.race([opened, page.waitForTimeout(1_000)]);
    }
    await program.post('/service-requests', { title: 'Told at once' });
    await page.locator('.result-window').getByText('Told at once').waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
