// Validates the inputs of a write by themselves, before its transaction.

import type { Context } from '../../context.ts';
import { type FieldErrors, validationError } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { type Row, requiredColumns, type Stored, storedField } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { companyOf } from '../read/query.ts';
import { referenceErrors } from './database-errors.ts';
import {
  addMissing,
  checkFields,
  checkInput,
  type Input,
  type NewRows,
  requiredOfClient,
  writableColumns,
} from './input.ts';
import { checkRows } from './nested-items.ts';
import type { CheckedWrite, RowWrite, WriteOptions } from './options.ts';

/** How inputs are checked: those of hooks without the policies of the caller's role. */
type CheckOptions = WriteOptions & { readonly bySystem?: boolean };

/**
 * Validates the inputs alone. If they have errors, those that depend on stored rows are found too, so that a client
 * gets all at once.
 *
 * @throws ServiceError VALIDATION_ERROR with all errors
 */
export async function checkWrites(
  resource: NewRows,
  writes: readonly RowWrite[],
  options: CheckOptions,
): Promise<CheckedWrite[]> {
  const { data, errors } = await (options.name === undefined
    ? checkEach(resource, writes, options)
    : checkSeveral(resource, writes, { ...options, name: options.name }));
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return writes.map((write, n) => checkedWrite(resource, write, data[n] ?? {}, options));
}

/** The input of a write as it is checked: of a replacement with the defaults of what it leaves out. */
function inputOf(resource: NewRows, write: RowWrite, { context, required, bySystem }: CheckOptions): Input | undefined {
  switch (write.action) {
    case 'create':
      return { input: write.input, required: required ?? requiredOfClient(resource), context, bySystem };
    case 'update':
      return { input: write.input, required: undefined, context, bySystem };
    case 'replace': {
      const columns = writableColumns(resource, 'replace');
      const input = withDefaults(columnDefaults(resource, columns), write.input);
      return { input, required: requiredColumns(resource, columns), context };
    }
    case 'delete':
      return undefined;
  }
}

/** Checks inputs one after the other, up to the first that has errors. */
async function checkEach(resource: NewRows, writes: readonly RowWrite[], options: CheckOptions) {
  const rows: Row[] = [];
  for (const write of writes) {
    const given = inputOf(resource, write, options);
    const target = write.action === 'create' ? { parentId: options.parentId } : { id: write.id };
    const { data, errors } = given ? await checkInput(resource, target, given) : { data: {}, errors: {} };
    if (Object.keys(errors).length > 0) return { data: rows, errors };
    rows.push(data);
  }
  return { data: rows, errors: {} };
}

async function checkSeveral(
  resource: NewRows,
  writes: readonly RowWrite[],
  options: CheckOptions & { readonly name: string },
): Promise<{ data: Row[]; errors: FieldErrors }> {
  const { name, context } = options;
  const errors: FieldErrors = {};
  if (writes.length === 0) errors[name] = messages.notEmpty;
  // The reader of the body leaves out an input that it could not read.
  const isRead = (write: RowWrite) => write.action === 'delete' || (write.input as Row | undefined) !== undefined;
  const rows = writes.map((write) => (isRead(write) ? write : undefined));
  const data = await checkRows(name, rows, errors, (write) => {
    const given = inputOf(resource, write, options);
    return given
      ? checkFields(resource, write.action === 'create' ? 'create' : 'update', given)
      : { data: {}, errors: {} };
  });
  if (Object.keys(errors).length > 0) addMissing(errors, await findDangling(resource, name, data, context));
  return { data, errors };
}

function checkedWrite(
  resource: NewRows,
  write: RowWrite,
  data: Row,
  { parentId, context }: WriteOptions,
): CheckedWrite {
  if (write.action === 'create')
    return { action: 'create', data: { ...data, ...companyAndParent(resource, parentId, context) } };
  const { id, ifMatch } = write;
  return write.action === 'delete'
    ? { action: 'delete', id, data: {}, ifMatch }
    : { action: 'update', id, data, ifMatch };
}

/** The columns of a new row that no input sets: its company and parent. @throws Error for a sub-resource without one */
function companyAndParent({ type, roles, parent }: NewRows, parentId: string | undefined, context: Context): Row {
  if (parent && parentId === undefined)
    throw new Error(`${type} is created below its ${parent.resource.type}, whose id is missing.`);
  return { ...companyOf(roles, context), ...(parent && { [parent.column]: parentId }) };
}

/**
 * Finds the errors of several new rows, without writing.
 *
 * @param name the field of the input that contains them
 */
export async function inspectRows(
  resource: Resource,
  { name, inputs, context }: { readonly name: string; readonly inputs: readonly Row[]; readonly context: Context },
): Promise<FieldErrors> {
  const writes = inputs.map((input) => ({ action: 'create', input }) as const);
  const { data, errors } = await checkSeveral(resource, writes, { name, context });
  if (Object.keys(errors).length > 0) return errors;
  return findDangling(resource, name, data, context);
}

/** Finds the references of several rows that cannot be stored, by position; see `referenceErrors`. */
export async function findDangling(
  resource: NewRows,
  name: string,
  rows: readonly Row[],
  context: Context,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  for (const relation of Object.values(resource.relations)) {
    const column = relation.field.name;
    const ids = rows.flatMap((row) => row[column] ?? []).map(String);
    const found = await referenceErrors(resource, relation, ids, context);
    for (const [n, row] of rows.entries()) {
      const error = found.get(String(row[column]));
      if (error !== undefined) errors[`${name}.${n}.${column}`] = error;
    }
  }
  return errors;
}

/** Fills missing and null values of a body from `base`. */
const withDefaults = (base: Row, body: Row): Row => ({
  ...base,
  ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? base[name] ?? value])),
});

/** The values of a replaced row's columns that the body leaves out. */
const columnDefaults = (rows: Stored, columns: readonly string[]): Row =>
  Object.fromEntries(
    columns.flatMap((name) => {
      const { required, default: value } = storedField(rows, name);
      return required && value === undefined ? [] : [[name, value ?? null]];
    }),
  );
