import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { postpone } from '../../database/index.ts';
import { type FieldErrors, notFound, ServiceError, validationError } from '../../errors.ts';
import { assertAllowed, decide, type KnownWrite } from '../access/decide.ts';
import { withoutHidden } from '../access/hidden-columns.ts';
import { checkMatch, etagOf, etagSelection } from '../definition/etag.ts';
import { and, apiField, type Row } from '../definition/model.ts';
import { BelowError, gatherBelow } from './below.ts';
import { findChanges } from './changes.ts';
import { findDanglingReferences, findMissingParent, violationOf } from './database-errors.ts';
import { fileErrors } from './files.ts';
import { addMissing, externalIdErrors, type NewRows, orderErrors } from './input.ts';
import { lockRow } from './lock.ts';
import { nameByPlace } from './nested-items.ts';
import type { CheckedWrite, StepOptions, WrittenResource, WrittenRow } from './options.ts';
import { answer, type PreparedWrite, type SavedRow, saveRows } from './save.ts';
import { assertTransition } from './transitions.ts';

/** How many rows are prepared before other requests have their turn. */
const rowsAtOnce = 100;

/**
 * Takes the steps of several writes from the lock to the answer, in their order. Rows wait to be saved together until a
 * hook of a later one has a statement to run, which must find them.
 *
 * @returns what was done with each row
 */
export async function takeSteps(
  resource: WrittenResource,
  writes: readonly CheckedWrite[],
  options: StepOptions,
): Promise<WrittenRow[]> {
  const [first] = writes;
  if (first && writes.length === 1 && !hasBelow(first)) {
    const known = options.locked?.get(String(first.id));
    const prepared = await inRow(options, 0, () => prepare(resource, first, known, options));
    return prepared.action === 'none' ? [prepared] : finish(resource, [prepared], [0], options);
  }
  return takeAll(resource, writes, { ...options, isPart: true });
}

async function takeAll(
  resource: WrittenResource,
  writes: readonly CheckedWrite[],
  options: StepOptions,
): Promise<WrittenRow[]> {
  const answers: WrittenRow[] = [];
  /** The rows that wait to be saved, by their place: all of one action. */
  let waiting = new Map<number, PreparedWrite>();
  /** The rows that were saved, and whose rows below are to be created, by their place. */
  const above = new Map<number, WrittenRow>();
  const save = async () => {
    const [places, group] = [[...waiting.keys()], [...waiting.values()]];
    waiting = new Map();
    const bring = places.some((place) => hasBelow(writes[place]));
    const rows = await finish(resource, group, places, { ...options, isUnread: bring || options.isUnread });
    for (const [at, row] of rows.entries()) {
      const place = places[at] ?? 0;
      answers[place] = row;
      if (bring) above.set(place, row);
    }
  };
  const saveNow = async () => {
    postpone(undefined);
    if (waiting.size > 0) await save();
  };
  /** Creates the rows below all new rows so far, and answers with these as they are then. */
  const saveAll = async () => {
    await saveNow();
    if (above.size === 0) return;
    await createBelow(
      [...above.keys()].map((n) => ({ place: placeOf(options, n) ?? '', below: belowOf(writes[n]) })),
      options,
    );
    const rows = await answer(resource, [...above.values()], { ...options, isReadAgain: true });
    for (const [at, place] of [...above.keys()].entries()) answers[place] = { action: 'create', row: rows[at] ?? {} };
    above.clear();
  };
  const locked = new Map(options.locked ?? (await lockTogether(resource, writes, options)));
  for (const [n, write] of writes.entries()) {
    // Most steps are synchronous, so without this other requests would be blocked.
    if (n > 0 && n % rowsAtOnce === 0) await setImmediate();
    const { action, id } = write;
    const known = id === undefined ? undefined : locked.get(id);
    // A row of another action, and one that is written again, follows those before it.
    if (action !== writes[n - 1]?.action || (id !== undefined && !known)) await saveAll();
    const prepared = await inRow(options, n, () => prepare(resource, write, known, options));
    if (id !== undefined) locked.delete(id);
    if (prepared.action === 'none') {
      answers[n] = prepared;
      continue;
    }
    waiting.set(n, prepared);
    if (runsAlone(resource, action)) await saveNow();
    else postpone(save);
  }
  await saveAll();
  return answers;
}

