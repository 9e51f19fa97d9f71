// Definitions with a part that would have no effect.
import { expect, test } from '@jest/globals';
import { type GraphQLInputObjectType, isInputObjectType } from 'graphql';
import { admins } from '../../src/auth/roles.ts';
import { ownerContext } from '../../src/background/owner.ts';
import type { Database } from '../../src/database/index.ts';
import { modelOf } from '../../src/database/read/schema-models.ts';
import {
  approved,
  buildApi,
  createRow,
  defineNewRows,
  defineResource,
  extendSchema,
  only,
  own,
  reservedStatuses,
  rules,
  type SchemaKit,
} from '../../src/resource/index.ts';
import { filterParameters } from '../../src/rest/filters.ts';
import { Asset } from '../../src/schema/asset/asset.ts';
import { AssetTransfer } from '../../src/schema/asset/transfer.ts';
import { api } from '../../src/schema/index.ts';
import { Vendor } from '../../src/schema/vendor.ts';

const paint = { scope: 'paint', fields: { name: {} }, rest: { path: '/paints' } } as const;

test('the compiler refuses parts that would have no effect', () => {
  const name = { name: {} };
  const change = async () => {};
  const row = ({ data }: { readonly data: object }) => data;
  const mountedUnder = { resource: Asset, column: 'name', path: '/paints' } as const;
  const parent = { resource: Asset, column: 'name', lock: true } as const;
  const ofAsset = { resource: Asset, column: 'assetId' } as const;
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
    // @ts-expect-error a list of the parent that the parent does not have
    () => defineResource('AssetTransfer', { ...paint, fields: {}, parent: { ...ofAsset, relation: 'leases' } }),
    () =>
      defineResource('AssetTransfer', {
        ...paint,
        fields: {},
        parent: ofAsset,
        // @ts-expect-error a hook that receives a parent that is not locked
        hooks: { resolveInput: { create: ({ data, parent }) => ({ ...data, reason: parent.assetName }) } },
      }),
    // @ts-expect-error a hook of updates without updates
    () => defineResource('Paint', { ...created, hooks: { resolveInput: { update: row } } }),
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
  expect(definitions).toHaveLength(12);
  // What the compiler allows: hooks of the actions that a resource has.
  const hooks = { resolveInput: { create: row, update: row }, afterOperation: { update: change } };
  expect(() => defineResource('Paint', { ...paint, hooks })).not.toThrow();
});

test('the compiler refuses policies of what another model has', () => {
  const fields = { title: {}, requestedBy: {} };
  const requisition = { scope: 'procurement', fields, rest: { path: '/requisitions' } } as const;
  const definitions = [
    // @ts-expect-error a column of another model
    () => defineResource('Requisition', { ...requisition, access: { update: own('userId') } }),
    // @ts-expect-error nested items are no user
    () => defineResource('Requisition', { ...requisition, access: { update: own('lineItems') } }),
    // @ts-expect-error a status of another model
    () => defineResource('Requisition', { ...requisition, access: { write: [reservedStatuses(['SENT'])] } }),
    // @ts-expect-error a field of another model
    () => defineResource('Requisition', { ...requisition, access: { write: approvedBy('APPROVED', 'amount') } }),
    // @ts-expect-error a policy of writes for reads
    () => defineResource('Requisition', { ...requisition, access: { read: own('requestedBy') } }),
    // @ts-expect-error a policy of rows without a status
    () => defineResource('Paint', { ...paint, access: { write: reservedStatuses(['SENT']) } }),
    // @ts-expect-error a policy of what new rows do not do
    () => defineNewRows('Paint', { fields: { name: {} }, access: { delete: only(admins) } }),
  ];
  expect(definitions).toHaveLength(7);
  expect(() =>
    defineResource('Requisition', { ...requisition, access: { write: approvedBy('APPROVED', 'requestedBy') } }),
  ).not.toThrow();
});

const approvedBy = <const Status extends string, const Field extends string>(status: Status, field: Field) =>
  approved({ statuses: [status], fields: [field] });

test.each<[what: string, access: object, message: string]>([
  ['of an action that it lacks', { actions: ['list'], create: only(admins) }, 'Paint has policies of create'],
  ['of a column that is no field', { write: own('brand') }, 'A policy of Paint names brand, which is no field'],
])('a definition is refused with policies %s', (_what, access, message) => {
  // The compiler knows the columns of a model, but not which of them are fields.
  expect(() => defineResource('Paint', { ...paint, access })).toThrow(message);
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

test('the kit of a schema cannot be used once the schema is built, as by a resolver', () => {
  let kept: SchemaKit | undefined;
  const keep = extendSchema((kit) => {
    kept = kit;
    expect(kit.typesOf(Vendor).ref).toBeDefined();
  });
  buildApi([Vendor, keep]);
  expect(() => kept?.typesOf(Vendor)).toThrow('revoked');
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
  const database = { readerOf: (access) => ({ access }), writerOf: () => ({}) } as Database;
  const owner = { companyId: '', timeZone: 'UTC', userId: '', role: 'ADMIN' } as const;
  const context = ownerContext(
    database,
    { storage: { models: modelOf, rowFilters: () => () => undefined, readableFiles: async () => new Set<string>() } },
    owner,
    'test',
  );
  await expect(createRow(AssetTransfer, { reason: 'x' }, { context })).rejects.toThrow(
    'below its Asset, whose id is missing',
  );
});
