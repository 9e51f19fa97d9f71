// What a union leads to is known only when it is there: its access is checked then, whatever its resolver did.
import { afterAll, describe, expect, test } from '@jest/globals';
import SchemaBuilder, { brandWithType } from '@pothos/core';
import { graphql } from 'graphql';
import '../../src/resource/access.ts';
import { readScopes } from '../../src/resource/registry.ts';

const builder = new SchemaBuilder<{ Context: { caller: { scopes: readonly string[] } } }>({
  plugins: ['access'],
  // The options of plugins that are known to the types and not used here.
} as never);
const [Swatch, Ladder] = ['Swatch', 'Ladder'].map((name) =>
  builder.objectRef<{ name: string }>(name).implement({ fields: (t) => ({ name: t.exposeString('name') }) }),
);
if (!Swatch || !Ladder) throw new Error('there are two types');
readScopes.set('Swatch', 'paint:read');
afterAll(() => void readScopes.delete('Swatch'));
const Thing = builder.unionType('Thing', { types: [Swatch, Ladder] });
const things = { Swatch, Ladder };
const make = (type: keyof typeof things) => {
  const thing = { name: type };
  brandWithType(thing, things[type]);
  return thing;
};
builder.queryType({
  fields: (t) => ({
    // The plugin wants a rule of every root field; what it says is another plugin's business.
    swatch: t.field({ type: Thing, nullable: true, authScopes: {}, resolve: () => make('Swatch') } as never),
    ladder: t.field({ type: Thing, nullable: true, authScopes: {}, resolve: () => make('Ladder') } as never),
    both: t.field({
      type: [Thing],
      nullable: { list: false, items: true },
      authScopes: {},
      resolve: () => [make('Swatch'), make('Ladder')],
    } as never),
    none: t.field({ type: Thing, nullable: true, authScopes: {}, resolve: () => null } as never),
  }),
});
const schema = builder.toSchema();
const ask = async (field: string, scopes: string[]) => {
  const { data, errors = [] } = await graphql({
    schema,
    source: `{ ${field} { __typename } }`,
    contextValue: { caller: { scopes } },
  });
  return {
    found: data?.[field],
    errors: errors.map(({ path, extensions, message }) => [path, extensions['code'] ?? message]),
  };
};

describe('what a union leads to', () => {
  test.each([['paint:read'], ['*:read'], ['*']])('is there with %s', async (scope) => {
    expect(await ask('swatch', [scope])).toEqual({ found: { __typename: 'Swatch' }, errors: [] });
  });

  test.each([['paint:write'], ['vendors:read'], ['*:write']])('is not there with %s', async (scope) => {
    expect(await ask('swatch', [scope])).toEqual({ found: null, errors: [[['swatch'], 'INSUFFICIENT_SCOPE']] });
  });

  test('is not there for anybody when no scope covers it', async () => {
    expect(await ask('ladder', ['*'])).toEqual({
      found: null,
      errors: [[['ladder'], expect.stringContaining('no scope covers')]],
    });
    expect(await ask('both', ['*'])).toEqual({
      found: [{ __typename: 'Swatch' }, null],
      errors: [[['both', 1], expect.stringContaining('no scope covers')]],
    });
  });

  test('may be nothing', async () => {
    expect(await ask('none', [])).toEqual({ found: null, errors: [] });
  });
});
