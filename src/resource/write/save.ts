import type { Context } from '../../context.ts';
import type { StoredField } from '../../database/stored-field.ts';
import { notFound } from '../../errors.ts';
import type { Row } from '../definition/model.ts';
import { companyOf, keyOf, type Selection } from '../read/query.ts';
import { requireActiveUsers } from './active-users.ts';
import { listChangedFields, withChangedFields } from './changes.ts';
import type { NewRows } from './input.ts';
import { storedRows } from './nested-items.ts';
import type { StepOptions, WrittenResource } from './options.ts';

/** A row that is to be saved. */
export interface PreparedWrite {
  readonly action: 'create' | 'update' | 'delete';
  /** The locked row; null for a new one. */
  readonly previous: Row | null;
  /** The columns, nested items and rows beside it to store. */
  readonly changes: Row;
  /** The locked parent of a new row, where its resource locks it. */
  readonly parent?: Row | undefined;
  /** Whether the row was compared with an ETag. */
  readonly hasMatched?: boolean;
}

/** A row that was saved, or that an update left as it was. */
export interface SavedRow extends Partial<Omit<PreparedWrite, 'action'>> {
  readonly action: PreparedWrite['action'] | 'none';
  readonly row: Row;
}

/** How many rows one statement saves. */
const rowsAtOnce = 100;

/**
 * Saves rows of one action, up to a hundred by a statement. References are not checked first: only when the database
 * rejects one does a query find out which.
 *
 * @returns the rows in the order given; deleted ones with what is selected of them
 * @throws ServiceError NOT_FOUND
 */
export async function saveRows(
  resource: WrittenResource,
  writes: readonly PreparedWrite[],
  options: StepOptions,
): Promise<SavedRow[]> {
  const [first] = writes;
  const rows =
    first?.action === 'create'
      ? await insert(resource, writes, options)
      : first?.action === 'update'
        ? await update(resource, writes, options)
        : await remove(resource, writes, options);
  return writes.map((write, n) => {
    const row = rows[n];
    if (!row) throw notFound(resource.words.noun);
    return { ...write, row };
  });
}

async function insert(
  resource: WrittenResource,
  writes: readonly PreparedWrite[],
  options: StepOptions,
): Promise<(Row | undefined)[]> {
  const { context } = options;
  const { writer, at } = context;
  const { model } = resource;
  const stored = writes.map(({ changes }) =>
    storedRows(resource, requireActiveUsers(resource, changes, context), false),
  );
  const [one] = stored;
  if (one && stored.length === 1)
    return [await writer.create(model, one, { at, isLast: isLastStatement(resource, options) })];
  // In the order of unique values, so that two concurrent writes of common values do not deadlock.
  const unique = ['id', ...Object.values(resource.uniques).flat()];
  const sorted = stored
    .map((row, place) => ({ row, place, key: JSON.stringify(unique.map((column) => row[column] ?? '')) }))
    .sort((row, other) => Number(row.key > other.key) - Number(row.key < other.key));
  const inOrder: Row[] = [];
  for (let from = 0; from < sorted.length; from += rowsAtOnce) {
    const part = sorted.slice(from, from + rowsAtOnce);
    const saved = await writer.createMany(
      model,
      part.map(({ row }) => row),
      { at },
    );
    for (const [n, row] of saved.entries()) inOrder[part[n]?.place ?? n] = row;
  }
  return inOrder;
}

async function update(
  resource: WrittenResource,
  writes: readonly PreparedWrite[],
  options: StepOptions,
): Promise<(Row | undefined)[]> {
  const { context } = options;
  const { writer, at } = context;
  const { model, roles, nestedItems } = resource;
  const updates = writes.map(({ previous, changes, hasMatched }) => {
    const stored = storedRows(resource, requireActiveUsers(resource, changes, context), true);
    const data = hasMatched ? { ...stored, ...laterThan(roles.update, previous) } : stored;
    return { key: keyOf(roles, idOf(previous), context), data };
  });
  const [one] = updates;
  if (one && updates.length === 1) {
    const isLast = isLastStatement(resource, options);
    return [(await writer.update(model, one.key, one.data, { at, isLast })) ?? undefined];
  }
  const found = new Map<string, Row>();
  const together: typeof updates = [];
  for (const each of updates) {
    // Items are replaced by two statements.
    if (!Object.keys(nestedItems).some((relation) => relation in each.data)) together.push(each);
    else {
      const row = await writer.update(model, each.key, each.data, { at });
      if (row) found.set(idOf(row), row);
    }
  }
  for (let from = 0; from < together.length; from += rowsAtOnce)
    for (const row of await writer.updateMany(model, together.slice(from, from + rowsAtOnce), { at }))
      found.set(idOf(row), row);
  return writes.map(({ previous }) => found.get(idOf(previous)));
}

