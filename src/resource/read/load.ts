// Loads what fields show of a row, for all rows of a list in one statement.
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { listOf, type Rows, type Where } from '../definition/model.ts';
import { getOrCreate } from '../get-or-create.ts';

/**
 * Counts the related rows of a row, in one statement for all rows counted at the same time.
 *
 * @param relation a list of the rows
 * @param counted the related rows that count: their condition, and as which type they are read
 */
export async function countRelated(
  of: Pick<Rows, 'model' | 'lists'>,
  relation: string,
  counted: { readonly where: Where; readonly as?: string },
  id: string,
  context: Context,
): Promise<number> {
  const { model } = of;
  const { target } = listOf(of, relation);
  const count = await loadTogether(context, JSON.stringify([model, relation, counted]), id, async (ids) => {
    const groups = await context.reader.groups(target.model, {
      ...counted,
      parents: { model, relation, ids },
      ...{ keys: [], measures: [{ of: 'count' }], having: [], orderBy: [], fill: [], limit: 1, timeZone: 'UTC' },
    });
    return new Map(groups.map(({ parent, measures: [number] }) => [String(parent), Number(number)]));
  });
  return count ?? 0;
}

/** A loader of values by the rows' ids. */
type Loader = DataLoader<string, unknown>;

/** The loaders of each context, by key. */
const loaders = new WeakMap<Context, Map<string, Loader>>();

/**
 * Loads a value for a row, in one statement for all rows of a list. Values are not cached, as the next field of a
 * mutation may change them.
 *
 * @param key identifies the value, and everything it depends on but the row's id
 * @param load loads values by the rows' ids; rows without a value may be missing
 */
export function loadTogether<Value>(
  context: Context,
  key: string,
  id: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<Value | undefined> {
  const ofContext = loaders.get(context) ?? new Map<string, Loader>();
  loaders.set(context, ofContext);
  const loader = getOrCreate(ofContext, key, (): Loader => createLoader(load));
  // Values of one key have one type.
  return loader.load(id) as Promise<Value | undefined>;
}

const createLoader = <Value>(load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>) =>
  new DataLoader<string, Value | undefined>(
    async (ids) => {
      const found = await load([...new Set(ids)]);
      return ids.map((each) => found.get(each));
    },
    { cache: false },
  );

/** A field's path in the query, the same for all rows of its lists. In a union each type has fields of its own. */
export const fieldPath = ({ key, prev, typename }: GraphQLResolveInfo['path']): string =>
  (prev ? fieldPath(prev) : '') + (typeof key === 'string' ? ` ${typename ?? ''}.${key}` : '');
