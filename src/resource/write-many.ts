// Writes several rows of a resource at once, with the same steps as for one.
import { setImmediate } from 'node:timers/promises';
import { type Context, inTransaction } from '../context.ts';
import { conflict, type FieldErrors, validationError } from '../errors.ts';
import { plural, words } from '../names.ts';
import { noSuch, violationOf } from './database-errors.ts';
import { modelFacts, type Row } from './model.ts';
import { checkRows } from './nested-items.ts';
import { tenantWhere } from './query.ts';
import type { Resource } from './resource.ts';
import { applyDefaults, assertTransitions, resolveCreate, validateRow } from './write.ts';
import { fillColumnDefaults, writableColumns } from './write-input.ts';

/** How many rows are prepared or inserted before other requests have their turn. */
const rowsAtOnce = 100;

/** Finds the errors of a batch's rows, without writing. @param name the field that contains them */
export function inspectRows(resource: Resource, name: string, inputs: readonly Row[], context: Context): FieldErrors {
  return check(resource, name, inputs, context).errors;
}

/**
 * Creates all of the rows, or none.
 *
 * @param name the field that contains them: errors are named by position, `items.3.sku`
 * @returns their ids, in order
 * @throws ServiceError VALIDATION_ERROR or CONFLICT
 */
export async function createRows(
  resource: Resource,
  name: string,
  inputs: readonly Row[],
  context: Context,
): Promise<string[]> {
  const { rows, errors } = check(resource, name, inputs, context);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  try {
    return await inTransaction(context, async (inner) => {
      const stored: Row[] = [];
      for (const [n, row] of rows.entries()) {
        // Most steps are synchronous, so without this other requests would be blocked.
        if (n > 0 && n % rowsAtOnce === 0) await setImmediate();
        const data = await applyDefaults(resource, { ...row, ...tenantWhere(resource.model, inner) }, inner);
        await validateRow(resource, data, null, inner);
        assertTransitions(resource, null, data);
        stored.push(await resolveCreate(resource, data, undefined, inner));
      }
      const saved = await saveAll(resource, stored, inner);
      for (const row of saved) await resource.hooks.afterOperation?.create?.({ context: inner, db: inner.db, row });
      return saved.map(({ id }) => String(id));
    });
  } catch (error) {
    const violation = violationOf(error);
    if (violation?.kind === 'unique') {
      throw conflict(
        `Some of these ${words(plural(resource.type))} already exist.`,
        await findDuplicates(resource, name, rows, context),
      );
    }
    if (violation?.kind === 'reference') throw validationError(await findDangling(resource, name, rows, context));
    throw error;
  }
}

/** Validates the input of all rows. @returns the data of each, and the errors by position */
function check(
  resource: Resource,
  name: string,
  inputs: readonly Row[],
  context: Context,
): { rows: Row[]; errors: FieldErrors } {
  const errors: FieldErrors = {};
  if (inputs.length === 0) errors[name] = 'must not be empty';
  const columns = writableColumns(resource, 'create');
  const rules = Object.fromEntries(columns.map((column) => [column, resource.fields[column]?.rule]));
  const rows = checkRows(resource.model, columns, rules, name, inputs, errors);
  for (const row of rows) fillColumnDefaults(resource, row, context);
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
