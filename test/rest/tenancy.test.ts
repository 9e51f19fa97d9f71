import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Route, routes } from '../../src/rest/routes.ts';
import type { Row } from '../support/client.ts';
import { collections, collectionsWith, inputFields, rootField, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe.each(['another company', 'the sandbox'])('rows of %s', (whose) => {
  let mine: Rows;
  let theirs: Rows;
  let before: Record<string, Row[]>;

  beforeAll(async () => {
    const tenant = await service.tenant();
    mine = await Rows.of(service, tenant);
    theirs =
      whose === 'the sandbox' ? await Rows.of(service, tenant, false) : await Rows.of(service, await service.tenant());
    for (const collection of collections) await theirs.make(collection, { full: true });
    for (const route of routes()) await theirIds(route);
    for (const [, , , , { target }] of referring) await theirs.reference(target ?? '');
    before = await everything(theirs);
  });

  /** Every list of a company. */
  async function everything(rows: Rows): Promise<Record<string, Row[]>> {
    const lists: Record<string, Row[]> = {};
    for (const [path] of collectionsWith('list')) {
      lists[path] = (await rows.client.get(fill(path, await rows.parents(path)), { limit: 100, sort: 'id' })).rows;
    }
    return lists;
  }
  const itemsAt = (path: string) => collections.find((collection) => `${collection.path}/:id` === path);
  /** The ids in a route's path: those of its parents and, for an item, of a new row. */
  async function myIds({ path }: Route): Promise<Row> {
    const item = itemsAt(path);
    return { ...(await mine.parents(path)), ...(item && { id: (await mine.make(item))['id'] }) };
  }
  /** The other company's, the same every time. */
  async function theirIds({ path }: Route): Promise<Row> {
    const item = itemsAt(path);
    return { ...(await theirs.parents(path)), ...(item && { id: await theirs.reference(typeOf(item)) }) };
  }
  const bodyOf = async (rows: Rows, { method, operation }: Route) =>
    method === 'GET' || inputFields(rootField(operation.field)).length === 0
      ? {}
      : { body: await rows.body(operation.field) };

  const withIds = routes()
    .filter(({ path }) => path.includes(':'))
    .map((route) => [String(route.method), route.path, route] as const);
  test.each(withIds)('do not exist: %s %s', async (method, path, route) => {
    const own = await myIds(route);
    const foreign = await theirIds(route);
    const sent = await bodyOf(mine, route);
    for (const name of Object.keys(own)) {
      const [reply, never] = await Promise.all(
        [foreign[name], randomUUID()].map((id) =>
          mine.client.request(method, fill(path, { ...own, [name]: id }), sent),
        ),
      );
      expect(reply).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
      expect(reply?.error).toEqual(never?.error);
    }
  });

  const referring = routes().flatMap((route) =>
    (['POST', 'PUT', 'PATCH'].includes(String(route.method)) ? inputFields(rootField(route.operation.field)) : [])
      .filter(({ target }) => target)
      .map((field) => [String(route.method), route.path, field.rest, route, field] as const),
  );
  test.each(referring)('cannot be referred to: %s %s, %s', async (method, path, name, route, { target = '' }) => {
    const address = fill(path, await myIds(route));
    const body = await mine.body(route.operation.field);
    const [reply, never] = await Promise.all(
      [await theirs.reference(target), randomUUID()].map((id) =>
        mine.client.request(method, address, { body: { ...body, [name]: id } }),
      ),
    );
    expect(reply).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
    expect(Object.keys(reply?.details ?? {})).toEqual([name]);
    expect(reply?.error).toEqual(never?.error);
  });

  test('are in no list', async () => {
    for (const collection of collections) await mine.make(collection);
    const own = await everything(mine);
    for (const [path, foreign] of Object.entries(before)) {
      const ids = foreign.map(({ id }) => id);
      expect(ids).not.toEqual([]);
      expect(own[path]).not.toEqual([]);
      // A person has one id in every company they belong to.
      const shared =
        typeOf(collections.find((collection) => collection.path === path) ?? { path, on: {} }) === 'User'
          ? sharedIds()
          : [];
      expect(own[path]?.map(({ id }) => id).filter((id) => ids.includes(id) && !shared.includes(id))).toEqual([]);
    }
  });
  const sharedIds = (): unknown[] => (mine.tenant === theirs.tenant ? mine.tenant.users.map(({ id }) => id) : []);

  test('are as they were', async () => {
    expect(await everything(theirs)).toEqual(before);
  });
});

test('a row of one parent is not found below another', async () => {
  const rows = await Rows.of(service, await service.tenant());
  for (const [path, collection] of collectionsWith('read').filter(([path]) => path.includes('/:'))) {
    const { id } = await rows.make(collection);
    const parent = collections.find((candidate) => path.startsWith(`${candidate.path}/:`));
    const other = parent && (await rows.make(parent))['id'];
    const address = `${path.replace(/:\w+/, String(other))}/${id}`;
    for (const method of [
      'GET',
      ...(collection.on.update ? ['PATCH'] : []),
      ...(collection.on.delete ? ['DELETE'] : []),
    ]) {
      const reply = await rows.client.request(method, address, method === 'PATCH' ? { body: {} } : {});
      expect([method, path, reply.status]).toEqual([method, path, 404]);
    }
    expect((await rows.client.get(`${fill(path, await rows.parents(path))}/${id}`)).status).toBe(200);
  }
});

test('what an address names comes before what the body refers to', async () => {
  const mine = await Rows.of(service, await service.tenant());
  const theirs = await Rows.of(service, await service.tenant());
  const replies: unknown[] = [];
  for (const { method, path, operation } of routes().filter(
    ({ path, operation }) => path.includes(':') && inputFields(rootField(operation.field)).length > 0,
  )) {
    const item = collections.find((collection) => `${collection.path}/:id` === path);
    const ids = { ...(await theirs.parents(path)), ...(item && { id: (await theirs.make(item))['id'] }) };
    const body = await theirs.body(operation.field, { full: true });
    replies.push([method, path, (await mine.client.request(String(method), fill(path, ids), { body })).status]);
  }
  expect(replies.filter((reply) => !String(reply).endsWith('404'))).toEqual([]);
});
