import { type Context, timeOf } from '../../context.ts';
import { isApiField } from '../../database/read/models.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Rule } from '../../fields/index.ts';
import { messages } from '../../input/index.ts';
import { spaced } from '../../names.ts';
import { findFieldErrors } from '../access/decide.ts';
import { type ListsBelow, linksOf } from '../definition/list-below.ts';
import { type ModelName, type Row, type Rows, requiredColumns } from '../definition/model.ts';
import type { ConvertInput, Resource } from '../definition/resource.ts';
import { checkBody } from '../definition/validate.ts';
import { getOrCreate } from '../get-or-create.ts';
import { companyOf } from '../read/query.ts';
import { type CheckedNew, gatherBelow, inspectBelow, type PlacedNew, type RowsBelow, rowsIn } from './below.ts';
import { findDanglingBelow, findDanglingReferences } from './database-errors.ts';
import { type Checked, checkNestedItems, nameByPosition } from './nested-items.ts';

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
  /** The parent of a new row, for a sub-resource. */
  readonly parentId?: string | undefined;
  /** The lists that a new row can bring along; none by default. */
  readonly listsBelow?: ListsBelow | undefined;
}

/** An input that was checked, with the rows that the new row brings along. */
export interface CheckedInput extends Checked {
  readonly below: readonly RowsBelow[];
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
export async function checkInput(resource: NewRows, target: WriteTarget, given: Input): Promise<CheckedInput> {
  const isNew = target.id === undefined;
  const own = isNew ? { ...given, parentId: target.parentId } : given;
  const checked = await checkFields(resource, isNew ? 'create' : 'update', own);
  const { errors } = checked;
  if (Object.keys(errors).length > 0) addMissing(errors, await findFurtherErrors(resource, target, checked, given));
  return checked;
}

/**
 * Validates an input by itself: types, lengths, rules, nested items, the fields that the caller's role may not set, and
 * the order of dates. Only extra input may be compared with stored rows. The rows that a new row brings along are
 * validated in the same way, and their errors are named by place.
 *
 * @param linked the columns by which a row that is brought along refers to the row above it
 */
export async function checkFields(
  resource: NewRows,
  action: 'create' | 'update',
  given: Input,
  linked: Readonly<Row> = {},
): Promise<CheckedInput> {
  const { input, required, context, bySystem } = given;
  const { fields, graphql } = resource;
  const { data, errors } = checkBody(input, resource, rulesOf(fields), required);
  Object.assign(data, linked);
  await checkNestedItems(resource, input, data, errors);
  if (!bySystem) addMissing(errors, findFieldErrors(context, { ...resource, action }, input));
  if (graphql.extraInput) addMissing(errors, await graphql.extraInput.resolve({ context, input, data }));
  if (action === 'create') fillColumnDefaults(resource, data, context);
  addMissing(errors, orderErrors(resource, data, data));
  if (action !== 'create') return { data, errors, below: [] };
  addMissing(errors, externalIdErrors(resource, data, data));
  return { data, errors, below: await checkBelow(resource, data, errors, given) };
}

/** Checks the rows that a new row brings along, and gives that row an id, to which they refer. */
async function checkBelow(resource: NewRows, data: Row, errors: FieldErrors, given: Input): Promise<RowsBelow[]> {
  const { input, context, listsBelow, parentId } = given;
  const found: RowsBelow[] = [];
  for (const list of listsBelow?.(resource) ?? []) {
    const rows = rowsIn(input, list);
    if (!rows) continue;
    const id = String((data['id'] ??= resource.roles.key?.type.create?.(timeOf(context))));
    const { relation, column, resource: below } = list;
    const above = below.parent?.column === column ? id : parentId;
    const links = linksOf(list);
    const required = requiredOfClient(below).filter((name) => !links.includes(name));
    const placed: PlacedNew[] = [];
    for (const [n, row] of rows.entries()) {
      // The reader has reported an error for a row that it could not read.
      if (!row) continue;
      const own = { ...given, input: row, required, parentId: above };
      const checked = await checkFields(below, 'create', own, { [column]: id });
      Object.assign(errors, nameByPosition(relation, n, checked.errors));
      placed.push({ place: `${relation}.${n}`, write: newRow(below, checked, above, context) });
    }
    found.push({ list, rows: placed });
  }
  return found;
}

/** A new row, with the columns that no input sets. */
export const newRow = (
  resource: NewRows,
  { data, below }: Pick<CheckedInput, 'data' | 'below'>,
  parentId: string | undefined,
  context: Context,
): CheckedNew => ({ action: 'create', data: { ...data, ...companyAndParent(resource, parentId, context) }, below });

/** The columns of a new row that no input sets: its company and parent. @throws Error for a sub-resource without one */
function companyAndParent({ type, roles, parent }: NewRows, parentId: string | undefined, context: Context): Row {
  if (parent && parentId === undefined)
    throw new Error(`${type} is created below its ${parent.resource.type}, whose id is missing.`);
  return { ...companyOf(roles, context), ...(parent && { [parent.column]: parentId }) };
}

/** Adds the errors of fields that have none yet: a later check may know only that the value was not accepted. */
export function addMissing(errors: FieldErrors, more: FieldErrors): void {
  Object.assign(errors, { ...more, ...errors });
}

/** Finds all errors of an input, without writing. */
export async function inspectInput(resource: NewRows, target: WriteTarget, given: Input): Promise<FieldErrors> {
  const brought = inspectBelow(resource, [{ place: '', input: given.input }], 1, given);
  if (Object.keys(brought.errors).length > 0) return brought.errors;
  const checked = await checkInput(resource, target, given);
  if (Object.keys(checked.errors).length > 0) return checked.errors;
  return findFurtherErrors(resource, target, checked, given);
}

/** Finds errors that depend on stored rows. */
async function findFurtherErrors(
  resource: NewRows,
  target: WriteTarget,
  { data, errors, below }: CheckedInput,
  { context, bySystem = false }: Input,
): Promise<FieldErrors> {
  const { model, hooks, parent } = resource;
  const dangling = {
    ...(await findDanglingReferences(resource, data, context, target.id)),
    ...(await findDanglingBelow(gatherBelow([{ place: '', below }]), context)),
  };
  if (!hooks.validate && !setsExternalId(resource, data)) return dangling;
  const previous =
    target.id === undefined ? null : await context.reader.findUnique(model, { as: null, where: { id: target.id } });
  // The other checks need the row to exist.
  if (target.id !== undefined && !previous) return dangling;
  const given = target.id === undefined && parent ? { ...data, [parent.column]: target.parentId } : data;
  const row = { ...previous, ...given };
  return {
    ...dangling,
    ...externalIdErrors(resource, row, data),
    ...(await hooks.validate?.({ context, data: given, previous, row, errors, bySystem })),
  };
}

const setsExternalId = ({ roles: { externalSource, externalId } }: NewRows, data: Readonly<Row>): boolean =>
  [externalSource, externalId].some((field) => field !== undefined && field.name in data);

/** Finds out whether a row has one of the two without the other: its id in another system, and that system. */
export function externalIdErrors(resource: NewRows, row: Readonly<Row>, data: Readonly<Row>): FieldErrors {
  const { externalSource: source, externalId: id } = resource.roles;
  if (!source || !id || !setsExternalId(resource, data)) return {};
  const [given, missing] = row[source.name] == null ? [id, source] : [source, id];
  if (row[given.name] == null || row[missing.name] != null) return {};
  return { [missing.name]: messages.requiredWith(spaced(given.name)) };
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
