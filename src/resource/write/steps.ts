import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { postpone } from '../../database/index.ts';
import { type FieldErrors, notFound, ServiceError, validationError } from '../../errors.ts';
import { assertAllowed, decide, type KnownWrite } from '../access/decide.ts';
import { withoutHidden } from '../access/hidden-columns.ts';
import { checkMatch, etagOf, etagSelection } from '../definition/etag.ts';
import { and, apiField, type Row } from '../definition/model.ts';
import { findChanges } from './changes.ts';
import { findDanglingReferences } from './database-errors.ts';
import { addMissing, type NewRows, orderErrors } from './input.ts';
import { lockRow } from './lock.ts';
import { nameByPosition } from './nested-items.ts';
import type { CheckedWrite, StepOptions, WrittenResource } from './options.ts';
import { answer, type PreparedWrite, type SavedRow, saveRows } from './save.ts';
import { assertTransition } from './transitions.ts';

/** How many rows are prepared before other requests have their turn. */
const rowsAtOnce = 100;

/**
 * Takes the steps of several writes from the lock to the answer, in their order. Rows wait to be saved together until a
 * hook of a later one has a statement to run, which must find them.
 *
 * @returns the selected fields of each row
 */
export async function takeSteps(
  resource: WrittenResource,
  writes: readonly CheckedWrite[],
  options: StepOptions,
): Promise<Row[]> {
  const [first] = writes;
  if (first && writes.length === 1) {
    const prepared = await prepare(resource, first, options.locked?.get(String(first.id)), options);
    const [row] = prepared.action === 'none' ? [prepared.row] : await finish(resource, [prepared], [0], options);
    return [row ?? {}];
  }
  return takeAll(resource, writes, { ...options, isPart: true });
}

async function takeAll(
  resource: WrittenResource,
  writes: readonly CheckedWrite[],
  options: StepOptions,
): Promise<Row[]> {
  const answers: Row[] = [];
  /** The rows that wait to be saved, by their place: all of one action. */
  let waiting = new Map<number, PreparedWrite>();
  const save = async () => {
    const [places, group] = [[...waiting.keys()], [...waiting.values()]];
    waiting = new Map();
    const rows = await finish(resource, group, places, options);
    for (const [at, row] of rows.entries()) answers[places[at] ?? 0] = row;
  };
  const saveNow = async () => {
    postpone(undefined);
    if (waiting.size > 0) await save();
  };
  const locked = new Map(options.locked ?? (await lockTogether(resource, writes, options)));
  for (const [n, write] of writes.entries()) {
    // Most steps are synchronous, so without this other requests would be blocked.
    if (n > 0 && n % rowsAtOnce === 0) await setImmediate();
    const { action, id } = write;
    const known = id === undefined ? undefined : locked.get(id);
    // A row of another action, and one that is written again, follows those before it.
    if (action !== writes[n - 1]?.action || (id !== undefined && !known)) await saveNow();
    const prepared = await inRow(options, n, () => prepare(resource, write, known, options));
    if (id !== undefined) locked.delete(id);
    if (prepared.action === 'none') {
      answers[n] = prepared.row;
      continue;
    }
    waiting.set(n, prepared);
    if (runsAlone(resource, action)) await saveNow();
    else postpone(save);
  }
  await saveNow();
  return answers;
}

/**
 * Locks the rows to change, in the order of their ids to avoid deadlocks.
 *
 * @returns by their ids those that the caller can access, and that no earlier row of the write can change
 */
async function lockTogether(
  resource: NewRows,
  writes: readonly CheckedWrite[],
  { context, within = {} }: StepOptions,
): Promise<Map<string, Row>> {
  const ids = writes.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return new Map();
  const where = and([{ id: { in: ids } }, within]);
  const { model, type } = resource;
  const rows = await context.reader.findMany(model, { as: type, where, orderBy: { id: 'asc' }, lock: true });
  const areTogether = !writes.some(({ action }) => runsAlone(resource, action));
  return new Map(areTogether ? rows.map((row) => [String(row['id']), row]) : []);
}

/** Whether a row of an action is saved before the next one is prepared: what follows from it may change that one. */
const runsAlone = ({ hooks, parent }: NewRows, action: CheckedWrite['action']): boolean =>
  hooks.afterOperation?.[action] !== undefined || (action === 'create' && parent?.lock === true);

/** Saves rows of one action, and does what follows from each. @returns their selected fields */
async function finish(
  resource: WrittenResource,
  group: readonly PreparedWrite[],
  places: readonly number[],
  options: StepOptions,
): Promise<Row[]> {
  const saved = await saveRows(resource, group, options);
  for (const [at, row] of saved.entries()) await inRow(options, places[at] ?? 0, () => runHook(resource, row, options));
  return answer(resource, saved, options);
}

/** Runs a step for one of the rows. @throws its error, with fields named by the row's position */
async function inRow<T>({ name }: StepOptions, n: number, step: () => T | Promise<T>): Promise<T> {
  if (name === undefined) return step();
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.fieldErrors) throw error;
    throw new ServiceError(error.code, error.reason, nameByPosition(name, n, error.fieldErrors));
  }
}

/** What a row's steps up to its save result in: what to save, or nothing where an update changes nothing. */
type Prepared = PreparedWrite | { readonly action: 'none'; readonly row: Row };

