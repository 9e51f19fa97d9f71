import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { memberClient } from './members.ts';

let service: Service;
let tenant: Tenant;
/** Two members of one company. */
let ada: Client;
let ben: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  ada = await tenant.client();
  ben = await memberClient(service, tenant, 1);
});
afterAll(() => service.close());

const write = async (client: Client, body: Row = {}) =>
  String((await client.post('/notes', { title: 'Keys', ...body })).row['id']);
const titles = async (client: Client, query: Row = {}) =>
  (await client.get('/notes', { sort: 'title', order: 'asc', ...query })).rows.map(({ title }) => title);

describe('a note', () => {
  test('belongs to the caller', async () => {
    const { status, row } = await ben.post('/notes', { title: 'Keys' });
    expect(status).toBe(201);
    expect(row).toMatchObject({
      user_id: tenant.users[1]?.id,
      is_pinned: false,
      is_shared: false,
      category_id: null,
      content: null,
    });
    expect((await ben.post('/notes', { title: 'Keys', user_id: tenant.users[0]?.id })).details).toEqual({
      user_id: expect.any(String),
    });
  });

  test('is not visible to others until it is shared', async () => {
    const id = await write(ada, { title: 'Mine', content: 'blue door' });
    const never = await ben.get(`/notes/${randomUUID()}`);
    for (const reply of [
      await ben.get(`/notes/${id}`),
      await ben.patch(`/notes/${id}`, { title: 'Ours' }),
      await ben.delete(`/notes/${id}`),
    ]) {
      expect(reply.status).toBe(404);
      expect(reply.error).toEqual(never.error);
    }
    expect((await ada.get(`/notes/${id}`)).row).toMatchObject({ title: 'Mine' });
    for (const query of [
      {},
      { search: 'blue' },
      { title: 'Mine' },
      { user_id: tenant.users[0]?.id },
      { is_shared: false },
    ]) {
      expect((await ben.get('/notes', query)).meta.total).toBe(0);
      expect((await ada.get('/notes', query)).meta.total).toBe(1);
    }
    await ada.patch(`/notes/${id}`, { is_shared: true });
    expect((await ben.get(`/notes/${id}`)).row).toMatchObject({ title: 'Mine' });
    expect(await titles(ben, { search: 'blue' })).toEqual(['Mine']);
    expect((await ben.patch(`/notes/${id}`, { title: 'Ours' })).status).toBe(403);
    expect((await ben.delete(`/notes/${id}`)).status).toBe(403);
  });

  test('keeps its author, who can make it private again', async () => {
    const id = await write(ada, { is_shared: true });
    expect((await ben.get(`/notes/${id}`)).row).toMatchObject({ user_id: tenant.users[0]?.id });
    await ada.patch(`/notes/${id}`, { is_shared: false });
    expect((await ben.get(`/notes/${id}`)).status).toBe(404);
  });

  test('of others is on no page and not counted', async () => {
    for (let n = 0; n < 6; n += 1) {
      await write(ada, { title: `A${n}`, is_shared: n % 3 === 0 });
      await write(ben, { title: `B${n}` });
    }
    const page = await ben.get('/notes', { limit: 3, sort: 'title', order: 'asc' });
    expect(page.rows.map(({ title }) => title)).toEqual(['A0', 'A3', 'B0']);
    expect(page.meta).toMatchObject({ total: 8, pagination: { total: 8, has_more: true } });
    const next = await ben.get('/notes', {
      limit: 100,
      sort: 'title',
      order: 'asc',
      cursor: page.meta.pagination.next_cursor,
    });
    expect(next.rows.map(({ title }) => title)).toEqual(['B1', 'B2', 'B3', 'B4', 'B5']);
  });

  test('of others is not visible in GraphQL either', async () => {
    const category_id = (await ada.post('/notes/categories', { name: 'Doors' })).row['id'];
    for (let n = 0; n < 3; n += 1) await write(ada, { title: `A${n}`, category_id, is_shared: n === 0 });
    await write(ben, { title: 'B', category_id });
    const secret = await write(ada, { title: 'Secret' });
    const query = `query ($id: ID!) {
      notes { totalCount nodes { title } }
      paged: notes(first: 1, sort: TITLE, order: ASC) { totalCount nodes { title } }
      note(id: $id) { title }
      noteCategories { nodes { notes(sort: TITLE, order: ASC) { totalCount nodes { title } edges { node { title } } } } }
      counted: noteCategories { nodes { notes(first: 1) { totalCount } } }
      user(id: "${tenant.users[0]?.id}") { notes(sort: TITLE, order: ASC) { totalCount nodes { title } } few: notes(first: 1) { totalCount } }
    }`;
    const { data, errors } = await ben.graphql(query, { id: secret });
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['note'], 'NOT_FOUND']]);
    const both = { totalCount: 2, nodes: [{ title: 'A0' }, { title: 'B' }] };
    expect(data).toEqual({
      notes: { totalCount: 2, nodes: [{ title: 'B' }, { title: 'A0' }] },
      paged: { totalCount: 2, nodes: [{ title: 'A0' }] },
      note: null,
      noteCategories: { nodes: [{ notes: { ...both, edges: both.nodes.map((node) => ({ node })) } }] },
      counted: { nodes: [{ notes: { totalCount: 2 } }] },
      user: { notes: { totalCount: 1, nodes: [{ title: 'A0' }] }, few: { totalCount: 1 } },
    });
    for (const mutation of [
      `updateNote(id: "${secret}", input: { title: "x" }) { id }`,
      `deleteNote(id: "${secret}") { id }`,
    ]) {
      expect((await ben.graphql(`mutation { ${mutation} }`)).errors[0]?.extensions.code).toBe('NOT_FOUND');
    }
    expect((await ada.get(`/notes/${secret}`)).row).toMatchObject({ title: 'Secret' });
  });

  test('requires an existing category, if any', async () => {
    expect((await ada.post('/notes', { title: 'Keys', category_id: randomUUID() })).details).toEqual({
      category_id: expect.any(String),
    });
  });
});

