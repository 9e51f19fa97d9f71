// The steps of a write: validate → lock → authorize → match the ETag → set defaults → validate the row → transition →
// resolve input → authorize changes → save → after → answer. Only updates and deletions match an ETag, only creations
// set defaults, only updates authorize changes, and a deletion goes from the ETag to the save. The scope, and whether
// the role may run the operation at all, are checked before a resolver runs. Everything from the lock on runs in one
// transaction.
import { assertRoleForChanges, assertRoleForRow, type BoundedAction } from '../auth/roles.ts';
import { type Context, inTransaction } from '../context.ts';
import { conflict, type FieldErrors, notFound, validationError } from '../errors.ts';
import { words } from '../names.ts';
import { findChanges, listChangedFields, withChangedFields } from './changes.ts';
import { explainDatabaseError, findDanglingReferences, violationOf } from './database-errors.ts';
import { checkMatch, etagOf, etagSelection } from './etag.ts';
import { lockRow } from './lock.ts';
import { and, enumOf, type Row, type Where } from './model.ts';
import { storeNestedItems } from './nested-items.ts';
import { type Selection, tenantWhere, uniqueWhere } from './query.ts';
import type { Resource } from './resource.ts';
import { assertTransition } from './transitions.ts';
import { addMissing, checkInput, type Input, type NewRows, orderErrors, type WriteTarget } from './write-input.ts';

/** The input and the conditions of a write. */
interface WriteRequest extends Input {
  /** The fields to return of the written row. */
  readonly selection: Selection;
  /** The ETag that the row must have; see `checkMatch`. */
  readonly ifMatch?: string;
}

/**
 * Creates a row.
 *
 * @param parentId the parent's id, for a sub-resource
 * @returns the selected fields of the row
 * @throws ServiceError VALIDATION_ERROR, NOT_FOUND (of the parent) or CONFLICT
 */
export async function createRow(resource: NewRows, parentId: string | undefined, request: WriteRequest): Promise<Row> {
  const { context } = request;
  const input = {
    ...(await validateInput(resource, { parentId }, request)),
    ...companyAndParent(resource, parentId, context),
  };
  return transact(resource, input, request, async () => {
    const parent = await lockParent(resource, parentId, context);
    const stored = await prepareNewRow(resource, input, parent, context);
    const row = await save(resource, stored, isLastStatement(resource, request.selection), context);
    await resource.hooks.afterOperation?.create?.({ context, row });
    return answer(resource, row, request.selection, context);
  });
}

/**
 * Takes the steps of a new row between its parent's lock and its save, as a batch does for each row: authorize, set
 * defaults, validate the row, transition, resolve input.
 *
 * @param input the client's input, with the company and the parent
 * @param parent the locked parent, where the resource locks it
 * @returns the data to store, as Prisma's arguments
 */
export async function prepareNewRow(
  resource: NewRows,
  input: Row,
  parent: Row | undefined,
  context: Context,
): Promise<Row> {
  await authorize(resource, 'create', null, input, context);
  const data = await applyDefaults(resource, input, context);
  await validateRow(resource, data, null, context);
  assertTransitions(resource, null, data);
  return resolveCreate(resource, data, parent, context);
}

/**
 * Updates a row, or replaces it: then the input has a value for all of its columns. If nothing differs, nothing is
 * written.
 *
 * @param within limits the rows, for example to those of a parent
 * @returns the selected fields of the row, and which of its fields were changed; see `changedFieldsOf`
 * @throws ServiceError VALIDATION_ERROR, NOT_FOUND, PRECONDITION_FAILED or CONFLICT
 */
export async function updateRow(resource: Resource, id: string, within: Where, request: WriteRequest): Promise<Row> {
  const { context } = request;
  const data = await validateInput(resource, { id }, request);
  return transact(resource, data, request, async () => {
    const previous = await lock(resource, id, within, context);
    await authorize(resource, 'update', previous, data, context);
    await assertMatch(resource, previous, request, context);
    await validateRow(resource, data, previous, context);
    assertTransitions(resource, previous, data);
    const resolved = await resolveUpdate(resource, data, previous, context);
    const changes = await findChanges(resource, resolved, previous, context);
    if (Object.keys(changes).length === 0) return answer(resource, previous, request.selection, context);
    assertRoleForChanges(context.caller, resource.type, previous, changes);
    await resource.hooks.authorizeChanges?.({ context, previous, changes });
    const row = await saveChange(resource, changes, previous, request, context);
    await resource.hooks.afterOperation?.update?.({ context, previous, row });
    const shown = await answer(resource, row, request.selection, context);
    return withChangedFields(shown, listChangedFields(resource, changes));
  });
}

