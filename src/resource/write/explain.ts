import type { Context } from '../../context.ts';
import { conflict, type FieldErrors, type ServiceError, validationError } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { linksOf } from '../definition/list-below.ts';
import type { Row } from '../definition/model.ts';
import { hasAnyKey } from '../read/keyed.ts';
import { BelowError, withoutLinks } from './below.ts';
import { explainDatabaseError, findDangling, findMissingParent, violationOf } from './database-errors.ts';
import type { NewRows } from './input.ts';
import type { CheckedWrite, WriteOptions } from './options.ts';

/** The constraint of which rows hold which files; a file that the caller could read is gone when it is violated. */
const fileHeld = 'file_holds_company_id_file_id_fkey';

/** Converts constraint violations of a write to errors for the client; returns other errors unchanged. */
export async function explainWriteError(
  error: unknown,
  resource: NewRows,
  writes: readonly CheckedWrite[],
  { name, context }: WriteOptions,
): Promise<unknown> {
  const cause = error instanceof BelowError ? error.cause : error;
  if (violationOf(cause)?.constraint === fileHeld)
    return conflict('A file was deleted while the row was written. Send it again.');
  if (error instanceof BelowError) return explainBelow(error, context);
  const violation = violationOf(error);
  if (!violation) return error;
  const [write] = writes;
  const { noun, many } = resource.words;
  if (violation.kind === 'reference' && write?.action === 'delete' && writes.length === 1)
    return conflict(`Other records still refer to this ${noun}.`);
  if (name === undefined && write) return explainDatabaseError(error, resource, write.data, context, write.id);
  const rows = writes.map(({ data }) => data);
  const placeOf = (n: number) => `${name ?? ''}.${n}`;
  if (violation.kind === 'unique') return duplicates(resource, placeOf, writes, context);
  const missing = await findMissingParent(resource, rows[0] ?? {}, context);
  if (missing) return missing;
  const dangling = await findDangling(resource, placeOf, rows, context);
  return Object.keys(dangling).length === 0 && writes.some(({ action }) => action === 'delete')
    ? conflict(`Other records still refer to some of these ${many}.`)
    : validationError(dangling);
}

/** Explains why rows that others bring along cannot be stored. Those others are not stored either by now. */
async function explainBelow({ cause, below: { list, rows } }: BelowError, context: Context): Promise<unknown> {
  const { resource } = list;
  const placeOf = (n: number) => rows[n]?.place ?? '';
  const writes = rows.map(({ write }) => write);
  if (violationOf(cause)?.kind === 'unique') return duplicates(resource, placeOf, writes, context, linksOf(list));
  const errors = await findDangling(resource, placeOf, withoutLinks(list, rows), context);
  return Object.keys(errors).length > 0 ? validationError(errors) : cause;
}

/** The error for rows of which some exist already. @param unnamed columns that are no fields of the input */
async function duplicates(
  resource: NewRows,
  placeOf: (n: number) => string,
  writes: readonly CheckedWrite[],
  context: Context,
  unnamed: readonly string[] = resource.parent ? [resource.parent.column] : [],
): Promise<ServiceError> {
  const found = await findDuplicates(resource, placeOf, writes, context);
  const errors = Object.entries(found).filter(([place]) => !unnamed.includes(place.slice(place.lastIndexOf('.') + 1)));
  return conflict(`Some of these ${resource.words.many} already exist.`, Object.fromEntries(errors));
}

/** Finds the rows whose unique values are stored already in another row, or equal those of an earlier row. */
async function findDuplicates(
  { model, uniques }: NewRows,
  placeOf: (n: number) => string,
  writes: readonly CheckedWrite[],
  context: Context,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  for (const columns of [['id'], ...Object.values(uniques)]) {
    const keys = writes.map(({ data }) => keyOf(data, columns));
    const given = keys.filter((key) => key !== undefined);
    if (given.length === 0) continue;
    const select = Object.fromEntries(['id', ...columns].map((name) => [name, true]));
    // Values are unique in the company, also those of rows that the caller cannot access.
    const stored = await context.reader.findMany(model, { as: null, where: hasAnyKey(given), select });
    const takenBy = new Map(stored.map((row) => [JSON.stringify(keyOf(row, columns)), row['id']]));
    const first = new Map<string, number>();
    for (const [n, { id }] of writes.entries()) {
      const value = JSON.stringify(keys[n]);
      if (keys[n] === undefined) continue;
      const earlier = first.get(value);
      const error =
        takenBy.has(value) && takenBy.get(value) !== id
          ? 'is taken'
          : earlier !== undefined && messages.sameAs(placeOf(earlier));
      if (!error) first.set(value, n);
      else for (const each of columns) errors[`${placeOf(n)}.${each}`] = error;
    }
  }
  return errors;
}

/** The values of unique columns, in their order; undefined where one has none, as such rows are never the same. */
function keyOf(row: Readonly<Row>, columns: readonly string[]): Row | undefined {
  if (columns.length === 0 || columns.some((column) => row[column] == null)) return undefined;
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}
