// Saved queries in GraphiQL: kept, opened by their address, changed, shared and deleted.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('saved queries', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    const client = await tenant.client();
    await client.post('/notes', { title: 'Of Ada alone' });
    await client.post('/notes', { title: 'For everybody', is_shared: true });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const inGraphiql = async (email: string, path = '/graphql') => {
    const visitor = await Visitor.create(browser, service);
    await visitor.signIn(email);
    await visitor.page.waitForURL('**/c/*');
    await visitor.open(path);
    await visitor.page.getByText('No token needed.').waitFor();
    return visitor;
  };
  const shown = (page: Page) => page.locator('.graphiql-query-editor').getByText('Notes').first().waitFor();
  const query = 'query Notes { notes(orderBy: [{ field: TITLE }]) { nodes { title } } }';

  test('are kept, renamed, shared, opened by others with their own rights, and deleted', async () => {
    const mine = await inGraphiql(people.admin, `/graphql?query=${encodeURIComponent(query)}`);
    const { page } = mine;
    const dialog = (name: string) => page.getByRole('dialog', { name });
    await shown(page);
    await page.getByRole('button', { name: 'Save query' }).click();
    expect(await dialog('Save query').getByLabel('Question it answers').inputValue()).toBe('Notes');
    await dialog('Save query').getByLabel('Question it answers').fill(' ');
    await dialog('Save query').getByRole('button', { name: 'Save', exact: true }).click();
    await dialog('Save query').getByRole('alert').getByText(/\w/).waitFor();
    await dialog('Save query').getByLabel('Question it answers').fill('My notes');
    await dialog('Save query').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The URL of this page opens the query.').waitFor();
    const address = new URL(page.url());
    expect(address.search).toMatch(/^\?saved=[\da-f-]{36}$/);

    // Its address opens it in a tab; it is changed and not kept twice.
    const load = await mine.delayRequests('graphql', '{ savedQueries');
    await page.reload();
    await page.getByText('No token needed.').waitFor();
    expect(await page.getByRole('button', { name: 'Save query' }).isDisabled()).toBe(true);
    await load();
    await shown(page);
    // What was typed just before is kept too, although GraphiQL reports it with a delay.
    await page.locator('.graphiql-query-editor .view-line').first().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(' # by title');
    await page.getByRole('button', { name: 'Save query' }).click();
    await dialog('Save query').getByRole('button', { name: 'Change “My notes”' }).click();
    await page.getByText('The URL of this page opens the query.').waitFor();
    expect((await service.database.prisma.savedQuery.findFirst())?.query).toBe(`${query} # by title`);

    await page.getByRole('button', { name: 'Saved queries' }).click();
    const list = dialog('Saved queries');
    await list.getByText('only you').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    await list.getByRole('button', { name: 'Edit My notes' }).click();
    await dialog('Edit “My notes”').getByLabel('Question it answers').fill('All notes');
    await dialog('Edit “My notes”')
      .getByLabel(/^Share it with everyone/)
      .check();
    await dialog('Edit “My notes”').getByRole('button', { name: 'Save' }).click();
    await list.getByText('shared with the company').waitFor();

    // Somebody else finds it, and sees the notes that they can read.
    const other = await inGraphiql(people.member);
    await other.page.getByRole('button', { name: 'Saved queries' }).click();
    const theirs = other.page.getByRole('dialog', { name: 'Saved queries' });
    await theirs.getByText('shared by').waitFor();
    expect(await theirs.getByRole('button', { name: /^(Edit|Delete)/ }).count()).toBe(0);
    await theirs.getByRole('link', { name: 'All notes' }).click();
    await other.page.waitForURL(`**/graphql${address.search}*`);
    await shown(other.page);
    const titles = async (visitor: Visitor) =>
      (await visitor.run<{ notes: { nodes: { title: string }[] } }>('Notes')).notes.nodes.map(({ title }) => title);
    expect(await titles(other)).toEqual(['For everybody']);
    await list.getByRole('button', { name: 'Close' }).click();
    expect(await titles(mine)).toEqual(['For everybody', 'Of Ada alone']);

    // Whoever is not signed in learns why the address opens nothing, and gets there by signing in.
    const guest = await Visitor.create(browser, service);
    await guest.open(`/graphql${address.search}`);
    await guest.page.getByText('Sign in to open the saved query of this address.').waitFor();
    await guest.page.getByRole('button', { name: 'Saved queries' }).click();
    await guest.page.getByText('Sign in to keep queries and to open saved ones.').waitFor();
    await guest.page.getByRole('link', { name: 'Sign in' }).click();
    await guest.signIn(people.executive);
    await guest.page.waitForURL(`**/graphql${address.search}*`);
    await shown(guest.page);
    await guest.open('/graphql?saved=00000000-0000-0000-0000-000000000000');
    await guest.page.getByText('The saved query of this address was deleted').waitFor();
    expect(guest.consoleErrors).toEqual([]);
    await guest.close();

    page.on('dialog', (confirmation) => void confirmation.accept());
    await page.getByRole('button', { name: 'Saved queries' }).click();
    await list.getByRole('button', { name: 'Delete All notes' }).click();
    await list.getByText('No saved queries yet.').waitFor();
    expect([...mine.consoleErrors, ...other.consoleErrors]).toEqual([]);
    await Promise.all([mine.close(), other.close()]);
  });
});
