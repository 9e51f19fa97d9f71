import { brandWithType } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import type { Resource } from './define.ts';
import { and, type Row } from './lists.ts';
import { delegate, tenant } from './writes.ts';

const loaders = new WeakMap<Context, Map<string, DataLoader<string, unknown>>>();

/**
 * Loads one thing for a row, in one statement with the same for all rows that ask at once: those of a list. Nothing is kept
 * for later, as the next field of a mutation changes what there is.
 * @param thing what it is, and all that it depends on but the row's id
 * @param load finds it for rows, by their ids; where it finds nothing, there is none
 */
export function loadTogether<Thing>(
  context: Context,
  thing: string,
  id: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Thing>>,
): Promise<Thing | undefined> {
  const mine = loaders.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loaders.set(context, mine);
  let loader = mine.get(thing);
  if (!loader) {
    loader = new DataLoader<string, unknown>(
      async (ids) => {
        const found = await load([...new Set(ids)]);
        return ids.map((each) => found.get(each));
      },
      { cache: false },
    );
    mine.set(thing, loader);
  }
  // What goes by one name is of one type.
  return loader.load(id) as Promise<Thing | undefined>;
}

/** Loads a row for a field of what is no row; null when it does not exist for the caller. */
export async function loadRow(
  { listing: { model, type }, ref, visible }: Resource,
  id: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row | null> {
  const row = await loadTogether(context, `${type} ${fieldPath(info.path)}`, id, async (ids) => {
    const rows = await delegate(context.db, model).findMany({
      ...queryFromInfo({ context, info, typeName: type, select: { id: true } }),
      where: and([tenant(model, context), { id: { in: ids } }, visible?.(context) ?? {}]),
    });
    // A union knows the type of a row by its brand.
    for (const each of rows) brandWithType(each, ref);
    return new Map(rows.map((each) => [String(each['id']), each]));
  });
  return row ?? null;
}

/** Where a field stands in the query: the same for all rows of its lists. */
const fieldPath = ({ key, prev }: GraphQLResolveInfo['path']): string =>
  (prev ? fieldPath(prev) : '') + (typeof key === 'string' ? `.${key}` : '');
