// Tokens that may write a resource's rows and not read them: what they learn from writes to rows that exist.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import type { Row } from '../support/client.ts';
import {
  collectionsWith,
  ofMany,
  oneOfMany,
  operationOf,
  type RootField,
  rootField,
  rootFields,
  rowType,
  snakeCase,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { callersOf, groupOf, takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let callerWith: ReturnType<typeof callersOf>;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  callerWith = callersOf(rows.tenant);
});
afterAll(() => service.close());

const changing = rootFields('Mutation').filter(
  ({ name, extensions }) =>
    takesScope(extensions['access']) && !/^(create|record)/.test(name) && !ofMany.includes(extensions.action ?? ''),
);

test('every type with scopes that can be changed or deleted is covered', () => {
  expect(new Set(changing.map(({ type }) => rowType(type).name)).size).toBeGreaterThan(30);
});

/** Valid arguments of a mutation, of a new row; an update changes one field. */
async function argumentsOf({ name, args, type }: RootField): Promise<Row> {
  const variables = await rows.variables(rootField(name));
  if (name.startsWith('update') && args.some((arg) => arg.name === 'input'))
    variables['input'] = await rows.change(name, 'graphql');
  // It is removed by the arguments that have added it.
  if (/^delete\w+Watcher$/.test(name))
    await rows.client.graphql(
      operationOf(rootField(name.replace(/^delete/, 'create')), 'Mutation', Object.keys(variables), '{ id }'),
      variables,
    );
  if (!isObjectType(getNamedType(type))) throw new Error(`${name} returns no row`);
  return variables;
}

/** Fields that are asked for in one request. */
const atOnce = 8;

const countChanges = () => service.database.prisma.change.count();

describe.each(changing.map((field) => [field.name, field] as const))('GraphQL: %s', (name, field) => {
  const type = rowType(field.type);
  const isDeletion = name.startsWith('delete');
  const scope = String(field.extensions['access']);

  test('answers what was sent, and refuses to select more before it writes', async () => {
    const client = await callerWith([scope]);
    const variables = await argumentsOf(field);
    const sent = isDeletion ? [] : Object.keys(variables['input'] ?? {});
    const known = ['id', ...(isDeletion ? [] : ['updatedAt', ...sent])].filter((each) => each in type.getFields());
    const before = await countChanges();
    const others = Object.values(type.getFields()).filter((other) => !known.includes(other.name));
    for (let from = 0; from < others.length; from += atOnce) {
      const asked = others.slice(from, from + atOnce).map(({ name: other, type: shown }, n) => {
        const selected = isLeafType(getNamedType(shown)) ? other : `${other} { __typename }`;
        return [
          [`id ${selected}`],
          [`id: ${selected}`],
          [`id ... on ${type.name} { ${selected} }`],
          [`id ...Rest${n}`, ` fragment Rest${n} on ${type.name} { ${selected} }`],
        ][n % 4] as [string, string?];
      });
      const names = asked.map((_, n) => `a${n}`);
      const given = Object.keys(variables).map((each) => `${each}: $${each}`);
      const types = field.args.flatMap(({ name, type }) => (name in variables ? [`$${name}: ${String(type)}`] : []));
      const fields = asked.map(([selection], n) => `a${n}: ${name}(${given.join(', ')}) { ${selection} }`);
      const fragments = asked.map(([, fragment = '']) => fragment);
      const query = `mutation (${types.join(', ')}) { ${fields.join(' ')} } ${fragments.join(' ')}`;
      const { data, errors } = await client.graphql(query, variables);
      expect({ query, data }).toEqual({ query, data: Object.fromEntries(names.map((each) => [each, null])) });
      expect(errors.map(({ path, extensions }) => [path?.join(), extensions.code, extensions.status])).toEqual(
        names.map((each) => [each, 'INSUFFICIENT_SCOPE', 403]),
      );
    }
    expect(await countChanges()).toBe(before);
    const selection = `{ __typename ${known.map((each) => `x${each}: ${each}`).join(' ')} }`;
    const { data, errors } = await client.graphql(
      operationOf(field, 'Mutation', Object.keys(variables), selection),
      variables,
    );
    expect(errors).toEqual([]);
    expect(data[name]).toMatchObject({ xid: expect.any(String) });
    expect(await countChanges()).toBeGreaterThan(before);
  });

  if (!isDeletion)
    test('with nothing to change answers the id and the time of the last change', async () => {
      const client = await callerWith([scope]);
      const variables = await argumentsOf(field);
      if (name.startsWith('update')) variables['input'] = {};
      const names = ['id', 'updatedAt'].filter((each) => each in type.getFields());
      const operation = operationOf(field, 'Mutation', Object.keys(variables), `{ ${names.join(' ')} }`);
      const { errors } = await client.graphql(operation, variables);
      expect(errors).toEqual([]);
    });
});

const routes = [...collectionsWith('update'), ...collectionsWith('replace')].map(
  ([path, { on }]) => [path, on.replace ? 'replace' : 'update', on] as const,
);
const cases = routes.flatMap(([path, , on]) =>
  (['update', 'replace'] as const).flatMap((action) => (on[action] ? [[action, path, on[action]] as const] : [])),
);

