// Validates the inputs of a write by themselves, before its transaction.

import type { Context } from '../../context.ts';
import { type FieldErrors, validationError } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { type Row, requiredColumns, type Stored, storedField } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { type Brought, gatherBelow, inspectBelow, type RowsBelow } from './below.ts';
import { findDangling, findDanglingBelow } from './database-errors.ts';
import {
  addMissing,
  type CheckedInput,
  checkFields,
  checkInput,
  type Input,
  type NewRows,
  newRow,
  requiredOfClient,
  writableColumns,
} from './input.ts';
import { checkRows, maxWrites } from './nested-items.ts';
import type { CheckedWrite, RowWrite, Upsert, WriteOptions } from './options.ts';

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
  const { rows, errors } = await (options.name === undefined
    ? checkEach(resource, writes, options)
    : checkSeveral(resource, writes, { ...options, name: options.name }));
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return writes.map((write, n) => checkedWrite(resource, write, rows[n] ?? nothing, options));
}

/** The rows of inputs that were checked, in their order, and the errors of all. */
interface CheckedRows {
  readonly rows: readonly Pick<CheckedInput, 'data' | 'below'>[];
  readonly errors: FieldErrors;
}

/** The input of a deletion, which has none. */
const nothing: CheckedInput = { data: {}, errors: {}, below: [] };

/** The input of a write as it is checked: of a replacement with the defaults of what it leaves out. */
function inputOf(resource: NewRows, write: RowWrite, options: CheckOptions): Input | undefined {
  const { context, required, bySystem, parentId, listsBelow } = options;
  switch (write.action) {
    case 'create': {
      const given = { required: required ?? requiredOfClient(resource), context, bySystem };
      return { ...given, input: write.input, parentId, listsBelow };
    }
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
async function checkEach(resource: NewRows, writes: readonly RowWrite[], options: CheckOptions): Promise<CheckedRows> {
  const rows: CheckedInput[] = [];
  for (const write of writes) {
    const given = inputOf(resource, write, options);
    const target = write.action === 'create' ? { parentId: options.parentId } : { id: write.id };
    const checked = given ? await checkInput(resource, target, given) : nothing;
    if (Object.keys(checked.errors).length > 0) return { rows, errors: checked.errors };
    rows.push(checked);
  }
  return { rows, errors: {} };
}

async function checkSeveral(
  resource: NewRows,
  writes: readonly (RowWrite | undefined)[],
  options: CheckOptions & { readonly name: string },
): Promise<CheckedRows> {
  const { name, context } = options;
  const errors: FieldErrors = {};
  if (writes.length === 0) errors[name] = messages.notEmpty;
  // The reader of the body leaves out an input that it could not read.
  const rows = writes.map((write) => (write?.action === 'delete' || write?.input !== undefined ? write : undefined));
  const below = new Map<RowWrite, readonly RowsBelow[]>();
  const check = async (write: RowWrite) => {
    const given = inputOf(resource, write, options);
    if (!given) return nothing;
    const checked = await checkFields(resource, write.action === 'create' ? 'create' : 'update', given);
    below.set(write, checked.below);
    return checked;
  };
  const data = await checkRows(name, rows, errors, check, maxWrites);
  const checked = data.map((row, n) => ({ data: row, below: below.get(rows[n] as RowWrite) ?? [] }));
  if (Object.keys(errors).length > 0) addMissing(errors, await findDanglingOfAll(resource, name, checked, context));
  return { rows: checked, errors };
}

/** Finds the references of several rows, and of those that they bring along, that cannot be stored. */
async function findDanglingOfAll(
  resource: NewRows,
  name: string,
  rows: CheckedRows['rows'],
  context: Context,
): Promise<FieldErrors> {
  const placeOf = (n: number) => `${name}.${n}`;
  const data = rows.map((row) => row.data);
  const below = gatherBelow(rows.map((row, n) => ({ place: placeOf(n), below: row.below })));
  return {
    ...(await findDangling(resource, placeOf, data, context)),
    ...(await findDanglingBelow(below, context)),
  };
}

function checkedWrite(
  resource: NewRows,
  write: RowWrite,
  checked: Pick<CheckedInput, 'data' | 'below'>,
  { parentId, context }: WriteOptions,
): CheckedWrite {
  if (write.action === 'create') return newRow(resource, checked, parentId, context);
  const { id, ifMatch } = write;
  const { data } = checked;
  return write.action === 'delete'
    ? { action: 'delete', id, data: {}, ifMatch }
    : { action: 'update', id, data, ifMatch };
}

/**
 * Finds the errors of several rows, without writing.
 *
 * @param writes those that could be read
 * @param options.name the field of the input that contains them
 */
export async function inspectRows(
  resource: Resource,
  writes: readonly (RowWrite | undefined)[],
  options: Pick<WriteOptions, 'context' | 'parentId' | 'listsBelow'> & { readonly name: string },
): Promise<FieldErrors> {
  const { name, context } = options;
  const brought = broughtBy(resource, writes, options);
  if (Object.keys(brought.errors).length > 0) return brought.errors;
  const { rows, errors } = await checkSeveral(resource, writes, options);
  if (Object.keys(errors).length > 0) return errors;
  return findDanglingOfAll(resource, name, rows, context);
}

/** What the new rows of a list of writes bring along; see `inspectBelow`. */
export const broughtBy = (
  resource: Pick<Resource, 'type'>,
  writes: readonly (RowWrite | Upsert | undefined)[],
  options: Pick<WriteOptions, 'context' | 'listsBelow'> & { readonly name: string },
): Brought => {
  const inputs = writes.map((write, n) => ({
    place: `${options.name}.${n}`,
    input: write?.action === 'create' ? write.input : undefined,
  }));
  return inspectBelow(resource, inputs, writes.length, options);
};

/** Fills missing and null values of a body from `base`. */
const withDefaults = (base: Row, body: Row): Row => ({
  ...base,
  ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? base[name] ?? value])),
});

/** The values of a replaced row's columns that the body leaves out. */
const columnDefaults = (rows: Stored, columns: readonly string[]): Row =>
  Object.fromEntries(
    columns.flatMap((name): [string, unknown][] => {
      const { required, list, default: value } = storedField(rows, name);
      if (list) return [[name, []]];
      return required && value === undefined ? [] : [[name, value ?? null]];
    }),
  );
