// A definition with a part that would have no effect stops the service from starting.
import { expect, test } from '@jest/globals';
import { type GraphQLInputObjectType, isInputObjectType } from 'graphql';
import { ownerContext } from '../../src/background/owner.ts';
import type { Database } from '../../src/database/index.ts';
import { createRow, createRows, defineResource } from '../../src/resource/index.ts';
import { filterParameters } from '../../src/rest/filters.ts';
import { Asset } from '../../src/schema/asset/asset.ts';
import { AssetTransfer } from '../../src/schema/asset/transfer.ts';
import { api } from '../../src/schema/index.ts';

const paint = { scope: 'paint', fields: { name: {} }, rest: { path: '/paints' } } as const;
const update = ({ data }: { readonly data: object }) => data;

test('REST offers no action that the resource lacks', () => {
  const define = (actions: readonly 'delete'[]) =>
    defineResource('Paint', { ...paint, access: { actions: ['list'] }, rest: { path: '/paints', actions } });
  expect(() => define(['delete'])).toThrow('rest.actions has delete');
  expect(() => define([])).not.toThrow();
});

test('a resource mounted under another offers no action there that it lacks', () => {
  const mountedUnder = { resource: Asset, column: 'name', path: '/paints', actions: ['create'] } as const;
  expect(() =>
    defineResource('Paint', { ...paint, access: { actions: ['list'] }, rest: { path: '/paints', mountedUnder } }),
  ).toThrow('rest.actions has create');
});

test('hooks of updates need updates', () => {
  const access = { actions: ['list', 'create'] } as const;
  for (const hooks of [
    { resolveInput: { update } },
    { authorizeChanges: async () => {} },
    { afterOperation: { update: async () => {} } },
  ]) {
    expect(() => defineResource('Paint', { ...paint, access, hooks })).toThrow('hook of updates');
    expect(() => defineResource('Paint', { ...paint, hooks })).not.toThrow();
  }
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