/** Takes the steps of one row up to its save. @param locked the row to change, if it is locked already */
function prepare(
  resource: WrittenResource,
  write: CheckedWrite,
  locked: Row | undefined,
  options: StepOptions,
): Promise<Prepared> {
  switch (write.action) {
    case 'create':
      return prepareCreate(resource, write.data, options);
    case 'update':
      return prepareUpdate(resource, write, locked, options);
    case 'delete':
      return prepareDelete(resource, write, locked, options);
  }
}

async function prepareCreate(resource: WrittenResource, input: Row, options: StepOptions): Promise<Prepared> {
  const { context, parentId, bySystem } = options;
  const parent = await lockParent(resource, parentId, context);
  await authorize(resource, 'create', { previous: null, data: input }, options);
  const data = await applyDefaults(resource, input, context);
  await validateRow(resource, data, null, options);
  assertTransitions(resource, null, data);
  const changes = (await resource.hooks.resolveInput?.create?.({ context, data, parent, bySystem })) ?? data;
  await authorize(resource, 'create', { previous: null, changes }, options);
  return { action: 'create', previous: null, changes, parent };
}

async function prepareUpdate(
  resource: WrittenResource,
  { id, data, ifMatch }: CheckedWrite & { readonly action: 'update' },
  locked: Row | undefined,
  options: StepOptions,
): Promise<Prepared> {
  const { context, within, bySystem } = options;
  const previous = locked ?? (await lockRow(resource, id, context, within));
  await authorize(resource, 'update', { previous, data }, options);
  await assertMatch(resource, previous, ifMatch, context);
  await validateRow(resource, data, previous, options);
  assertTransitions(resource, previous, data);
  const resolved = (await resource.hooks.resolveInput?.update?.({ context, data, previous, bySystem })) ?? data;
  const changes = await findChanges(resource, resolved, previous, context);
  if (Object.keys(changes).length === 0) {
    const [row = previous] = await answer(resource, [{ action: 'none', previous, row: previous }], options);
    return { action: 'none', row };
  }
  await authorize(resource, 'update', { previous, changes }, options);
  return { action: 'update', previous, changes, hasMatched: ifMatch !== undefined };
}

async function prepareDelete(
  resource: WrittenResource,
  { id, ifMatch }: CheckedWrite & { readonly action: 'delete' },
  locked: Row | undefined,
  options: StepOptions,
): Promise<Prepared> {
  const { context, within } = options;
  const previous = locked ?? (await lockRow(resource, id, context, within));
  await authorize(resource, 'delete', { previous, data: {} }, options);
  await assertMatch(resource, previous, ifMatch, context);
  return { action: 'delete', previous, changes: {} };
}

/** Does what follows from a saved row. */
async function runHook(resource: NewRows, { action, previous, row, parent }: SavedRow, options: StepOptions) {
  const { context } = options;
  const { afterOperation } = resource.hooks;
  if (action === 'create') return afterOperation?.create?.({ context, row, parent });
  if (!previous) return undefined;
  if (action === 'update') return afterOperation?.update?.({ context, previous, row });
  // Only now, as a row that others refer to is a conflict for everybody.
  await authorize(resource, 'delete', { previous, changes: {} }, options);
  return afterOperation?.delete?.({ context, previous });
}

/** Locks the parent of a new row, where the resource requires it. @throws ServiceError NOT_FOUND */
const lockParent = async ({ parent }: NewRows, id: string | undefined, context: Context): Promise<Row | undefined> =>
  parent?.lock && id !== undefined ? lockRow(parent.resource, id, context) : undefined;

/** Rejects the write if policies refuse it, as far as it is known. @throws ServiceError INSUFFICIENT_SCOPE */
const authorize = async (
  { type, policies }: NewRows,
  action: CheckedWrite['action'],
  write: KnownWrite,
  { context, bySystem }: StepOptions,
): Promise<void> => (bySystem ? undefined : assertAllowed(await decide(context, { type, policies, action }, write)));

/**
 * Rejects the write if the row has changed since the client read it. Of concurrent writes with the same ETag, one
 * succeeds.
 *
 * @throws ServiceError PRECONDITION_FAILED
 */
async function assertMatch(
  { model, words, etag, policies }: WrittenResource,
  previous: Row,
  ifMatch: string | undefined,
  context: Context,
): Promise<void> {
  if (ifMatch === undefined || !etag) return;
  const where = { id: String(previous['id']) };
  const row = await context.reader.findUnique(model, { as: null, where, select: etagSelection(etag) });
  if (!row) throw notFound(words.noun);
  checkMatch(ifMatch, etagOf(etag, withoutHidden(context.caller, policies, row)), words.noun);
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
async function validateRow(
  resource: NewRows,
  data: Row,
  previous: Row | null,
  { context, bySystem }: StepOptions,
): Promise<void> {
  const row = { ...previous, ...data };
  const errors: FieldErrors = orderErrors(resource, row, data);
  const { validate: validateByHook } = resource.hooks;
  if (validateByHook) addMissing(errors, await validateByHook({ context, data, previous, row, errors, bySystem }));
  if (Object.keys(errors).length === 0) return;
  const id = previous ? String(previous['id']) : undefined;
  throw validationError({ ...(await findDanglingReferences(resource, data, context, id)), ...errors });
}

/** Checks the changes of status. @param previous null for a new row @throws ServiceError CONFLICT */
function assertTransitions(resource: NewRows, previous: Row | null, data: Row): void {
  const { noun } = resource.words;
  for (const [field, { transitions }] of Object.entries(resource.fields)) {
    if (!transitions) continue;
    const { type } = apiField(resource, field);
    const [from, to] = [previous?.[field], data[field]] as (string | undefined)[];
    assertTransition({ noun, field, type, transitions }, from, to);
  }
}