/** The rows that a write brings along. */
const belowOf = (write: CheckedWrite | undefined) => (write?.action === 'create' ? (write.below ?? []) : []);
const hasBelow = (write: CheckedWrite | undefined): boolean => belowOf(write).length > 0;

/** Creates the rows that new rows bring along, those of one list together, as the caller creates them. */
async function createBelow(rows: Parameters<typeof gatherBelow>[0], { context }: StepOptions): Promise<void> {
  for (const below of gatherBelow(rows)) {
    const { resource } = below.list;
    const options = {
      context,
      bySystem: false,
      isPart: true,
      isUnread: true,
      places: below.rows.map(({ place }) => place),
    };
    try {
      await takeSteps(
        resource,
        below.rows.map(({ write }) => write),
        options,
      );
    } catch (error) {
      throw violationOf(error) ? new BelowError(error, below) : error;
    }
  }
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

/** Saves rows of one action, and does what follows from each. */
async function finish(
  resource: WrittenResource,
  group: readonly PreparedWrite[],
  places: readonly number[],
  options: StepOptions,
): Promise<WrittenRow[]> {
  const saved = await saveRows(resource, group, options);
  for (const [at, row] of saved.entries()) await inRow(options, places[at] ?? 0, () => runHook(resource, row, options));
  const rows = await answer(resource, saved, options);
  return rows.map((row, at) => ({ action: saved[at]?.action ?? 'none', row }));
}

/** The place of one of the rows in the input; undefined where the input is that row. */
const placeOf = ({ name, places }: StepOptions, n: number): string | undefined =>
  places?.[n] ?? (name === undefined ? undefined : `${name}.${n}`);

/** Runs a step for one of the rows. @throws its error, with fields named by the row's place */
async function inRow<T>(options: StepOptions, n: number, step: () => T | Promise<T>): Promise<T> {
  const place = placeOf(options, n);
  if (place === undefined) return step();
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const errors = error.fieldErrors ? nameByPlace(place, error.fieldErrors) : { [place]: error.reason };
    throw new ServiceError(error.code, error.reason, errors);
  }
}

/** What a row's steps up to its save result in: what to save, or nothing where an update changes nothing. */
type Prepared = PreparedWrite | (WrittenRow & { readonly action: 'none' });

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
  const { context, bySystem } = options;
  const parent = await lockParent(resource, input, context);
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
const lockParent = async ({ parent }: NewRows, data: Readonly<Row>, context: Context): Promise<Row | undefined> =>
  parent?.lock ? lockRow(parent.resource, String(data[parent.column]), context) : undefined;

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

/**
 * Validates the row as it would be stored, with the rules between columns.
 *
 * @throws ServiceError VALIDATION_ERROR, NOT_FOUND of a parent
 */
async function validateRow(
  resource: NewRows,
  data: Row,
  previous: Row | null,
  { context, bySystem }: StepOptions,
): Promise<void> {
  const row = { ...previous, ...data };
  const errors: FieldErrors = {
    ...orderErrors(resource, row, data),
    ...externalIdErrors(resource, row, data),
    ...(!bySystem && (await fileErrors(resource, data, previous, context))),
  };
  const { validate: validateByHook } = resource.hooks;
  if (validateByHook) addMissing(errors, await validateByHook({ context, data, previous, row, errors, bySystem }));
  if (Object.keys(errors).length === 0) return;
  const missing = previous ? undefined : await findMissingParent(resource, data, context);
  if (missing) throw missing;
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
