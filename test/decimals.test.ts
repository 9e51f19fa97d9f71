// Decimals keep their digits on every way in and out. They are compared as text, as JSON.parse makes doubles of them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from './support/client.ts';
import { decimalsOf, limitOf, withDigits } from './support/decimals.ts';
import { collectionsWith, type Field, rootField, rootFields, typeOf } from './support/resources.ts';
import { fill, Rows } from './support/rows.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  client = rows.client;
});
afterAll(() => service.close());

/** Values at the precision of a column, of which a double prints other digits where there are such values. */
function digitsFor(field: Field): [string, string] {
  const { scale = 0 } = field.facts ?? {};
  const whole = limitOf(field);
  const found: string[] = [];
  const any: string[] = [];
  for (let step = 1; found.length < 2 && step < 2000; step++) {
    const digits = `${Math.max(Math.floor(whole * 0.9) - step, 1)}.${String(3 + step * 2)
      .padStart(scale, '0')
      .slice(-scale)
      .replace(/0$/, '1')}`;
    any.push(digits);
    if (String(Number(digits)) !== digits) found.push(digits);
  }
  const [one = '', other = ''] = [...found, ...any];
  return [one, other];
}

const collections = collectionsWith('create').filter(([, collection]) => decimalsOf(collection).length > 0);

test('there are many collections with decimals', () => {
  expect(collections.length).toBeGreaterThan(8);
  expect(collections.flatMap(([, collection]) => decimalsOf(collection)).length).toBeGreaterThan(10);
});