test.each([...new Map(cases.map((each) => [each[0] + each[1], each])).values()])(
  'REST: %s at %s answers what was sent, with Prefer too, and without an ETag',
  async (action, path, route) => {
    const client = await callerWith([`${groupOf(path)}:write`]);
    const { field } = route.operation;
    const method = action === 'update' ? 'PATCH' : 'PUT';
    const ids = { ...(await rows.parents(path)), ...(await rows.variables(rootField(field))) };
    const target = fill(route.path, ids);
    const body = action === 'update' ? await rows.change(field) : await rows.body(field);
    for (const headers of [{}, { prefer: 'return=representation' }] as Record<string, string>[])
      for (const sent of action === 'update' ? [body, {}] : [body]) {
        const reply = await client.request(method, target, { body: sent, headers });
        expect({ target, status: reply.status }).toEqual({ target, status: 200 });
        const hasTime = 'updatedAt' in rowType(rootField(field).type).getFields();
        const shown = ['id', ...Object.keys(sent), ...(hasTime ? ['updated_at'] : [])];
        expect(Object.keys(reply.row).sort()).toEqual(shown.map(snakeCase).sort());
        expect([reply.headers.get('etag'), reply.headers.get('preference-applied')]).toEqual([null, null]);
      }
    expect((await client.request(method, `${target}?include=history`, { body })).status).toBe(400);
  },
);

test('nested items that were sent are shown with their columns, and without the rows that they refer to', async () => {
  const client = await callerWith(['procurement:write']);
  const item_id = (await rows.client.post('/inventory', { name: 'Lamp' })).row['id'];
  const { row } = await rows.client.post('/procurement/orders', {});
  const line_items = [{ item_id, quantity: 2, unit_price: 3, description: 'Lamp' }];
  const { row: shown } = await client.patch(`/procurement/orders/${row['id']}`, { line_items });
  expect(shown).toMatchObject({ id: row['id'], line_items });
  const change = (selection: string) =>
    client.graphql(
      `mutation ($id: ID!, $lines: [PurchaseOrderLineInput!]) { updatePurchaseOrder(id: $id, input: { lineItems: $lines }) { lineItems ${selection} } }`,
      { id: row['id'], lines: [{ itemId: item_id, description: 'Other' }] },
    );
  expect((await change('{ description item { id } }')).errors).toMatchObject([
    { path: ['updatePurchaseOrder'], extensions: { code: 'INSUFFICIENT_SCOPE' } },
  ]);
  expect((await rows.client.get(`/procurement/orders/${row['id']}`)).row).toMatchObject({ line_items });
  expect((await change('{ description }')).errors).toEqual([]);
});

test('a conflict does not tell what is stored', async () => {
  const client = await callerWith(['procurement:write']);
  const { row } = await rows.client.post('/procurement/orders', { status: 'cancelled' });
  const { error } = await client.patch(`/procurement/orders/${row['id']}`, { status: 'sent' });
  expect(error).toMatchObject({ code: 'CONFLICT', details: { status: expect.any(String) } });
  expect(JSON.stringify(error)).not.toContain('cancelled');
  const lines = [{ description: 'Chair', quantity: 3, unit_price: 12.5 }];
  const { row: other } = await rows.client.post('/procurement/orders', { line_items: lines });
  const reply = await client.patch(`/procurement/orders/${other['id']}`, { total_amount: 1 });
  expect(reply).toMatchObject({ status: 422, details: { total_amount: expect.any(String) } });
  expect(reply.text).not.toContain('37.5');
});

test('a token with both scopes, and a new row, show everything', async () => {
  const both = await callerWith(['paint:read', 'paint:write']);
  const blind = await callerWith(['paint:write']);
  const made = await blind.post('/paints', { name: 'Sage', brand: 'Acme' });
  expect(made).toMatchObject({ status: 201, row: { name: 'Sage', brand: 'Acme', finish: null } });
  expect(made.headers.get('etag')).not.toBeNull();
  const item = `/paints/${made.row['id']}`;
  const whole = await both.request('PATCH', item, {
    body: { name: 'Sea' },
    headers: { prefer: 'return=representation' },
  });
  expect(whole.row).toMatchObject({ name: 'Sea', brand: 'Acme' });
  // A write may depend on an ETag that the client got otherwise.
  const tag = whole.headers.get('etag') ?? '';
  const matching = await blind.request('PATCH', item, { body: { name: 'Sky' }, headers: { 'if-match': tag } });
  expect(matching.status).toBe(200);
  expect((await blind.request('PATCH', item, { body: { name: 'Sun' }, headers: { 'if-match': tag } })).status).toBe(
    412,
  );
});

const many = rootFields('Mutation')
  .filter(({ extensions }) => takesScope(extensions.access) && ofMany.includes(extensions.action ?? ''))
  .map((field) => [field.name, field] as const);

test.each(many)('GraphQL: %s shows no row, and counts none', async (name, field) => {
  const client = await callerWith([String(field.extensions.access)]);
  const variables = await rows.variables(field);
  const before = await countChanges();
  const run = (selection: string) =>
    client.graphql(operationOf(field, 'Mutation', Object.keys(variables), selection), variables);
  const isListed = field.extensions.action === 'write';
  for (const selection of isListed ? ['{ row { __typename } }', '{ id etag }'] : ['{ count }']) {
    const { data, errors } = await run(selection);
    expect(data).toEqual({ [name]: null });
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
  }
  expect(await countChanges()).toBe(before);
  if (!isListed) return;
  const { data, errors } = await run('{ action id error { code } }');
  expect(errors).toEqual([]);
  const [written] = data[name] as unknown as readonly Row[];
  // What has no creation is updated, perhaps to what it is.
  if (written?.['action'] !== 'UNCHANGED') expect(await countChanges()).toBeGreaterThan(before);
  else expect(oneOfMany(field)).toMatch(/^update/);
});
