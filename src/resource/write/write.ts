// The steps of a write: validate → lock → decide → match the ETag → set defaults → validate the row → transition →
// resolve input → decide by the changes → save → after → answer. Whether scope and role allow the operation at all is
// decided before a resolver runs. Everything from the lock on runs in one transaction, of one row or of many:
// `steps.ts` takes the steps up to the save, `save.ts` those from there.
import { inTransaction, inTransactionIf } from '../../context.ts';
import { validationError } from '../../errors.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { inspectBelow } from './below.ts';
import { checkWrites } from './check.ts';
import { explainWriteError } from './explain.ts';
import type { NewRows } from './input.ts';
import type { RowWrite, Upsert, WriteOptions, WrittenResource, WrittenRow } from './options.ts';
import { takeSteps } from './steps.ts';
import { resolveUpserts } from './upsert.ts';

/** How often a write is tried whose row is created or deleted by somebody else meanwhile. */
const maxAttempts = 3;

/**
 * Writes rows of a resource one after the other, all of them or none. Rows whose resource allows it are saved together.
 *
 * @returns the selected fields of each row, in the order given: of a deleted row those before its deletion, of an
 *   updated one also which fields were changed; see `changedFieldsOf`
 * @throws ServiceError VALIDATION_ERROR, NOT_FOUND (of a row or the parent), PRECONDITION_FAILED, INSUFFICIENT_SCOPE or
 *   CONFLICT
 */
export const writeRows = async (
  resource: Resource,
  writes: readonly (RowWrite | Upsert)[],
  options: WriteOptions,
): Promise<Row[]> => (await writeEach(resource, writes, options)).map(({ row }) => row);

/** Does the same. @returns what was done with each row, too */
export async function writeEach(
  resource: Resource,
  writes: readonly (RowWrite | Upsert)[],
  options: WriteOptions,
): Promise<WrittenRow[]> {
  const isKnown = (write: RowWrite | Upsert): write is RowWrite => write.action !== 'upsert';
  if (writes.every(isKnown)) return writeKnown(resource, writes, options);
  let resolved = await resolveUpserts(resource, writes, options.context);
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeKnown(resource, resolved, options);
    } catch (error) {
      const before = resolved;
      resolved = await resolveUpserts(resource, writes, options.context);
      const isSame = before.every(({ action }, n) => action === resolved[n]?.action);
      if (isSame || attempt === maxAttempts) throw error;
    }
  }
}

async function writeKnown(
  resource: WrittenResource,
  writes: readonly RowWrite[],
  options: WriteOptions,
): Promise<WrittenRow[]> {
  const { context, dryRun } = options;
  const checked = await checkWrites(resource, writes, options);
  try {
    const steps = () => takeSteps(resource, checked, { ...options, bySystem: false, isPart: dryRun });
    return await (dryRun ? inTransactionIf(context, () => false, steps) : inTransaction(context, steps));
  } catch (error) {
    throw await explainWriteError(error, resource, checked, options);
  }
}

/** Writes one row. @throws ServiceError as `writeRows` does */
const writeRow = async (
  resource: WrittenResource,
  write: RowWrite,
  options: Omit<WriteOptions, 'name'>,
): Promise<Row> => only(await writeKnown(resource, [write], options)).row;

function only(rows: readonly WrittenRow[]): WrittenRow {
  const [row] = rows;
  if (!row) throw new Error('The write returned no row.');
  return row;
}

/**
 * Creates a row, with those that it brings along.
 *
 * @returns the selected fields of the row
 * @throws ServiceError VALIDATION_ERROR, NOT_FOUND (of the parent), INSUFFICIENT_SCOPE or CONFLICT
 */
export async function createRow(
  resource: NewRows,
  input: Readonly<Row>,
  options: Omit<WriteOptions, 'name'>,
): Promise<Row> {
  const { count, errors } = inspectBelow(resource, [{ place: '', input }], 1, options);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  if (count > 0) await options.context.countRows?.(1 + count);
  return writeRow(resource, { action: 'create', input }, options);
}

/**
 * Updates a row, replaces or deletes it. If nothing differs, nothing is written.
 *
 * @returns as `writeRows` does
 * @throws ServiceError VALIDATION_ERROR, NOT_FOUND, PRECONDITION_FAILED, INSUFFICIENT_SCOPE or CONFLICT
 */
export const changeRow = (
  resource: Resource,
  write: Exclude<RowWrite, { readonly action: 'create' }>,
  options: Omit<WriteOptions, 'name'>,
): Promise<Row> => writeRow(resource, write, options);
