// Definitions with a part that would have no effect.
import { expect, test } from '@jest/globals';
import { type GraphQLInputObjectType, isInputObjectType } from 'graphql';
import { ownerContext } from '../../src/background/owner.ts';
import type { Database } from '../../src/database/index.ts';
import { buildApi, createRow, createRows, defineNewRows, defineResource, rules } from '../../src/resource/index.ts';
import { filterParameters } from '../../src/rest/filters.ts';
import { Asset } from '../../src/schema/asset/asset.ts';
import { AssetTransfer } from '../../src/schema/asset/transfer.ts';
import { api } from '../../src/schema/index.ts';

const paint = { scope: 'paint', fields: { name: {} }, rest: { path: '/paints' } } as const;

test('the compiler refuses parts that would have no effect', () => {
  const name = { name: {} };
  const change = async () => {};
  const row = ({ data }: { readonly data: object }) => data;
  const mountedUnder = { resource: Asset, column: 'name', path: '/paints' } as const;
  const parent = { resource: Asset, column: 'name', lock: true } as const;
  // Each definition is valid but for the line below a comment.
  const listed = { ...paint, access: { actions: ['list'] } } as const;
  const created = { ...paint, access: { actions: ['create'] } } as const;
  const mounted = { path: '/paints', mountedUnder: { ...mountedUnder, actions: ['create'] } } as const;
  const definitions = [
    // @ts-expect-error REST offers an action that the resource lacks
    () => defineResource('Paint', { ...listed, rest: { path: '/', actions: ['delete'] } }),
    // @ts-expect-error another resource's path offers an action that the resource lacks
    () => defineResource('Paint', { ...listed, rest: mounted }),
    // @ts-expect-error another resource's path creates rows without the lock
    () => defineResource('Paint', { ...paint, parent, rest: mounted }),
    // @ts-expect-error a hook of updates without updates
    () => defineResource('Paint', { ...created, hooks: { resolveInput: { update: row } } }),
    // @ts-expect-error a hook of updates without updates
    () => defineResource('Paint', { ...created, hooks: { authorizeChanges: change } }),
    // @ts-expect-error a hook of creations without creations
    () => defineResource('Paint', { ...listed, hooks: { resolveInput: { create: row } } }),
    // @ts-expect-error a validation without writes
    () => defineResource('Paint', { ...listed, hooks: { validate: () => ({}) } }),
    // @ts-expect-error a hook of deletions of rows that are only created
    () => defineNewRows('Paint', { fields: name, hooks: { afterOperation: { delete: change } } }),
    // @ts-expect-error a rule for values that clients do not write
    () => defineResource('Paint', { ...paint, fields: { name: { readOnly: true, rule: rules.email } } }),
    () =>
      defineResource('StockAdjustment', {
        ...paint,
        fields: { itemId: {}, type: {}, quantity: {} },
        // @ts-expect-error a required column that is no field is not set yet
        hooks: { resolveInput: { create: ({ data }) => ({ quantityAfter: data.quantityBefore + 1 }) } },
      }),
    // @ts-expect-error a path without a slash
    () => defineResource('Paint', { ...paint, rest: { path: 'paints' } }),
  ];
  expect(definitions).toHaveLength(11);
  // What the compiler allows: hooks of the actions that a resource has.
  const hooks = { resolveInput: { create: row, update: row }, authorizeChanges: change };
  expect(() => defineResource('Paint', { ...paint, hooks })).not.toThrow();
});

test.each<[what: string, fields: object, message: string]>([
  ['a field that every resource has', { name: {}, id: {} }, 'Paint.id is a field of every resource'],
  ['a unique field without an index', { name: { unique: 'is taken' } }, 'Paint.name has no unique index'],
  [
    'dates in an order, of which one is none',
    { name: { notBefore: 'brand' } },
    'Paint.name and brand are not both dates',
  ],
  ['no field for a required column', { brand: {} }, 'Paint.name is required, has no default and is not in fields'],
])('a definition is refused with %s', (_what, fields, message) => {
  // Some of these fields are columns that the compiler knows to be no fields.
  expect(() => defineResource('Paint', { ...paint, fields })).toThrow(message);
});

test('a schema is refused in which two resources have a path, or a virtual field the name of a column', () => {
  const name = { name: {} };
  const rest = { path: '/paints' } as const;
  const fields = { ...name, brand: {} };
  const type = 'OtherPaint';
  const twice = [
    defineResource('Paint', { ...paint, fields }),
    defineResource('Paint', { ...paint, graphql: { type } }),
  ];
  expect(() => buildApi(twice)).toThrow('OtherPaint and Paint both list at /paints');
  const graphql = { virtualFields: () => (t: { string: (options: object) => never }) => ({ name: t.string({}) }) };
  // Only the name of the field matters here.
  const hidden = defineResource('Paint', { ...paint, rest, graphql: graphql as object });
  expect(() => buildApi([hidden])).toThrow('Paint.name is a field already');
});

test('a parameter names a place in the filter of its list', () => {
  const type = api.schema.getType('PaintFilter') as GraphQLInputObjectType;
  expect(isInputObjectType(type)).toBe(true);
  const names = (place: string) => [...filterParameters(type, { shade: place }, api.schema).keys()];
  expect(names('colorCode')).toContain('shade');
  expect(() => names('colourCode')).toThrow('PaintFilter has no field colourCode');
  expect(() => names('colorCode.lessThan')).toThrow('has no field lessThan');
});

test('a row of a sub-resource is not created without its parent', async () => {
  // Nothing is read before: the context has no database.
  const database = {} as Database;
  const owner = { companyId: '', timeZone: 'UTC', userId: '', role: 'ADMIN' } as const;
  const context = ownerContext(database, owner, 'test');
  const request = { input: { reason: 'x' }, required: [], context, selection: {} };
  await expect(createRow(AssetTransfer, undefined, request)).rejects.toThrow('below its Asset, whose id is missing');
  await expect(createRows(AssetTransfer, undefined, { name: 'items', inputs: [{}], context })).rejects.toThrow(
    'below its Asset, whose id is missing',
  );
});
