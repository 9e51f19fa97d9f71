// Definitions are values: their order does not affect the result, and they register nothing.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { type Api, buildApi, type Definition } from '../../src/resource/index.ts';
import { api, definitions } from '../../src/schema/index.ts';

const print = ({ schema }: Api) => printSchema(lexicographicSortSchema(schema));
const names = ({ operations }: Api) => operations.map(({ kind, field, path }) => `${kind} ${field} ${path}`).sort();

/** The definitions in another order, the same on every run. */
const shuffled = (list: readonly Definition[]): Definition[] =>
  list
    .map((definition, place) => ({ definition, key: (place * 7919) % 104_729 }))
    .sort((one, other) => (one.key % 97) - (other.key % 97) || other.key - one.key)
    .map(({ definition }) => definition);

describe.each([
  ['backwards', [...definitions].reverse()],
  ['shuffled', shuffled(definitions)],
])('the definitions, %s', (_, reordered) => {
  const other = buildApi(reordered);

  test('are the same in another order', () => {
    expect(reordered).not.toEqual(definitions);
    expect(new Set(reordered)).toEqual(new Set(definitions));
  });

  test('build the same schema', () => {
    expect(print(other)).toBe(print(api));
  });

  test('build the same operations with the same scopes', () => {
    expect(names(other)).toEqual(names(api));
    expect([...other.readScopes].sort()).toEqual([...api.readScopes].sort());
    expect([...other.ownedTypes].sort()).toEqual([...api.ownedTypes].sort());
    expect([...other.connectionTypes].sort()).toEqual([...api.connectionTypes].sort());
  });
});

test('a part of the definitions builds a part of the API', () => {
  const paint = definitions.filter((definition) => definition.kind === 'resource' && definition.type === 'Paint');
  const alone = buildApi(paint);
  expect(alone.operations.map(({ field }) => field)).toEqual([
    'paints',
    'paint',
    'createPaint',
    'updatePaint',
    'deletePaint',
  ]);
  expect(Object.keys(alone.schema.getMutationType()?.getFields() ?? {})).toHaveLength(3);
});

test('only accounts, guests and reports mention the company: the kit adds it elsewhere', async () => {
  const folder = join(import.meta.dirname, '../../src/schema');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(60);
  const naming = [];
  for (const file of files) {
    if (/company_?id/i.test(await readFile(join(folder, file), 'utf8'))) naming.push(file);
  }
  expect(naming.sort()).toEqual([
    'account/me.ts',
    'account/tokens.ts',
    'ai-usage/report.ts',
    'ai-usage/roll-up.ts',
    'dashboard/batch.ts',
    'dashboard/rpc.ts',
    'desk/overlaps.ts',
    'lease/accounting.ts',
    'mailroom/guests.ts',
  ]);
});