async function remove(
  resource: WrittenResource,
  writes: readonly PreparedWrite[],
  { context, selection = {}, isPart }: StepOptions,
): Promise<(Row | undefined)[]> {
  const { model, roles, hooks, policies } = resource;
  const { writer } = context;
  const ids = writes.map(({ previous }) => idOf(previous));
  const shown = await readByIds(resource, onlyColumns(selection) ? [] : ids, selection, context);
  const isLast = !isPart && !hooks.afterOperation && !policies.of.delete.some(({ refuseChanges }) => refuseChanges);
  const deleted = new Map<string, Row>();
  const [one] = ids;
  if (one !== undefined && ids.length === 1) {
    const row = await writer.delete(model, keyOf(roles, one, context), { isLast });
    if (row) deleted.set(one, row);
  } else
    for (let from = 0; from < ids.length; from += rowsAtOnce) {
      const some = { ...companyOf(roles, context), id: { in: ids.slice(from, from + rowsAtOnce) } };
      for (const row of await writer.deleteMany(model, some)) deleted.set(idOf(row), row);
    }
  return ids.map((id) => deleted.get(id) && (shown.get(id) ?? deleted.get(id)));
}

/**
 * The selected fields of saved rows. They are read again if they are more than columns, or if hooks or rows below them
 * may have changed them.
 */
export async function answer(
  resource: WrittenResource,
  saved: readonly SavedRow[],
  options: StepOptions,
): Promise<Row[]> {
  const { context, selection = {}, isUnread, isReadAgain } = options;
  const ids =
    isUnread || (isShown(resource, selection) && !isReadAgain)
      ? []
      : saved.flatMap(({ action, row }) => (action === 'delete' ? [] : [idOf(row)]));
  const byId = await readByIds(resource, ids, selection, context);
  return saved.map(({ action, row, changes = {} }) => {
    const shown = byId.get(idOf(row)) ?? row;
    return action === 'update' ? withChangedFields(shown, listChangedFields(resource, changes)) : shown;
  });
}

/** Reads rows by their ids. The caller may have written one that they can access no longer. */
async function readByIds(
  { model }: WrittenResource,
  ids: readonly string[],
  selection: Selection,
  { reader }: Context,
): Promise<Map<string, Row>> {
  const [id] = ids;
  if (id === undefined) return new Map();
  if (ids.length === 1) {
    const row = await reader.findUnique(model, { as: null, where: { id }, ...selection });
    return new Map(row ? [[id, row]] : []);
  }
  const rows = await reader.findMany(model, { as: null, where: { id: { in: ids } }, ...withId(selection) });
  return new Map(rows.map((row) => [idOf(row), row]));
}

/** A selection with the id, by which rows that were read are told apart. */
const withId = ({ select, ...others }: Selection): Selection => ({
  ...others,
  ...(select && { select: { ...select, id: true } }),
});

const idOf = (row: Row | null): string => String(row?.['id']);

/** Whether the statement that saves rows is the last: it returns all selected fields, and no hook follows. */
const isLastStatement = (resource: NewRows, { selection = {}, isPart }: StepOptions): boolean =>
  !isPart && isShown(resource, selection);

/** Whether the row that a statement has returned is what is selected of it. */
const isShown = ({ hooks }: NewRows, selection: Selection): boolean => onlyColumns(selection) && !hooks.afterOperation;

/** Whether a selection has columns only, which every write returns. */
const onlyColumns = ({ select = {} }: Selection): boolean => Object.values(select).every((value) => value === true);

/**
 * An update time that differs from the previous one even within a millisecond, so that the previous ETag does not match
 * again.
 */
function laterThan(update: StoredField | undefined, previous: Row | null): Row {
  const last = update && previous?.[update.name];
  return update && last instanceof Date ? { [update.name]: new Date(Math.max(Date.now(), last.getTime() + 1)) } : {};
}
