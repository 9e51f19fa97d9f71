// Relations to rows of which callers see a part: what a caller may not see is null, in every way to read it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { currentUser, defineResource } from '../src/resource/index.ts';
import { changes } from '../src/schema/changes/changes.ts';
import { memberClient } from './resources/members.ts';
import type { Client, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { serveBeside } from './support/other-api.ts';
import { type Service, startService } from './support/service.ts';

/** Categories of which all but admins see the public ones. */
const Category = defineResource('NoteCategory', {
  scope: 'notes',
  fields: { name: {}, color: {} },
  access: { filter: ({ caller }) => (caller.role === 'ADMIN' ? {} : { color: { in: ['#00ff00', '#00ee00'] } }) },
  rest: { path: '/notes/categories' },
});

/** Notes, of which everybody sees those with a category that they see, or without one, by a relation in the filter. */
const Note = defineResource('Note', {
  scope: 'notes',
  fields: { title: {}, categoryId: {}, userId: { readOnly: true, default: currentUser } },
  graphql: { relations: ['category'] },
  rest: { path: '/notes' },
});

/** The same notes, filtered by their categories. */
const SortedNote = defineResource('Note', {
  scope: 'notes',
  fields: { title: {}, categoryId: {}, userId: { readOnly: true, default: currentUser } },
  access: { filter: () => ({ category: { is: { color: '#00ff00' } } }) },
  rest: { path: '/notes' },
});

type Served = Awaited<ReturnType<typeof serveBeside>>;

let service: Service;
let app: Served;
let sorted: Served;
let admin: Client;
let member: Client;
let hidden: string;
let shown: string;
let ofHidden: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  admin = await tenant.client();
  member = await memberClient(service, tenant, 2);
  [app, sorted] = await Promise.all([
    serveBeside(service, [Category, Note, ...changes]),
    serveBeside(service, [SortedNote, ...changes]),
  ]);
  const create = async (path: string, body: Row) => String((await ask(admin, 'POST', path, body)).body['data']?.['id']);
  hidden = await create('/notes/categories', { name: 'Board', color: '#ff0000' });
  shown = await create('/notes/categories', { name: 'Canteen', color: '#00ff00' });
  ofHidden = await create('/notes', { title: 'Budget', category_id: hidden });
  await create('/notes', { title: 'Menu', category_id: shown });
  await create('/notes', { title: 'Other' });
});
afterAll(async () => {
  await Promise.all([app?.close(), sorted?.close()]);
  await service.close();
});

/** Sends a request to one of the services. */
async function ask(client: Client, method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object, to = app) {
  const headers = { authorization: `Bearer ${client.token}` };
  const url = path === '/graphql' ? path : `/api/v1${path}`;
  const { statusCode: status, body } = await to.inject({ method, url, headers, payload });
  return { status, body: JSON.parse(body) as Record<string, Row> };
}

/** Asks GraphQL. @returns the data of the one root field */
async function read(client: Client, query: string, to = app): Promise<Row> {
  const { body } = await ask(client, 'POST', '/graphql', { query }, to);
  expect({ query, errors: body['errors'] }).toEqual({ query, errors: undefined });
  const [[, data] = []] = Object.entries(body['data'] ?? {});
  return data as Row;
}

