// Restores deleted rows from the log of changes. What was checked when they were written is not checked again, and no
// hook runs, as what follows from these rows has followed already: the constraints of the database decide alone.
import { type Context, inTransaction, inTransactionIf } from '../../context.ts';
import { conflict, type FieldErrors, notFound, ServiceError } from '../../errors.ts';
import { type DeletedRows, findDeletedRows, findMissing, insertDeletedRows } from '../../events/deleted-rows.ts';
import { findDeletion } from '../../events/deletions.ts';
import type { Occurrence } from '../../events/occurrences.ts';
import { lowerFirst } from '../../names.ts';
import { assertAllowed, decide } from '../access/decide.ts';
import type { Row, Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { findRow, rowExists, type Selection } from '../read/query.ts';
import { violationOf } from './database-errors.ts';
import { lockRow } from './lock.ts';

export { maxExamined as maxRestored } from '../../events/deleted-rows.ts';

/** How a row is restored. */
interface RestoreOptions {
  readonly context: Context;
  /** The resources of the API, which name what conflicts. */
  readonly resources: readonly Resource[];
  /** What the clock reports once of rows, and does not report again of restored ones. */
  readonly occurrences: readonly Occurrence[];
  readonly selection?: Selection;
  /** Limits the rows, for example to those of a parent. */
  readonly within?: Where;
  readonly dryRun?: boolean;
}

/**
 * Restores a deleted row with all rows that were deleted with it, and the references to them.
 *
 * @returns the selected fields of the row
 * @throws ServiceError NOT_FOUND for a row that was not deleted, or whose deletion the log or the caller does not know;
 *   INSUFFICIENT_SCOPE, or CONFLICT with what is in the way
 */
export async function restoreRow(resource: Resource, id: string, options: RestoreOptions): Promise<Row> {
  const { context, selection, within = {}, dryRun = false } = options;
  const { words, table, type, policies, model } = resource;
  const { caller, unscopedDb: db } = context;
  const restore = async (): Promise<Row> => {
    const deletion = await findDeletion(db, caller, { table, rowId: id });
    if (!deletion) {
      if (await rowExists(resource, id, context, within)) throw conflict(`This ${words.noun} is not deleted.`);
      throw notFound(words.noun);
    }
    // Others do not know what is deleted.
    if (caller.role !== 'ADMIN' && deletion.by !== caller.userId) throw notFound(words.noun);
    const asked = { type, policies, action: 'restore' } as const;
    const deleted = await findDeletedRows(db, caller, { xid: deletion.xid, root: { table, rowId: id } });
    await insertExplained(context, deleted, options);
    const row = await lockRow({ model, type, words }, id, context, within);
    assertAllowed(await decide(context, asked, { previous: row, data: {}, changes: {}, deletion }));
    return findRow(resource, id, {}, context, selection ?? {});
  };
  return dryRun ? inTransactionIf(context, () => false, restore) : inTransaction(context, restore);
}

/**
 * Inserts deleted rows in the current transaction.
 *
 * @throws ServiceError CONFLICT with what is in the way
 */
export async function insertExplained(
  context: Pick<Context, 'unscopedDb' | 'transaction'>,
  deleted: DeletedRows,
  { resources, occurrences }: Pick<RestoreOptions, 'resources' | 'occurrences'>,
): Promise<void> {
  const { unscopedDb: db, transaction } = context;
  try {
    // A savepoint, so that what is in the way can be looked for afterwards.
    await transaction(() => insertDeletedRows(db, deleted, occurrences));
  } catch (error) {
    throw await explainConflict(error, context, deleted, resources);
  }
}

async function explainConflict(
  error: unknown,
  { unscopedDb: db }: Pick<Context, 'unscopedDb'>,
  deleted: DeletedRows,
  resources: readonly Resource[],
): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  const violation = violationOf(error);
  const [root] = deleted.rows;
  const resourceOf = (table: string) => resources.find((each) => each.table === table);
  /** The name of a field, with its type where it is not of the restored row itself. */
  const named = (table: string, field: string) => {
    const type = table === root?.table ? undefined : resourceOf(table)?.type;
    return type === undefined ? field : `${lowerFirst(type)}.${field}`;
  };
  if (violation?.kind === 'reference') {
    const missing = await findMissing(db, deleted);
    const errors: FieldErrors = {};
    for (const { key, id } of missing) {
      const field = Object.values(resourceOf(key.child)?.stored ?? {}).find(({ column }) => column === key.column);
      const noun = resourceOf(key.parent)?.words.noun ?? 'row';
      errors[named(key.child, field?.name ?? key.column)] = `refers to the ${noun} ${id}, which there is no longer`;
    }
    return conflict('It refers to what there is no longer: restore that first.', errors);
  }
  if (violation?.kind === 'unique') {
    const { constraint = '' } = violation;
    const of = resources.find(({ uniques }) => constraint in uniques);
    const errors: FieldErrors = {};
    for (const column of of?.uniques[constraint] ?? []) errors[named(of?.table ?? '', column)] = 'is taken';
    return Object.keys(errors).length > 0
      ? conflict('What it had to itself is taken meanwhile.', errors)
      : conflict('It was restored, or another row has taken its place.');
  }
  return violation ? conflict('It conflicts with rows that were written meanwhile.') : error;
}
