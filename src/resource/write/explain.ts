import type { Context } from '../../context.ts';
import { conflict, type FieldErrors, validationError } from '../../errors.ts';
import { uniqueColumns } from '../definition/model.ts';
import { findDangling } from './check.ts';
import { explainDatabaseError, findMissingParent, violationOf } from './database-errors.ts';
import type { NewRows } from './input.ts';
import type { CheckedWrite, WriteOptions } from './options.ts';

/** Converts constraint violations of a write to errors for the client; returns other errors unchanged. */
export async function explainWriteError(
  error: unknown,
  resource: NewRows,
  writes: readonly CheckedWrite[],
  { name, context }: WriteOptions,
): Promise<unknown> {
  const violation = violationOf(error);
  if (!violation) return error;
  const [write] = writes;
  const deletes = writes.every(({ action }) => action === 'delete');
  if (deletes && violation.kind === 'reference')
    return conflict(
      writes.length === 1
        ? `Other records still refer to this ${resource.words.noun}.`
        : `Other records still refer to some of these ${resource.words.many}.`,
    );
  if (name === undefined && write) return explainDatabaseError(error, resource, write.data, context, write.id);
  const rows = writes.map(({ data }) => data);
  if (violation.kind === 'unique') {
    const message = `Some of these ${resource.words.many} already exist.`;
    return conflict(message, await findDuplicates(resource, name ?? '', writes, context));
  }
  const missing = await findMissingParent(resource, rows[0] ?? {}, context);
  return missing ?? validationError(await findDangling(resource, name ?? '', rows, context));
}

/** Finds the rows whose unique values are stored already in another row, or equal those of an earlier row. */
async function findDuplicates(
  resource: NewRows,
  name: string,
  writes: readonly CheckedWrite[],
  context: Context,
): Promise<FieldErrors> {
  const { model } = resource;
  const errors: FieldErrors = {};
  for (const column of ['id', ...uniqueColumns(resource)]) {
    const values = writes.flatMap(({ data }) => data[column] ?? []);
    const where = { [column]: { in: values } };
    // Values are unique in the company, also those of rows that the caller cannot access.
    const stored = await context.reader.findMany(model, { as: null, where, select: { id: true, [column]: true } });
    const takenBy = new Map(stored.map((row) => [row[column], row['id']]));
    const first = new Map<unknown, number>();
    for (const [n, { id, data }] of writes.entries()) {
      const value = data[column];
      if (value == null) continue;
      const earlier = first.get(value);
      if (takenBy.has(value) && takenBy.get(value) !== id) errors[`${name}.${n}.${column}`] = 'is taken';
      else if (earlier !== undefined) errors[`${name}.${n}.${column}`] = `is the same as in ${name}.${earlier}`;
      else first.set(value, n);
    }
  }
  return errors;
}