describe('a row that the caller may not see', () => {
  // PostgreSQL writes the JSON of the first query; graphql-js executes the others.
  test.each([
    ['as JSON', '{ notes(sort: TITLE, order: ASC) { nodes { title categoryId category { name } } } }'],
    [
      'of a query',
      '{ notes(sort: TITLE, order: ASC) { nodes { title categoryId category { name } etag @include(if: false) } } }',
    ],
    [
      'in a fragment',
      '{ notes(sort: TITLE, order: ASC) { edges { node { title categoryId ...C } } } } fragment C on Note { category { name } }',
    ],
  ])('is null where another refers to it, which keeps its id: %s', async (_, query) => {
    const rowsOf = ({ nodes, edges }: Row) => nodes ?? (edges as { node: Row }[]).map(({ node }) => node);
    const [menu, other] = [
      { title: 'Menu', categoryId: shown, category: { name: 'Canteen' } },
      { title: 'Other', categoryId: null, category: null },
    ];
    const budget = { title: 'Budget', categoryId: hidden };
    expect(rowsOf(await read(member, query))).toEqual([{ ...budget, category: null }, menu, other]);
    expect(rowsOf(await read(admin, query))).toEqual([{ ...budget, category: { name: 'Board' } }, menu, other]);
  });

  test('is null when one row is read, also twice', async () => {
    const query = `{ note(id: "${ofHidden}") { title a: category { name } b: category { id } } }`;
    expect(await read(member, query)).toEqual({ title: 'Budget', a: null, b: null });
    expect(await read(admin, query)).toEqual({ title: 'Budget', a: { name: 'Board' }, b: { id: hidden } });
    expect((await ask(member, 'GET', `/notes/${ofHidden}`)).body['data']).toMatchObject({ category_id: hidden });
  });

  test.each([
    ['{ category: { name: { eq: "Board" } } }', [], ['Budget']],
    ['{ not: { category: { name: { eq: "Board" } } } }', ['Budget', 'Menu', 'Other'], ['Menu', 'Other']],
    ['{ category: { id: { isNull: false } } }', ['Menu'], ['Budget', 'Menu']],
    ['{ not: { category: { id: { isNull: false } } } }', ['Budget', 'Other'], ['Other']],
    [`{ categoryId: { eq: "${'$hidden'}" } }`, ['Budget'], ['Budget']],
  ])('matches no filter: %s', async (filter, ofMember, ofAdmin) => {
    const query = `{ notes(filter: ${filter.replace('$hidden', hidden)}, sort: TITLE, order: ASC) { totalCount nodes { title } } }`;
    const titles = async (client: Client) => {
      const { totalCount, nodes } = await read(client, query);
      const found = (nodes as Row[]).map(({ title }) => title);
      expect(totalCount).toBe(found.length);
      return found;
    };
    expect([await titles(member), await titles(admin)]).toEqual([ofMember, ofAdmin]);
  });

  test('is as if unset to sort and to group by', async () => {
    const query = `{ notes(orderBy: [{ category: { field: NAME, direction: ASC } }]) { nodes { title } } }`;
    const first = async (client: Client) => ((await read(client, query))['nodes'] as Row[])[0];
    expect([await first(member), await first(admin)]).toEqual([{ title: 'Menu' }, { title: 'Budget' }]);
    const groups = '{ notes { aggregates { key { category { name } } count } } }';
    const group = (name: string | null, count: number) => ({ key: { category: { name } }, count });
    expect((await read(member, groups))['aggregates']).toEqual([group('Canteen', 1), group(null, 2)]);
    expect((await read(admin, groups))['aggregates']).toEqual([group('Board', 1), group('Canteen', 1), group(null, 1)]);
  });

  test('is in no list, and its notes are not counted below it', async () => {
    const query = '{ noteCategories { totalCount nodes { name notes { totalCount nodes { title } } } } }';
    const canteen = { name: 'Canteen', notes: { totalCount: 1, nodes: [{ title: 'Menu' }] } };
    expect(await read(member, query)).toEqual({ totalCount: 1, nodes: [canteen] });
    expect(await read(admin, query)).toMatchObject({ totalCount: 2 });
    expect((await ask(member, 'GET', `/notes/categories/${hidden}`)).status).toBe(404);
    expect((await ask(member, 'PATCH', `/notes/categories/${hidden}`, { name: 'Mine' })).status).toBe(404);
  });
});

/** The actions of a row in the feed of changes and in the history, and its rows in the snapshot. */
async function logOf(client: Client, type: string, id: string, path: string, to = app) {
  await waitForOlderTransactions(service.database);
  const { changes: feed } = await read(client, '{ changes(first: 100) { changes { rowId action } } }', to);
  const history = await ask(client, 'GET', `${path}/${id}/history`, undefined, to);
  const { next } = await read(client, '{ snapshot { next } }', to);
  const snapshot = await read(
    client,
    `{ snapshot(resource: [${type}], after: "${String(next)}") { rows { rowId } } }`,
    to,
  );
  return {
    feed: (feed as Row[]).filter(({ rowId }) => rowId === id).map(({ action }) => action),
    history:
      history.status === 200 ? (history.body['data'] as unknown as Row[]).map(({ action }) => action) : history.status,
    snapshot: (snapshot['rows'] as Row[]).some(({ rowId }) => rowId === id),
  };
}

describe('the log has the same filter, in the same SQL', () => {
  test('of one of several values', async () => {
    const all = { feed: ['CREATE'], history: ['create'], snapshot: true };
    const none = { feed: [], history: 404, snapshot: false };
    const log = (client: Client, id: string) => logOf(client, 'NOTE_CATEGORIES', id, '/notes/categories');
    expect([await log(member, shown), await log(admin, shown)]).toEqual([all, all]);
    expect([await log(member, hidden), await log(admin, hidden)]).toEqual([none, all]);
    // Shown to them from now on: the row enters what they see.
    await ask(admin, 'PATCH', `/notes/categories/${hidden}`, { color: '#00ee00' });
    expect(await log(member, hidden)).toEqual({ feed: ['CREATE'], history: ['create'], snapshot: true });
    await ask(admin, 'PATCH', `/notes/categories/${hidden}`, { color: '#ff0000' });
    // They learn that it left, and not what it was.
    expect(await log(member, hidden)).toEqual({ ...none, feed: ['DELETE'] });
    expect((await log(admin, hidden)).feed).toEqual(['CREATE', 'UPDATE', 'UPDATE']);
  });

  test('by a relation', async () => {
    const [[menu] = [], [budget] = []] = await Promise.all(
      ['Menu', 'Budget'].map(
        async (title) =>
          (await read(admin, `{ notes(filter: { title: { eq: "${title}" } }) { nodes { id } } }`))['nodes'] as Row[],
      ),
    );
    const log = (row: Row | undefined) => logOf(admin, 'NOTES', String(row?.['id']), '/notes', sorted);
    expect(await log(menu)).toEqual({ feed: ['CREATE'], history: ['create'], snapshot: true });
    expect(await log(budget)).toEqual({ feed: [], history: 404, snapshot: false });
    expect((await ask(admin, 'GET', '/notes', undefined, sorted)).body['data']).toHaveLength(1);
  });
});