/**
 * Deletes a row and the rows it owns.
 *
 * @returns the selected fields of the row before its deletion
 * @throws ServiceError NOT_FOUND, PRECONDITION_FAILED, or CONFLICT while other rows refer to it
 */
export async function deleteRow(
  resource: Resource,
  id: string,
  within: Where,
  request: Omit<WriteRequest, 'input' | 'required'>,
): Promise<Row> {
  const { context } = request;
  try {
    return await inTransaction(context, async () => {
      const previous = await lock(resource, id, within, context);
      await authorize(resource, 'delete', previous, {}, context);
      await assertMatch(resource, previous, request, context);
      const row = await remove(resource, previous, request.selection, context);
      await resource.hooks.afterOperation?.delete?.({ context, previous });
      return row;
    });
  } catch (error) {
    if (violationOf(error)?.kind === 'reference')
      throw conflict(`Other records still refer to this ${words(resource.type)}.`);
    throw error;
  }
}

/** Validates the input alone. @throws ServiceError VALIDATION_ERROR with all errors */
async function validateInput(resource: NewRows, target: WriteTarget, request: WriteRequest): Promise<Row> {
  const { data, errors } = await checkInput(resource, target, request);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return data;
}

/** Runs the steps of a write in a transaction, and converts database errors to errors for the client. */
async function transact(
  resource: NewRows,
  data: Row,
  { context }: WriteRequest,
  steps: () => Promise<Row>,
): Promise<Row> {
  try {
    return await inTransaction(context, steps);
  } catch (error) {
    throw await explainDatabaseError(error, resource, data, context);
  }
}

/** Locks the parent of a new row, where the resource requires it. @throws ServiceError NOT_FOUND */
export const lockParent = async (
  { parent }: NewRows,
  id: string | undefined,
  context: Context,
): Promise<Row | undefined> => (parent?.lock && id !== undefined ? lockRow(parent.resource, id, context) : undefined);

/**
 * Locks the row until the transaction ends, so that changes are compared with its actual state.
 *
 * @throws ServiceError NOT_FOUND if the caller cannot access it
 */
const lock = (resource: Resource, id: string, within: Where, context: Context): Promise<Row> =>
  lockRow(resource, id, context, and([within, resource.accessFilter?.(context) ?? {}]));

/** Rejects the write if the caller's role does not allow it. @throws ServiceError INSUFFICIENT_SCOPE */
const authorize = (
  { type }: NewRows,
  action: BoundedAction,
  previous: Row | null,
  data: Row,
  context: Context,
): Promise<void> => assertRoleForRow(context.caller, type, action, previous, data, isDeactivated(context));

/**
 * Rejects the write if the row has changed since the client read it. Of concurrent writes with the same ETag, one
 * succeeds.
 *
 * @throws ServiceError PRECONDITION_FAILED
 */
async function assertMatch(
  { model, type, etag }: Resource,
  previous: Row,
  { ifMatch }: Pick<WriteRequest, 'ifMatch'>,
  context: Context,
): Promise<void> {
  if (ifMatch === undefined) return;
  const where = uniqueWhere(model, String(previous['id']), context);
  const row = await context.reader.findUnique(model, { where, select: etagSelection(etag) });
  if (!row) throw notFound(type);
  checkMatch(ifMatch, etagOf(etag, row), type);
}

/** Finds out whether a user of the company is deactivated. */
const isDeactivated =
  ({ db }: Context) =>
  async (id: string): Promise<boolean> =>
    (await db.user.count({ where: { id, deactivatedAt: { not: null } } })) > 0;

/** The columns of a new row that no input sets: its company and parent. @throws Error for a sub-resource without one */
export function companyAndParent(
  { type, model, parent }: NewRows,
  parentId: string | undefined,
  context: Context,
): Row {
  if (parent && parentId === undefined)
    throw new Error(`${type} is created below its ${parent.resource.type}, whose id is missing.`);
  return { ...tenantWhere(model, context), ...(parent && { [parent.column]: parentId }) };
}

/** Sets the defaults of fields that the input leaves out. */
async function applyDefaults({ fields }: NewRows, data: Row, context: Context): Promise<Row> {
  const filled = { ...data };
  for (const [column, { default: fallback }] of Object.entries(fields)) {
    if (fallback) filled[column] ??= await fallback({ context, data: filled });
  }
  return filled;
}