describe('/notes/categories', () => {
  test.each(['#0a8', '#00AA88', '#FFF'])('accepts the color %s', async (color) => {
    expect(await ada.post('/notes/categories', { name: 'Doors', color })).toMatchObject({
      status: 201,
      row: { color },
    });
  });

  test.each(['0a8', '#0a', '#0a8f', '#00aa8', '#00aa88ff', '#00gg88', 'green', 'rgb(0,0,0)', '#0a8\n#0a8'])(
    'rejects the color %j',
    async (color) => {
      expect((await ada.post('/notes/categories', { name: 'Doors', color })).details).toEqual({
        color: expect.any(String),
      });
    },
  );

  test('is not a note', async () => {
    const { id } = (await ada.post('/notes/categories', { name: 'Doors' })).row;
    const list = await ada.get('/notes/categories');
    expect(list.rows.map((row) => row['id'])).toEqual([id]);
    const allowed = 'GET, POST, PATCH, DELETE, HEAD, OPTIONS';
    for (const path of ['/notes/categories', '/notes/categories/', '/notes/categories?x=1']) {
      const reply = await ada.request('PUT', path, { body: {} });
      expect([path, reply.status, reply.headers.get('allow')]).toEqual([path, 405, allowed]);
      // These are about all categories that match.
      for (const method of ['PATCH', 'DELETE'])
        expect((await ada.request(method, path, { body: {} })).status).toBe(400);
    }
    expect((await ada.request('OPTIONS', '/notes/categories')).headers.get('allow')).toBe(allowed);
    expect((await ada.get(`/notes/${String(id)}`)).status).toBe(404);
    expect((await ada.get(`/notes/categories/${String(id)}`)).row).toMatchObject({ id, name: 'Doors' });
    const note = await write(ada, { title: 'Key' });
    expect((await ada.get(`/notes/categories/${note}`)).status).toBe(404);
    expect((await ada.patch('/notes/keys', {})).status).toBe(400);
  });

  test('cannot be deleted while notes refer to it', async () => {
    const { id } = (await ada.post('/notes/categories', { name: 'Doors' })).row;
    const note = await write(ada, { category_id: id });
    const remove = () => ada.delete(`/notes/categories/${String(id)}`);
    expect(await remove()).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    await ada.patch(`/notes/${note}`, { category_id: null });
    expect((await remove()).status).toBe(204);
  });
});
