import { type Context, timeOf } from '../../context.ts';
import { isApiField } from '../../database/read/models.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Rule } from '../../fields/index.ts';
import { messages } from '../../input/index.ts';
import { spaced } from '../../names.ts';
import { findFieldErrors } from '../access/decide.ts';
import { type ModelName, type Row, type Rows, requiredColumns } from '../definition/model.ts';
import type { ConvertInput, Resource } from '../definition/resource.ts';
import { checkBody } from '../definition/validate.ts';
import { getOrCreate } from '../get-or-create.ts';
import { findDanglingReferences } from './database-errors.ts';
import { type Checked, checkNestedItems } from './nested-items.ts';

/** The parts of a resource that creating rows needs. */
export interface NewRows<Model extends ModelName = ModelName>
  extends Rows<Model>,
    Pick<Resource<Model>, 'type' | 'policies' | 'parent' | 'fields' | 'actions' | 'nestedItems' | 'hooks'> {
  readonly graphql: { readonly extraInput?: { readonly resolve: ConvertInput<ModelName> } };
}

/** The row that an input is for: a new one, below `parentId` if it is a sub-resource's, or the one with this id. */
export type WriteTarget = { readonly id?: undefined; readonly parentId?: string } | { readonly id: string };

/** A client's input. */
export interface Input {
  readonly input: Readonly<Row>;
  /** The required columns; undefined for a change of some columns. */
  readonly required: readonly string[] | undefined;
  readonly context: Context;
  /** Whether a hook gives it, which no role limits. */
  readonly bySystem?: boolean;
}

/** The columns that clients may write. */
export const writableColumns = (
  { fields, parent, actions }: NewRows,
  action: 'create' | 'update' | 'replace',
): string[] =>
  Object.entries(fields).flatMap(([column, { readOnly, createOnly }]) => {
    if (readOnly || column === parent?.column || !actions.includes(action)) return [];
    return createOnly && action !== 'create' ? [] : [column];
  });

const required = new WeakMap<NewRows, readonly string[]>();

/** The columns that a client must give of a new row: those without any default. */
export const requiredOfClient = (resource: NewRows): readonly string[] =>
  getOrCreate(required, resource, ({ fields }) =>
    requiredColumns(resource, writableColumns(resource, 'create')).filter((column) => !fields[column]?.default),
  );

/** The rules for the values of fields, by column. */
export const rulesOf = (
  fields: Readonly<Record<string, { readonly rule?: Rule }>>,
): Readonly<Record<string, Rule | undefined>> =>
  Object.fromEntries(Object.entries(fields).map(([column, { rule }]) => [column, rule]));

/**
 * Validates the input of a write before its transaction. If it has errors, those that depend on stored rows are found
 * too, so that a client gets all at once; otherwise the steps that follow find them.
 *
 * @returns the columns to write, and all errors
 */
export async function checkInput(resource: NewRows, target: WriteTarget, given: Input): Promise<Checked> {
  const { data, errors } = await checkFields(resource, target.id === undefined ? 'create' : 'update', given);
  if (Object.keys(errors).length > 0)
    addMissing(errors, await findFurtherErrors(resource, target, data, errors, given));
  return { data, errors };
}

/**
 * Validates an input by itself: types, lengths, rules, nested items, the fields that the caller's role may not set, and
 * the order of dates. Only extra input may be compared with stored rows.
 */
export async function checkFields(
  resource: NewRows,
  action: 'create' | 'update',
  { input, required, context, bySystem }: Input,
): Promise<Checked> {
  const { fields, graphql } = resource;
  const { data, errors } = checkBody(input, resource, rulesOf(fields), required);
  await checkNestedItems(resource, input, data, errors);
  if (!bySystem) addMissing(errors, findFieldErrors(context, { ...resource, action }, input));
  if (graphql.extraInput) addMissing(errors, await graphql.extraInput.resolve({ context, input, data }));
  if (action === 'create') fillColumnDefaults(resource, data, context);
  addMissing(errors, orderErrors(resource, data, data));
  return { data, errors };
}

/** Adds the errors of fields that have none yet: a later check may know only that the value was not accepted. */
export function addMissing(errors: FieldErrors, more: FieldErrors): void {
  Object.assign(errors, { ...more, ...errors });
}

/** Finds all errors of an input, without writing. */
export async function inspectInput(resource: NewRows, target: WriteTarget, given: Input): Promise<FieldErrors> {
  const { data, errors } = await checkInput(resource, target, given);
  if (Object.keys(errors).length > 0) return errors;
  return findFurtherErrors(resource, target, data, errors, given);
}

/** Finds errors that depend on stored rows. */
async function findFurtherErrors(
  resource: NewRows,
  target: WriteTarget,
  data: Row,
  errors: FieldErrors,
  { context, bySystem = false }: Input,
): Promise<FieldErrors> {
  const { model, hooks, parent } = resource;
  const dangling = await findDanglingReferences(resource, data, context, target.id);
  if (!hooks.validate) return dangling;
  const previous =
    target.id === undefined ? null : await context.reader.findUnique(model, { as: null, where: { id: target.id } });
  // The other checks need the row to exist.
  if (target.id !== undefined && !previous) return dangling;
  const given = target.id === undefined && parent ? { ...data, [parent.column]: target.parentId } : data;
  const row = { ...previous, ...given };
  return { ...dangling, ...(await hooks.validate({ context, data: given, previous, row, errors, bySystem })) };
}

/** Sets the defaults that columns have: constants and the time of the write. Rules between columns may read them. */
function fillColumnDefaults({ stored }: NewRows, data: Row, context: Context): void {
  const clock = { now: timeOf(context), timeZone: context.caller.timeZone };
  for (const field of Object.values(stored)) {
    const { name, default: value, now, role } = field;
    // Timestamps are set when the row is stored, which may be after waiting for a lock.
    if (role === 'creation' || role === 'update' || !isApiField(field)) continue;
    if (now) data[name] ??= field.type.calendar?.now(clock);
    else if (value !== undefined) data[name] ??= field.type.constant(value);
  }
}

/** Finds dates and times that precede those they must not precede, where `data` sets one of the two. */
export function orderErrors({ fields }: NewRows, row: Readonly<Row>, data: Readonly<Row>): FieldErrors {
  const errors: FieldErrors = {};
  for (const [last, { notBefore: first }] of Object.entries(fields)) {
    if (!first || !(first in data || last in data)) continue;
    const [start, end] = [row[first], row[last]];
    if (start instanceof Date && end instanceof Date && end < start) errors[last] = messages.notBefore(spaced(first));
  }
  return errors;
}
