import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import {
  type Collection,
  collectionsWith,
  type Field,
  inputFields,
  restValuesOf,
  rootField,
  shownFields,
  typeOf,
} from '../support/resources.ts';
import { fill, isImplied, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  ({ client } = rows);
});
afterAll(() => service.close());

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** Fields that other fields affect, by the rules of their resource. */
const consequences = ['completed_at', 'file_url', 'total_amount', 'vendor', 'worked_minutes'];
/** Fields that a row has both or none of. */
const external = ['external_source', 'external_id'];
/** Required fields whose column is optional, because of rows that are older than the rule. */
const requiredByRule = ['document_id'];

const fieldNames = (collection: Collection) => shownFields(typeOf(collection)).map(({ rest }) => rest);
/** The fields without a column, except lists. */
const virtualFields = (collection: Collection) =>
  shownFields(typeOf(collection)).flatMap(({ rest, facts, list }) => (facts || list ? [] : [rest]));
const pathOf = async ({ path }: Collection) => fill(path, await rows.parents(path));
/** A value for every field of an update. */
const changes = (collection: Collection) => rows.body(collection.on.update?.operation.field ?? '', { full: true });
const inputs = ({ on }: Collection): Field[] => inputFields(rootField(on.update?.operation.field ?? ''));

describe.each(collectionsWith('create'))('POST %s', (_path, collection) => {
  test.each([
    ['every field', true],
    ['the required fields', false],
  ])('with %s returns 201 and the whole resource', async (_, full) => {
    const body = await rows.body(collection.on.create?.operation.field ?? '', { full });
    const made = await client.post(await pathOf(collection), body);
    expect(made).toMatchObject({ status: 201, row: body });
    expect(Object.keys(made.row)).toEqual(fieldNames(collection));
    expect(Object.keys(made.meta)).toEqual(['request_id']);
    expect(made.row).toMatchObject({
      id: full ? body['id'] : expect.stringMatching(uuid),
      created_at: expect.stringMatching(timestamp),
      updated_at: expect.stringMatching(timestamp),
    });
  });
});

// Watchers are created by user id, and listed as users.
const listed = collectionsWith('create', 'list').filter(
  ([, { on }]) => on.list?.operation.type === on.create?.operation.type,
);

test.each(listed)('GET %s lists and reads created rows', async (_path, collection) => {
  const path = await pathOf(collection);
  const row = await rows.make(collection, { full: true });
  expect((await client.get(path, { limit: 100 })).rows).toContainEqual(row);
  if (collection.on.read) expect(await client.get(`${path}/${row['id']}`)).toMatchObject({ status: 200, row });
});

