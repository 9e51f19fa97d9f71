import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../support/client.ts';
import {
  collectionsWith,
  inputFields,
  operationOf,
  rootField,
  rootFields,
  rowType,
  selectionOf,
  shownFields,
} from '../support/resources.ts';
import { fill, isImplied, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

const stale = 'AAAAAAAAAAAAAAAAAAAAAA';
const refused = [{ extensions: { code: 'PRECONDITION_FAILED', status: 412 } }];

/** Mutations with `ifMatch`. */
const conditional = rootFields('Mutation')
  .filter(({ args }) => args.some(({ name }) => name === 'ifMatch'))
  .map(({ name }) => name);

async function run(name: string, variables: Row) {
  const { data, errors } = await rows.client.graphql<Row>(
    operationOf(rootField(name), 'Mutation', Object.keys(variables), '{ id etag }'),
    variables,
  );
  return { row: data[name] as Row | null, errors };
}

test('every update, replacement and deletion accepts ifMatch, which is no parameter in REST', () => {
  const changing = rootFields('Mutation').filter(
    ({ name, args, extensions }) =>
      /^(update|replace|delete)/.test(name) &&
      args.some(({ name }) => name === 'id') &&
      takesScope(extensions['access']),
  );
  expect(conditional).toEqual(expect.arrayContaining(changing.map(({ name }) => name)));
  expect(changing.length).toBeGreaterThan(60);
});

/** Mutations that change a text, or the settings. */
const changing = conditional.filter(
  (name) =>
    /^(update|replace)/.test(name) &&
    inputFields(rootField(name)).some(
      (field) => field.name === 'roundingMinutes' || (field.type.name === 'String' && !field.list && !isImplied(field)),
    ),
);
test.each(changing)('%s succeeds once per ETag', async (name) => {
  const variables = await rows.variables(rootField(name));
  const { row } = await run(name, variables);
  const etag = row?.['etag'];
  expect(etag).toMatch(/^[\w-]{22}$/);
  const change = async () =>
    name.startsWith('update') ? rows.change(name, 'graphql') : rows.body(name, {}, 'graphql');
  expect(await run(name, { ...variables, input: await change(), ifMatch: stale })).toMatchObject({
    row: null,
    errors: refused,
  });
  const inputs = [await change(), await change()];
  const replies = await Promise.all(inputs.map((input) => run(name, { ...variables, input, ifMatch: etag })));
  const done = replies.find(({ row }) => row);
  expect(done?.row?.['etag']).not.toBe(etag);
  expect(replies.find(({ row }) => !row)?.errors).toMatchObject(refused);
});

test('ifMatch accepts one or several ETags, quoted or not, or *, but no weak one', async () => {
  const id = (await rows.client.post('/vendors', { company_name: 'Acme' })).row['id'];
  const change = (ifMatch: unknown) => run('updateVendor', { id, input: { address: 'Elsewhere' }, ifMatch });
  const current = async () => (await change(null)).row?.['etag'];
  expect((await change(await current())).row).toBeTruthy();
  expect((await change(`"${await current()}"`)).row).toBeTruthy();
  expect((await change(`"${stale}", "${await current()}"`)).row).toBeTruthy();
  expect((await change('*')).row).toBeTruthy();
  expect(await change(`W/"${await current()}"`)).toMatchObject({ row: null, errors: refused });
});

test.each(conditional.filter((name) => name.startsWith('delete')))('%s requires a matching ETag', async (name) => {
  const variables = await rows.variables(rootField(name));
  expect(await run(name, { ...variables, ifMatch: stale })).toMatchObject({ row: null, errors: refused });
  expect((await run(name, { ...variables, ifMatch: null })).row).toMatchObject({
    id: variables['id'],
    etag: expect.any(String),
  });
});

describe.each(collectionsWith('read'))('etag of %s', (_path, collection) => {
  const read = rootField(collection.on.read?.operation.field ?? '');
  const list = collection.on.list && rootField(collection.on.list.operation.field);
  const type = rowType(read.type);

  test('is the same as in REST, with any selection and in lists', async () => {
    const ids = await rows.parents(collection.path);
    const { id } = await rows.make(collection, { full: Boolean(collection.on.create) });
    const path = fill(collection.path, ids);
    const etag = (await rows.client.get(list ? `${path}/${id}` : path)).headers.get('etag')?.slice(1, -1);
    expect(etag).toBeTruthy();
    const given = read.args.some(({ name }) => name === 'id') ? { id } : {};
    const shown = selectionOf(shownFields(type.name));
    for (const selection of ['{ etag }', `{ ${shown} etag }`]) {
      const { data, errors } = await rows.client.graphql(
        operationOf(read, 'Query', Object.keys(given), selection),
        given,
      );
      expect([data[read.name]?.['etag'], errors]).toEqual([etag, []]);
    }
    if (!list) return;
    const { data } = await rows.client.graphql<Record<string, { nodes: Row[] }>>(
      operationOf(list, 'Query', Object.keys(ids), '{ nodes { id etag } }'),
      ids,
    );
    expect(data[list.name]?.nodes).toContainEqual({ id, etag });
  });
});

test('a row has the same ETag in every place', async () => {
  const vendor = (await rows.client.post('/vendors', { company_name: 'Acme' })).row['id'];
  const made = await rows.client.post('/procurement/requisitions', {
    title: 'Bolts',
    vendor_id: vendor,
    line_items: [{ description: 'M8', quantity: 2, unit_price: 0.25 }],
  });
  const { data, errors } = await rows.client.graphql<{ vendor: { requisitions: { nodes: Row[] } } }>(
    `query ($id: ID!) { vendor(id: $id) { requisitions { nodes { etag lineItems { description } } } } }`,
    { id: vendor },
  );
  expect(errors).toEqual([]);
  expect(data.vendor.requisitions.nodes).toEqual([
    { etag: made.headers.get('etag')?.slice(1, -1), lineItems: [{ description: 'M8' }] },
  ]);
});
