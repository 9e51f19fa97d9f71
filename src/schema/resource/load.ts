import { brandWithType } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type { Resource } from './define.ts';
import { and, type Row } from './lists.ts';
import { delegate, tenant } from './writes.ts';

const loaders = new WeakMap<Context, Map<string, DataLoader<string, Row | null>>>();

/** Loads a row for a field of what is no row; null when it does not exist for the caller. All that one field asks for come in one statement. */
export const loadRow = (resource: Resource, id: string, context: Context, info: GraphQLResolveInfo): Promise<Row | null> =>
  loader(resource, context, info).load(id);

function loader({ listing: { model, type }, ref, visible }: Resource, context: Context, info: GraphQLResolveInfo): DataLoader<string, Row | null> {
  const mine = loaders.get(context) ?? new Map<string, DataLoader<string, Row | null>>();
  loaders.set(context, mine);
  const key = `${type} ${fieldPath(info.path)}`;
  const existing = mine.get(key);
  if (existing) return existing;
  const created = new DataLoader<string, Row | null>(async (ids) => {
    const found = await delegate(context.db, model).findMany({
      ...queryFromInfo({ context, info, typeName: type, select: { id: true } }),
      where: and([tenant(model, context), { id: { in: ids } }, visible?.(context) ?? {}]),
    });
    const rows = new Map(found.map((row) => [row['id'], row]));
    // A union knows the type of a row by its brand.
    for (const row of found) brandWithType(row, ref);
    return ids.map((id) => rows.get(id) ?? null);
  });
  mine.set(key, created);
  return created;
}

/** Where a field stands in the query: the same for all rows of its lists. */
const fieldPath = ({ key, prev }: GraphQLResolveInfo['path']): string =>
  (prev ? fieldPath(prev) : '') + (typeof key === 'string' ? `.${key}` : '');