/** Validates the row as it would be stored, with the rules between columns. @throws ServiceError VALIDATION_ERROR */
async function validateRow(resource: NewRows, data: Row, previous: Row | null, context: Context): Promise<void> {
  const row = { ...previous, ...data };
  const errors: FieldErrors = orderErrors(resource, row, data);
  const { validate: validateByHook } = resource.hooks;
  if (validateByHook) addMissing(errors, await validateByHook({ context, data, previous, row, errors }));
  if (Object.keys(errors).length === 0) return;
  throw validationError({ ...(await findDanglingReferences(resource, data, context)), ...errors });
}

/** Checks the changes of status. @param previous null for a new row @throws ServiceError CONFLICT */
function assertTransitions({ type, model, fields }: NewRows, previous: Row | null, data: Row): void {
  for (const [field, { transitions }] of Object.entries(fields)) {
    if (!transitions) continue;
    const enumName = enumOf(model, field);
    const [from, to] = [previous?.[field], data[field]] as (string | undefined)[];
    assertTransition({ type, field, enumName, transitions }, from, to);
  }
}

/** Resolves the input of a new row. @returns the data to store, as Prisma's arguments */
async function resolveCreate({ hooks, nestedItems }: NewRows, data: Row, parent: Row | undefined, context: Context) {
  const resolve = hooks.resolveInput?.create;
  const resolved = resolve ? await resolve({ context, data, parent }) : data;
  return storeNestedItems(nestedItems, resolved, false);
}

/** Resolves the input of an update. @returns the data to store, nested items not as Prisma's arguments yet */
async function resolveUpdate({ hooks }: Resource, data: Row, previous: Row, context: Context): Promise<Row> {
  const resolve = hooks.resolveInput?.update;
  return resolve ? resolve({ context, data, previous }) : data;
}

/**
 * Stores a new row. References are not checked first: only when the database rejects one does a query find out which.
 */
const save = ({ model }: NewRows, stored: Row, isLast: boolean, { at, writer }: Context): Promise<Row> =>
  writer.create(model, stored, { at, isLast });

/** Stores the changes of a row. @throws ServiceError NOT_FOUND */
async function saveChange(
  resource: Resource,
  changes: Row,
  previous: Row,
  { ifMatch, selection }: WriteRequest,
  context: Context,
): Promise<Row> {
  const { model, type, nestedItems } = resource;
  const stored = storeNestedItems(nestedItems, changes, true);
  const data = ifMatch === undefined ? stored : { ...stored, ...laterThan(previous) };
  const options = { at: context.at, isLast: isLastStatement(resource, selection) };
  const row = await context.writer.update(model, uniqueWhere(model, String(previous['id']), context), data, options);
  if (!row) throw notFound(type);
  return row;
}

/** Deletes a row. @returns its selected fields */
async function remove(resource: Resource, { id }: Row, selection: Selection, context: Context): Promise<Row> {
  const { model, type, hooks } = resource;
  const where = uniqueWhere(model, String(id), context);
  const shown = onlyColumns(selection) ? undefined : await context.reader.findUnique(model, { where, ...selection });
  const row = await context.writer.delete(model, where, { isLast: !hooks.afterOperation });
  if (!row) throw notFound(type);
  return shown ?? row;
}

/**
 * An update time that differs from the previous one even within a millisecond, so that the previous ETag does not match
 * again.
 */
function laterThan(previous: Row): Row {
  const last = previous['updatedAt'];
  return last instanceof Date ? { updatedAt: new Date(Math.max(Date.now(), last.getTime() + 1)) } : {};
}

/**
 * Returns the selected fields of the written row. It is read again if they are more than columns, or if hooks may have
 * changed it.
 */
async function answer(resource: NewRows, row: Row, selection: Selection, context: Context): Promise<Row> {
  if (isLastStatement(resource, selection)) return row;
  const where = uniqueWhere(resource.model, String(row['id']), context);
  return (await context.reader.findUnique(resource.model, { where, ...selection })) ?? row;
}

/** Whether the statement that saves a row is the last: it returns all selected fields, and no hook follows. */
const isLastStatement = ({ hooks }: NewRows, selection: Selection): boolean =>
  onlyColumns(selection) && !hooks.afterOperation;

/** Whether a selection has columns only, which every write returns. */
const onlyColumns = ({ select = {} }: Selection): boolean => Object.values(select).every((value) => value === true);
