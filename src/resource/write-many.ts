// Writes several rows of a resource at once, with the same steps as for one. All inputs are validated before the
// transaction; the steps up to the save are taken row by row, and all rows are saved together.

import { setImmediate } from 'node:timers/promises';
import { type Context, inTransaction } from '../context.ts';
import { conflict, type FieldErrors, ServiceError, validationError } from '../errors.ts';
import { messages } from '../input/index.ts';
import { plural, words } from '../names.ts';
import { findMissingParent, noSuch, violationOf } from './database-errors.ts';
import { modelFacts, type Row } from './model.ts';
import { checkRows, nameByPosition } from './nested-items.ts';
import { tenantWhere } from './query.ts';
import type { Resource } from './resource.ts';
import { companyAndParent, lockParent, prepareNewRow } from './write.ts';
import { addMissing, checkFields, requiredOfClient } from './write-input.ts';

/** How many rows are prepared or inserted before other requests have their turn. */
const rowsAtOnce = 100;

/** The input of a batch. */
export interface Batch {
  /** The field that contains the rows: errors are named by position, `items.3.sku`. */
  readonly name: string;
  readonly inputs: readonly Row[];
  readonly context: Context;
}

/** Finds the errors of a batch's rows, without writing. */
export async function inspectRows(resource: Resource, batch: Batch): Promise<FieldErrors> {
  const { rows, errors } = await checkBatch(resource, batch);
  if (Object.keys(errors).length > 0) return errors;
  return findDangling(resource, batch.name, rows, batch.context);
}

/**
 * Creates all of the rows, or none. They have no nested items, as one statement saves many rows.
 *
 * @param parentId the id of their parent, for a sub-resource
 * @returns their ids, in order
 * @throws ServiceError as `createRow` does, with fields named by the row's position
 */
export async function createRows(resource: Resource, parentId: string | undefined, batch: Batch): Promise<string[]> {
  const { name, context } = batch;
  const { rows: inputs, errors } = await checkBatch(resource, batch);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const rows = inputs.map((row) => ({ ...row, ...companyAndParent(resource, parentId, context) }));
  try {
    return await inTransaction(context, async () => {
      const parent = await lockParent(resource, parentId, context);
      const stored: Row[] = [];
      for (const [n, row] of rows.entries()) {
        // Most steps are synchronous, so without this other requests would be blocked.
        if (n > 0 && n % rowsAtOnce === 0) await setImmediate();
        stored.push(await runForRow(name, n, () => prepareNewRow(resource, row, parent, context)));
      }
      const saved = await saveAll(resource, stored, context);
      for (const [n, row] of saved.entries())
        await runForRow(name, n, () => resource.hooks.afterOperation?.create?.({ context, row }));
      return saved.map(({ id }) => String(id));
    });
  } catch (error) {
    throw await explainBatchError(error, resource, name, rows, context);
  }
}

/** Runs a step for one of the rows. @throws its error, with fields named by the row's position */
async function runForRow<T>(name: string, n: number, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.fieldErrors) throw error;
    throw new ServiceError(error.code, error.reason, nameByPosition(name, n, error.fieldErrors));
  }
}

/** Converts constraint violations to errors for the client; returns other errors unchanged. */
async function explainBatchError(
  error: unknown,
  resource: Resource,
  name: string,
  rows: readonly Row[],
  context: Context,
): Promise<unknown> {
  const violation = violationOf(error);
  if (violation?.kind === 'unique') {
    const message = `Some of these ${words(plural(resource.type))} already exist.`;
    return conflict(message, await findDuplicates(resource, name, rows, context));
  }
  if (violation?.kind === 'reference') {
    const missing = await findMissingParent(resource, rows[0] ?? {}, context);
    return missing ?? validationError(await findDangling(resource, name, rows, context));
  }
  return error;
}

/**
 * Validates the input of all rows before their transaction. If it has errors, references to no row are found too, as
 * `checkInput` does.
 *
 * @returns the data of each, and the errors by position
 */
async function checkBatch(
  resource: Resource,
  { name, inputs, context }: Batch,
): Promise<{ rows: Row[]; errors: FieldErrors }> {
  const errors: FieldErrors = {};
  if (inputs.length === 0) errors[name] = messages.notEmpty;
  const required = requiredOfClient(resource);
  const rows = await checkRows(name, inputs, errors, (input) =>
    checkFields(resource, 'create', { input, required, context }),
  );
  if (Object.keys(errors).length > 0) addMissing(errors, await findDangling(resource, name, rows, context));
  return { rows, errors };
}

/** Inserts in the order of unique values, so that two concurrent batches with common values do not deadlock. */
async function saveAll({ model }: Resource, rows: readonly Row[], { writer, at }: Context): Promise<Row[]> {
  const key = (row: Row) => JSON.stringify(uniqueColumns(model).map((column) => row[column] ?? ''));
  const sorted = rows
    .map((row, place) => ({ row, place, key: key(row) }))
    .sort((one, other) => compare(one.key, other.key));
  const saved: Row[] = [];
  for (let from = 0; from < sorted.length; from += rowsAtOnce) {
    const data = sorted.slice(from, from + rowsAtOnce).map(({ row }) => row);
    saved.push(...(await writer.createMany(model, data, { at })));
  }
  const inOrder: Row[] = [];
  for (const [n, row] of saved.entries()) inOrder[sorted[n]?.place ?? n] = row;
  return inOrder;
}

const compare = (one: string, other: string) => Number(one > other) - Number(one < other);

/** The columns whose values are unique within a company. */
const uniqueColumns = (model: Resource['model']): string[] =>
  Object.values(modelFacts(model).uniques).flatMap((columns) => {
    const own = columns.filter((column) => column !== 'companyId');
    return own.length === 1 ? own : [];
  });

/** Finds the rows whose unique values are stored already, or equal those of an earlier row. */
async function findDuplicates({ model }: Resource, name: string, rows: readonly Row[], context: Context) {
  const errors: FieldErrors = {};
  for (const column of uniqueColumns(model)) {
    const values = rows.flatMap((row) => row[column] ?? []);
    const where = { ...tenantWhere(model, context), [column]: { in: values } };
    const stored = await context.reader.findMany(model, { where, select: { [column]: true } });
    const taken = new Set(stored.map((row) => row[column]));
    const first = new Map<unknown, number>();
    for (const [n, row] of rows.entries()) {
      const value = row[column];
      if (value == null) continue;
      const earlier = first.get(value);
      if (taken.has(value)) errors[`${name}.${n}.${column}`] = 'is taken';
      else if (earlier !== undefined) errors[`${name}.${n}.${column}`] = `is the same as in ${name}.${earlier}`;
      else first.set(value, n);
    }
  }
  return errors;
}

/** Finds the references to rows that the company does not have. */
async function findDangling({ model }: Resource, name: string, rows: readonly Row[], context: Context) {
  const errors: FieldErrors = {};
  for (const [column, target] of Object.entries(modelFacts(model).references)) {
    const ids = rows.flatMap((row) => row[column] ?? []);
    if (ids.length === 0) continue;
    const where = { ...tenantWhere(target, context), id: { in: ids } };
    const found = await context.reader.findMany(target, { where, select: { id: true } });
    const known = new Set(found.map(({ id }) => id));
    for (const [n, row] of rows.entries()) {
      if (row[column] != null && !known.has(row[column])) errors[`${name}.${n}.${column}`] = noSuch(target);
    }
  }
  return errors;
}
