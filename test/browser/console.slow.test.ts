// The pages of all resources, which follow from their definitions, as an admin and other roles see them in a browser.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createDemo } from '../../src/seed/index.ts';
import { elena, nora, type Person, tomas } from '../../src/seed/people.ts';
import { openSession, type Browser as Session } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

/** A resource, as meta describes it to a person. */
interface Resource {
  readonly type: string;
  readonly page: string | null;
  readonly label: string;
  readonly plural: string;
  readonly parent: string | null;
  readonly listField: string | null;
  readonly rowField: string | null;
  readonly listFields: readonly string[];
  readonly fields: readonly { readonly name: string; readonly label: string; readonly control: string }[];
  readonly actions: readonly Action[];
}

interface Action {
  readonly action: string;
  readonly field: string;
  readonly isAllowed: boolean;
  readonly input: readonly { readonly name: string; readonly label: string; readonly control: string }[];
}

const described = `{ resources {
  type page label plural parent listField rowField listFields fields { name label control }
  actions { action field isAllowed input { name label control } }
} }`;

inChromium('the pages of all resources', () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    await createDemo(service.database);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A browser in which somebody is signed in, with all that the policy of the page refuses. */
  async function signIn({ email }: Person) {
    const { prisma } = service.database;
    const user = await prisma.user.findFirstOrThrow({ where: { email, company: { slug: 'demo' } } });
    const session: Session = await openSession(service, user.id);
    const visitor = await Visitor.create(browser, service, { viewport: { width: 1280, height: 800 } });
    await visitor.page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`policy: ${violatedDirective} ${blockedURI}`),
      );
    });
    await visitor.enter(service, email);
    await visitor.open('/c/demo');
    await visitor.page.locator('h1').waitFor();
    const { data } = await session.graphql<{ resources: readonly Resource[] }>(described);
    return { visitor, session, resources: data.resources };
  }

  /** The id of some row of a resource, if there is one. */
  async function firstId(session: Session, { listField }: Resource): Promise<string | undefined> {
    const { data } = await session.graphql<{ rows: { nodes: readonly { id: string }[] } }>(
      `{ rows: ${listField}(first: 1) { nodes { id } } }`,
    );
    return data.rows.nodes[0]?.id;
  }

  const create = ({ actions }: Resource) =>
    actions.find(({ action, field, isAllowed }) => action === 'create' && field.startsWith('create') && isAllowed);

  test('each has a list, a page for each row and a form, with what its definition says', async () => {
    const { visitor, session, resources } = await signIn(nora);
    const { page } = visitor;
    const seen: string[] = [];
    for (const resource of resources) {
      const { type, page: part, plural, label, parent, listField, rowField, listFields, fields } = resource;
      if (part === null || listField === null) continue;
      await visitor.go(`/c/demo/${part}`);
      await page.getByRole('heading', { level: 1, name: plural, exact: true }).waitFor();
      const id = await firstId(session, resource);
      if (id === undefined) await page.getByText(/^There are no .* yet\.$/).waitFor();
      else {
        await page.getByRole('table', { name: plural }).getByRole('row').nth(1).waitFor();
        const headers = await page.getByRole('columnheader').allTextContents();
        const labels = listFields.map((name) => fields.find((field) => field.name === name)?.label);
        expect([type, headers.map((text) => text.trim()).filter((text) => text !== '')]).toEqual([type, labels]);
      }
      if (id !== undefined && rowField !== null) {
        await visitor.go(`/c/demo/${part}/${id}`);
        const facts = page.locator('table.facts');
        await facts.waitFor();
        const shown = fields.filter(
          ({ name, control }) => control !== 'ITEMS' && !['id', 'attachmentIds'].includes(name),
        );
        expect([type, await facts.getByRole('rowheader').allTextContents()]).toEqual([
          type,
          shown.map((field) => field.label),
        ]);
      }
      const action = create(resource);
      expect([type, await page.getByRole('link', { name: `New ${label.toLowerCase()}`, exact: true }).count()]).toEqual(
        [
          type,
          // The page of a row has none.
          id === undefined && action && !parent ? 1 : 0,
        ],
      );
      if (action && parent === null) {
        await visitor.go(`/c/demo/${part}/new`);
        const form = page.getByRole('form', { name: label });
        await form.waitFor();
        const hidden = ['id', 'externalSource', 'externalId', 'attachmentIds', 'fileId'];
        for (const input of action.input.filter(({ name }) => !hidden.includes(name)))
          if (input.control !== 'ITEMS')
            expect([type, input.name, await form.getByLabel(input.label).count()]).not.toEqual([type, input.name, 0]);
      }
      seen.push(type);
    }
    expect(seen.length).toBeGreaterThan(45);
    expect(visitor.consoleErrors).toEqual([]);
  });

  test.each([elena, tomas])('$fullName sees the buttons that the API allows and no others', async (person) => {
    const { visitor, session, resources } = await signIn(person);
    const { page } = visitor;
    for (const resource of resources) {
      const { type, page: part, plural, label, parent, listField, rowField } = resource;
      if (part === null || listField === null || parent !== null) continue;
      await visitor.go(`/c/demo/${part}`);
      await page.getByRole('heading', { level: 1, name: plural, exact: true }).waitFor();
      const id = await firstId(session, resource);
      const isShown = async (name: string, role: 'link' | 'button') =>
        (await page.getByRole('main').getByRole(role, { name, exact: true }).count()) > 0;
      await (id === undefined ? page.getByText(/^There are no/) : page.getByRole('columnheader').first()).waitFor();
      expect([type, 'create', await isShown(`New ${label.toLowerCase()}`, 'link')]).toEqual([
        ...[type, 'create', create(resource) !== undefined],
      ]);
      if (id === undefined || rowField === null) continue;
      const { data } = await session.graphql<{ row: { allowedActions: readonly string[] } }>(
        `{ row: ${rowField}(id: "${id}") { allowedActions } }`,
      );
      await visitor.go(`/c/demo/${part}/${id}`);
      await page.locator('table.facts').waitFor();
      const allows = (verb: string) => data.row.allowedActions.some((field) => field === `${verb}${type}`);
      expect([type, await isShown('Edit', 'link'), await isShown('Delete', 'button')]).toEqual([
        ...[type, allows('update'), allows('delete')],
      ]);
    }
    expect(visitor.consoleErrors).toEqual([]);
  });

  test('a list is searched, filtered, sorted and changed; a row is created, edited, deleted and brought back', async () => {
    const { visitor } = await signIn(nora);
    const { page } = visitor;
    await visitor.open('/c/demo/paints/new');
    await page.getByRole('button', { name: 'Create paint' }).click();
    // All errors stand at their fields.
    await page.getByText(/^Name (is|must) /).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Signal violet');
    await page.getByLabel('Color code').fill('RAL 4008');
    await page.getByRole('button', { name: 'Create paint' }).click();
    await page.getByRole('heading', { level: 1, name: 'Signal violet' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Brand').fill('Caparol');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'Brand' }).waitFor();
    expect(await page.getByRole('row', { name: /^Brand/ }).textContent()).toContain('Caparol');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText(/Nora Lindqvist changed it/).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Paints' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('violet');
    await page.getByText('No paints match.').waitFor();
    expect(page.url()).toContain('search=violet');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Signal violet' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    // Back leads to the list as it was, and what is sorted stands in the address.
    await page.getByRole('link', { name: 'Signal violet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Signal violet' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('violet');
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByRole('button', { name: 'Brand' }).click();
    await page.waitForURL(/sort=brand/);
    await page.getByLabel('Select row').first().check();
    await page.getByRole('button', { name: 'Change …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field').selectOption({ label: 'Finish' });
    await dialog.getByLabel('Finish').fill('satin');
    await dialog.getByRole('button', { name: 'Change' }).click();
    await page.getByText('1 row changed.').waitFor();
    expect(visitor.consoleErrors).toEqual([]);
  });

  test('what fails without a network says so, and the page stays', async () => {
    const { visitor } = await signIn(nora);
    const { page } = visitor;
    await visitor.open('/c/demo/paints');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Couldn't delete it: Can't reach the server/)
      .waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  test('a menu or the palette whose script cannot be loaded says so, and opens once it can', async () => {
    const { visitor } = await signIn(nora);
    const { page } = visitor;
    // The network is lost for one script, and a new release has removed the other.
    await page.route('**/ColumnMenu*', (route) => route.abort());
    await page.route('**/CommandPalette*', (route) => route.fulfill({ status: 404 }));
    await visitor.open('/c/demo/paints');
    await page.getByRole('button', { name: 'Columns' }).click();
    const said = (name: string) =>
      page
        .getByRole('alert')
        .getByText(
          `Couldn't open ${name}: This part of the page didn't load. Check your connection, or reload the page.`,
        );
    await said('Columns').waitFor();
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.unroute('**/ColumnMenu*');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    // Pages outside of the company's have notices too.
    await visitor.go('/account');
    await page.getByRole('banner').getByRole('button', { name: 'Search' }).click();
    await said('Search').waitFor();
    await page.unroute('**/CommandPalette*');
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog').waitFor();
  });

  test('the address of another company offers to switch, and that of no company of theirs is not found', async () => {
    const { visitor } = await signIn(nora);
    await visitor.open('/c/nobodys/paints');
    await visitor.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await visitor.open('/c/demo/paints/00000000-0000-4000-8000-000000000000');
    await visitor.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    const other = await service.database.prisma.company.findFirst({
      where: { slug: { not: 'demo' }, users: { some: { email: nora.email } } },
    });
    if (!other) throw new Error('The demo has a sandbox.');
    await visitor.open(`/c/${other.slug}/paints`);
    await visitor.page.getByRole('button', { name: /^Switch to/ }).click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Paints' }).waitFor();
  });
});