describe.each(
  collections.flatMap(([path, collection]) =>
    decimalsOf(collection).map((field) => [path, field.rest, collection, field] as const),
  ),
)('%s: %s', (_path, rest, collection, field) => {
  const { name } = field;
  const type = typeOf(collection);
  const create = collection.on.create?.operation.field ?? '';
  const list = collection.on.list?.operation.field ?? '';
  const [digits, other] = digitsFor(field);
  let path: string;
  let id: string;
  const member = (value: string, key = rest) => new RegExp(`"${key}" ?: ?${value.replaceAll('.', '\\.')}[,}]`);
  const body = async (value: string, idiom: 'rest' | 'graphql' = 'rest') => ({
    ...(await rows.body(create, {}, idiom)),
    [idiom === 'rest' ? rest : name]: `#${value}`,
  });
  /** The text of a response of GraphQL. */
  const ask = async (query: string, variables: Row = {}) => {
    const { text } = await client.at('').post('/graphql', withDigits({ query, variables }));
    expect({ query, text }).toEqual({ query, text: expect.not.stringContaining('"errors"') });
    return text;
  };

  beforeAll(async () => {
    path = fill(collection.path, await rows.parents(collection.path));
    const reply = await client.post(path, withDigits(await body(digits)));
    expect(reply.text).toMatch(member(digits));
    id = String(reply.row['id']);
  });

  test('are read as they were written', async () => {
    if (collection.on.read) expect((await client.get(`${path}/${id}`)).text).toMatch(member(digits));
    expect((await client.get(path, { limit: 100 })).text).toMatch(member(digits));
    expect((await client.get(path, { sort: rest, limit: 100 })).text).toMatch(member(digits));
    const file = await client.get(path, {}, { accept: 'text/csv' });
    expect(file.text).toMatch(new RegExp(`(^|,)${digits.replaceAll('.', '\\.')}(,|\r)`, 'm'));
    for (const fields of [name, `${name} @include(if: true)`]) {
      expect(await ask(`{ ${list} { nodes { id ${fields} } } }`)).toMatch(member(digits, name));
      const groups = `{ ${list}(filter: { id: { eq: "${id}" } }) { aggregates { ${name} { sum avg min max } } } }`;
      expect(await ask(groups)).toContain(
        `"${name}":{"sum":${digits},"avg":${digits},"min":${digits},"max":${digits}}`,
      );
    }
  });

  test('are compared exactly', async () => {
    const total = async (query: Row) => (await client.get(path, { ...query, limit: 1 })).meta.total;
    const only = { id };
    expect(await total({ ...only, [rest]: digits })).toBe(1);
    expect(await total({ ...only, [`${rest}[gt]`]: digits })).toBe(0);
    expect(await total({ ...only, filter: withDigits({ [rest]: { gte: `#${digits}`, lte: `#${digits}` } }) })).toBe(1);
    expect(await total({ ...only, filter: withDigits({ [rest]: { ne: `#${digits}` } }) })).toBe(0);
    const near = `${digits}0000000000000000000001`;
    expect(await total({ ...only, [`${rest}[lt]`]: near, [`${rest}[ne]`]: near })).toBe(1);
    expect(await total({ ...only, filter: withDigits({ [rest]: { gte: `#${near}` } }) })).toBe(0);
    const filter = `${type}Filter`;
    for (const [text, variables] of [
      [`{ ${list}(filter: { id: { eq: "${id}" }, ${name}: { eq: ${digits}, lt: ${near} } }) { totalCount } }`, {}],
      [
        `query ($filter: ${filter}) { ${list}(filter: $filter) { totalCount } }`,
        { filter: { id: { eq: id }, [name]: { in: [`#${digits}`], lt: `#${near}` } } },
      ],
      [
        `query ($least: Float) { ${list}(filter: { id: { eq: "${id}" } }) {
            totalCount: aggregates(having: [{ field: "${name}.sum", eq: $least, lt: ${near} }]) { ${name} { sum } count } } }`,
        { least: `#${digits}` },
      ],
    ] as const)
      expect(await ask(text, variables)).toMatch(/"totalCount":(1\}|\[\{)/);
  });

  test('are written by every way in, and shown in the history and the feed', async () => {
    const update = collection.on.update?.operation.field;
    const mutation = rootFields('Mutation').find((each) => each.name === create);
    const given = mutation?.args.filter(({ name }) => name !== 'input').map(({ name }) => name) ?? [];
    const parents = await rows.variables(rootField(create));
    const passed = given.map((each) => `${each}: "${String(parents[each])}", `).join('');
    const variables = { input: await body(other, 'graphql') };
    const type = String(mutation?.args.find(({ name }) => name === 'input')?.type);
    expect(
      await ask(`mutation ($input: ${type}) { ${create}(${passed}input: $input) { ${name} } }`, variables),
    ).toMatch(member(other, name));
    if (!update) return;
    const patched = await client.patch(`${path}/${id}`, `{ "${rest}": ${other} }`);
    expect(patched.text).toMatch(member(other));
    expect(await ask(`mutation { ${update}(id: "${id}", input: { ${name}: ${digits} }) { ${name} } }`)).toMatch(
      member(digits, name),
    );
    // Nothing differs, whatever the notation.
    const before = await client.patch(`${path}/${id}`, '{}');
    const after = await client.patch(`${path}/${id}`, `{ "${rest}": ${digits}0 }`);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    const history = (await client.get(`${path}/${id}/history`)).text;
    for (const each of [digits, other]) expect(history).toMatch(member(each));
  });

  test('are refused where the column cannot hold them', async () => {
    for (const wrong of ['1e-400', `${digits}0000000000000000000001`, `${digits}1`, '1e400', '9e999']) {
      const reply = await client.post(path, withDigits(await body(wrong)));
      expect({ wrong, status: reply.status, details: reply.details }).toEqual({
        wrong,
        status: 422,
        details: { [rest]: expect.stringMatching(/^must/) },
      });
    }
    for (const right of [`${digits}000000000000000000000`, '1e0', '10E-1', '1.000']) {
      const reply = await client.post(path, withDigits(await body(right)));
      expect([right, reply.status]).toEqual([right, 201]);
    }
  });
});