describe.each(collectionsWith('create', 'update'))('PATCH %s', (_path, collection) => {
  let item: string;
  // A new row each time, as rules can depend on earlier values.
  beforeEach(async () => {
    item = `${await pathOf(collection)}/${(await rows.make(collection))['id']}`;
  });

  const changeable = inputs(collection).filter((field) => !isImplied(field) && !external.includes(field.rest));
  test.each(changeable.map((field) => [field.rest, field] as const))(
    'changes %s, and returns it with what else changed',
    async (name, { required, facts, list, type }) => {
      const row = (await client.get(item)).row;
      const candidates = [(await changes(collection))[name], (await changes(collection))[name]];
      const file = facts?.references === 'File' ? await rows.reference('File') : undefined;
      const value =
        file ??
        candidates.find((candidate) => candidate !== row[name]) ??
        restValuesOf(type).find((word) => word !== row[name]);
      const changed = await client.patch(item, { [name]: value });
      expect(changed).toMatchObject({ status: 200, row: { id: row['id'], [name]: value } });
      const after = (await client.get(item)).row;
      const differing = Object.keys(after).filter((other) => !isDeepStrictEqual(after[other], row[other]));
      const shown = ['id', name, ...differing, 'updated_at'];
      // Virtual fields that read what changed are shown too, whether their values differ or not.
      const virtual = virtualFields(collection).filter((other) => other in changed.row);
      expect(changed.row).toEqual(Object.fromEntries([...shown, ...virtual].map((other) => [other, after[other]])));

      const touched = [name, 'updated_at', ...consequences, ...virtual];
      const untouched = Object.entries(row).filter(([other]) => !touched.includes(other));
      expect(after).toMatchObject({
        ...Object.fromEntries(untouched),
        [name]: value,
        updated_at: changed.row['updated_at'],
      });
      expect(Date.parse(String(after['updated_at']))).toBeGreaterThan(Date.parse(String(row['updated_at'])));

      const cleared = await client.patch(item, { [name]: null });
      if (required || facts?.required || requiredByRule.includes(name))
        expect(cleared).toMatchObject({ status: 422, details: { [name]: expect.any(String) } });
      else expect(cleared).toMatchObject({ status: 200, row: { [name]: list ? [] : null } });
    },
  );

  test('returns the whole resource on request', async () => {
    const body = await changes(collection);
    const changed = await client.patch(item, body, { prefer: 'return=representation' });
    expect(changed).toMatchObject({ status: 200, row: body });
    expect(changed.headers.get('preference-applied')).toBe('return=representation');
    expect(Object.keys(changed.row)).toEqual(fieldNames(collection));
    expect((await client.get(item)).row).toEqual(changed.row);
  });

  test('changes nothing without a difference', async () => {
    const full = `${await pathOf(collection)}/${(await rows.make(collection, { full: true }))['id']}`;
    const before = await client.get(full);
    const etag = before.headers.get('etag');
    const all = inputs(collection).filter((field) => !isImplied(field));
    const same = Object.fromEntries(all.map(({ rest }) => [rest, before.row[rest]]));
    for (const body of [{}, same]) {
      const changed = await client.patch(full, body);
      const shown = ['id', ...Object.keys(body), 'updated_at'];
      expect(changed.row).toEqual(Object.fromEntries(shown.map((name) => [name, before.row[name]])));
      expect([changed.status, changed.headers.get('etag')]).toEqual([200, etag]);
    }
    if (collection.on.replace) expect((await client.put(full, same)).headers.get('etag')).toBe(etag);
    expect((await client.get(full)).row).toEqual(before.row);
  });
});

describe.each(collectionsWith('create', 'replace'))('PUT %s', (_path, collection) => {
  test('sets every field, and resets those left out', async () => {
    const replace = collection.on.replace?.operation.field ?? '';
    const fresh = await rows.make(collection);
    const { id, created_at } = await rows.make(collection, { full: true });
    const item = `${await pathOf(collection)}/${id}`;

    const full = await rows.body(replace, { full: true });
    const replaced = await client.put(item, full);
    expect(replaced).toMatchObject({ status: 200, row: { id, created_at, ...full } });
    expect(Object.keys(replaced.row)).toEqual(fieldNames(collection));

    const least = await rows.body(replace);
    const reset = await client.put(item, least);
    expect(reset.row).toEqual({ ...fresh, ...least, id, created_at, updated_at: reset.row['updated_at'] });
    expect((await client.get(item)).row).toEqual(reset.row);
  });

  test('is validated like a create', async () => {
    const item = `${await pathOf(collection)}/${(await rows.make(collection))['id']}`;
    const faulty = await client.put(item, {});
    const made = await client.post(await pathOf(collection), {});
    expect(faulty).toMatchObject({ status: 422, details: made.details });
    expect(made.details).not.toEqual({});
  });
});

describe.each(collectionsWith('create', 'delete', 'read'))('DELETE %s', (_path, collection) => {
  test('returns 204 and deletes the row', async () => {
    const item = `${await pathOf(collection)}/${(await rows.make(collection, { full: true }))['id']}`;
    expect(await client.delete(item)).toMatchObject({ status: 204, text: '' });
    expect(await client.get(item)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    expect((await client.delete(item)).status).toBe(404);
    expect((await client.patch(item, {})).status).toBe(404);
  });
});
