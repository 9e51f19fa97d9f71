import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import type { StoredField } from '../../database/stored-field.ts';
import { itemOrder, listOf, type Row, type Rows } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';

/**
 * Returns the part of `data` that differs from the row: columns, nested items, and rows that are created with it.
 */
export async function findChanges(
  resource: Pick<Resource, 'model' | 'lists' | 'nestedItems'>,
  data: Row,
  previous: Row,
  context: Context,
): Promise<Row> {
  const changes: Row = {};
  const { also = {}, ...given } = data;
  // By the types of hooks.
  const created = Object.entries(also as Record<string, readonly Row[]>).filter(([, rows]) => rows.length > 0);
  if (created.length > 0) changes['also'] = Object.fromEntries(created);
  for (const [name, value] of Object.entries(given)) {
    const items = resource.nestedItems[name];
    const isSame = items
      ? hasSameItems(value as Row[], await readItems(resource, name, previous, context), items)
      : value === undefined || isSameValue(value, previous[name]);
    if (!isSame) changes[name] = value;
  }
  return changes;
}

/** The key of the names of its changed fields in an updated row: a symbol, as no selection can name it. */
const changedFields = Symbol('changedFields');

/** Adds to an updated row which of its fields the update has changed, by their names in GraphQL. */
export const withChangedFields = (row: Row, fields: readonly string[]): Row =>
  Object.assign({ ...row }, { [changedFields]: fields });

/** The fields that an update has changed of the row that it returned; none where nothing differed. */
export const changedFieldsOf = (row: Row & { readonly [changedFields]?: readonly string[] }): readonly string[] =>
  row[changedFields] ?? [];

/** The columns that an update changes, and the relations whose content it changes in the response. */
export function listChangedFields(
  { relations, etag }: Pick<Resource, 'relations'> & Partial<Pick<Resource, 'etag'>>,
  { also = {}, ...changes }: Row,
): string[] {
  const isChanged = (field: StoredField | undefined) => field !== undefined && field.name in changes;
  return [
    ...Object.keys(changes),
    ...Object.keys(also as object),
    ...Object.keys(etag?.relations ?? {}).filter((relation) => isChanged(relations[relation]?.field)),
  ];
}

/** Whether a value equals that of a stored row. */
export function isSameValue(value: unknown, stored: unknown): boolean {
  if (value instanceof Date) return stored instanceof Date && value.getTime() === stored.getTime();
  if (Prisma.Decimal.isDecimal(stored)) return Prisma.Decimal.isDecimal(value) && stored.equals(value);
  if (Array.isArray(value)) return isSameList(value, stored as unknown[], isSameValue);
  return value === stored;
}

const isSameList = <T>(one: readonly T[], other: readonly T[], isSame: (one: T, other: T) => boolean): boolean =>
  one.length === other.length && one.every((item, n) => isSame(item, other[n] as T));

const hasSameItems = (items: readonly Row[], stored: readonly Row[], columns: readonly string[]): boolean =>
  isSameList(items, stored, (item, other) =>
    columns.every((column) => isSameValue(item[column] ?? null, other[column])),
  );

function readItems(
  resource: Pick<Rows, 'model' | 'lists'>,
  relation: string,
  { id }: Row,
  context: Context,
): Promise<Row[]> {
  const { target, column } = listOf(resource, relation);
  return context.reader.findMany(target.model, { where: { [column]: id }, orderBy: itemOrder });
}
