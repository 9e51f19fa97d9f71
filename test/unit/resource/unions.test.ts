// The type of a union's value is known at run time: access is checked then.
import { describe, expect, test } from '@jest/globals';
import SchemaBuilder, { brandWithType } from '@pothos/core';
import { graphql } from 'graphql';
import '../../../src/resource/schema/access-plugin.ts';

const builder = new SchemaBuilder<{ Context: { caller: { scopes: readonly string[] } } }>({
  plugins: ['access'],
  // The types include options of other plugins, which this test does not use.
} as never);
const thing = (name: string, extensions: Record<string, unknown> = {}) =>
  builder.objectRef<{ name: string }>(name).implement({
    extensions,
    fields: (t) => ({ name: t.exposeString('name') }),
  });
const [Paint, Ladder] = [thing('Paint', { readScope: 'paint:read' }), thing('Ladder')];
const Thing = builder.unionType('Thing', { types: [Paint, Ladder] });
const things = { Paint, Ladder };
const make = (type: keyof typeof things) => {
  const thing = { name: type };
  brandWithType(thing, things[type]);
  return thing;
};
builder.queryType({
  fields: (t) => ({
    // The plugin requires a rule on every root field, which another plugin checks.
    paint: t.field({ type: Thing, nullable: true, authScopes: {}, resolve: () => make('Paint') } as never),
    ladder: t.field({ type: Thing, nullable: true, authScopes: {}, resolve: () => make('Ladder') } as never),
    both: t.field({
      type: [Thing],
      nullable: { list: false, items: true },
      authScopes: {},
      resolve: () => [make('Paint'), make('Ladder')],
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

describe('a member of a union', () => {
  test.each([['paint:read'], ['*:read'], ['*']])('is readable with %s', async (scope) => {
    expect(await ask('paint', [scope])).toEqual({ found: { __typename: 'Paint' }, errors: [] });
  });

  test.each([['paint:write'], ['vendors:read'], ['*:write']])('is not readable with %s', async (scope) => {
    expect(await ask('paint', [scope])).toEqual({ found: null, errors: [[['paint'], 'INSUFFICIENT_SCOPE']] });
  });

  test('is never readable without a scope of its own', async () => {
    expect(await ask('ladder', ['*'])).toEqual({
      found: null,
      errors: [[['ladder'], expect.stringContaining('has no read scope')]],
    });
    expect(await ask('both', ['*'])).toEqual({
      found: [{ __typename: 'Paint' }, null],
      errors: [[['both', 1], expect.stringContaining('has no read scope')]],
    });
  });

  test('may be null', async () => {
    expect(await ask('none', [])).toEqual({ found: null, errors: [] });
  });
});
