// Many rows of a resource in one transaction: as a client lists them, or all rows that match a filter.
import { type Context, inTransaction, inTransactionIf } from '../../context.ts';
import { conflict, type FieldErrors, maxFieldErrors, ServiceError, statusOf, validationError } from '../../errors.ts';
import { assertAllowed, decide } from '../access/decide.ts';
import { and, type Row, type Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { broughtBy } from './check.ts';
import { checkInput } from './input.ts';
import { nameByPosition, readPosition } from './nested-items.ts';
import type { RowWrite, Upsert, WriteOptions, WrittenRow } from './options.ts';
import { writeEach } from './write.ts';

/** What became of a row: it was written, or refused. */
export type WriteOutcome = WrittenRow | { readonly error: ServiceError };

/** How rows are written whose errors are named by position: `operations.3`. */
interface NamedOptions extends WriteOptions {
  readonly name: string;
}

/** How listed rows are written. */
interface ListedOptions extends NamedOptions {
  /** Whether a refused row leaves the others written; otherwise it takes back all. */
  readonly isLenient: boolean;
}

/**
 * Writes rows in one transaction.
 *
 * @returns what became of each row, in the order given
 * @throws ServiceError with the errors of all rows named by position, unless each row has its own answer
 */
export async function writeListed(
  resource: Resource,
  writes: readonly (RowWrite | Upsert)[],
  options: ListedOptions,
): Promise<WriteOutcome[]> {
  const { context, dryRun = false, isLenient } = options;
  const { count, errors } = broughtBy(resource, writes, options);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  // Before the work, which a dry run has too.
  await context.countRows?.(writes.length + count);
  if (isLenient)
    return inTransactionIf(
      context,
      () => !dryRun,
      () => writeLeniently(resource, writes, options),
    );
  const { type, policies } = resource;
  // Before anything of a row is read.
  for (const action of new Set(writes.map((write) => write.action)))
    if (action !== 'upsert') assertAllowed(decide(context, { type, policies, action }));
  return writeNaming(resource, writes, options);
}

/** Writes all rows or none. @throws ServiceError that names the refused rows, also those that others still refer to */
async function writeNaming(
  resource: Resource,
  writes: readonly (RowWrite | Upsert)[],
  options: NamedOptions,
): Promise<WrittenRow[]> {
  try {
    return await writeEach(resource, writes, options);
  } catch (error) {
    // The database says of a statement that others refer to its rows, and not to which.
    if (!(error instanceof ServiceError) || error.code !== 'CONFLICT' || error.fieldErrors) throw error;
    const outcomes = await inTransactionIf(
      options.context,
      () => false,
      () => writeLeniently(resource, writes, { ...options, mostRefused: maxFieldErrors }),
    );
    throw nameRefused(error, outcomes, options.name);
  }
}

/** The error of a write of all rows, with the errors of those that were refused for the same reason in an attempt. */
function nameRefused({ code, reason }: ServiceError, outcomes: readonly WriteOutcome[], name: string): ServiceError {
  const errors: FieldErrors = {};
  // Rows that were not tried have no outcome.
  for (const [n, outcome] of Object.entries(outcomes)) {
    if (!('error' in outcome) || outcome.error.code !== code) continue;
    const { fieldErrors, reason: own } = outcome.error;
    Object.assign(errors, fieldErrors ? nameByPosition(name, Number(n), fieldErrors) : { [`${name}.${n}`]: own });
  }
  return new ServiceError(code, reason, Object.keys(errors).length > 0 ? errors : undefined);
}

/** How many rows are tried together where some may be refused. */
const triedAtOnce = 100;

/** A write, and its place among all of them. */
interface Placed {
  readonly place: number;
  readonly write: RowWrite | Upsert;
}

/** How rows are tried of which some may be refused. */
interface LenientOptions extends NamedOptions {
  /** After how many refused rows the rest is not tried. */
  readonly mostRefused?: number;
}

/**
 * Writes those rows that are not refused, in the current transaction.
 *
 * @param options.name the name by which messages refer to other rows: `is the same as in rows.3`
 * @returns what became of each row, in the order given
 * @throws Error for a failure that is no matter of a row
 */
export async function writeLeniently(
  resource: Resource,
  writes: readonly (RowWrite | Upsert)[],
  options: LenientOptions,
): Promise<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  const placed = writes.map((write, place) => ({ write, place }));
  for (let from = 0; from < placed.length; from += triedAtOnce)
    await tryTogether(resource, placed.slice(from, from + triedAtOnce), { ...options, dryRun: false }, outcomes);
  return outcomes;
}

/**
 * Writes rows together in a savepoint. If some are refused, those before the first of them are tried apart, as what
 * comes later is no matter of theirs; and so are the others that are not refused. An error that names no row lies
 * somewhere: halves are tried.
 */
async function tryTogether(
  resource: Resource,
  rows: readonly Placed[],
  options: LenientOptions,
  outcomes: WriteOutcome[],
): Promise<void> {
  if (rows.length === 0) return;
  const { mostRefused } = options;
  if (mostRefused !== undefined && outcomes.filter((outcome) => 'error' in outcome).length >= mostRefused) return;
  const writes = rows.map(({ write }) => write);
  try {
    const written = await inTransaction(options.context, () => writeEach(resource, writes, options));
    for (const [n, row] of written.entries()) outcomes[rows[n]?.place ?? n] = row;
  } catch (error) {
    if (!(error instanceof ServiceError) || statusOf[error.code] >= 500) throw error;
    const refused = refusedBy(error, rows, options.name);
    for (const [n, { place }] of rows.entries()) {
      const own = refused.get(n);
      if (own) outcomes[place] = { error: own };
    }
    const first = refused.size > 0 ? Math.min(...refused.keys()) : Math.floor(rows.length / 2);
    const others = rows.filter((_, n) => n >= first && !refused.has(n));
    await tryTogether(resource, rows.slice(0, first), options, outcomes);
    await tryTogether(resource, others, options, outcomes);
  }
}

/** The error of each row that an error names, by its position in the attempt; of a single row the error itself. */
function refusedBy(error: ServiceError, rows: readonly Placed[], name: string): Map<number, ServiceError> {
  const { code, reason, fieldErrors = {} } = error;
  const fields = new Map<number, FieldErrors>(rows.length === 1 ? [[0, {}]] : []);
  for (const [named, message] of Object.entries(fieldErrors)) {
    const at = readPosition(name, named);
    if (!at) continue;
    // What is said of the row itself is the reason.
    const own = at.field === '' ? {} : { [at.field]: withPlaces(message, rows, name) };
    fields.set(at.n, { ...fields.get(at.n), ...own });
  }
  const withFields = (errors: FieldErrors) => (Object.keys(errors).length > 0 ? errors : undefined);
  return new Map([...fields].map(([n, errors]) => [n, new ServiceError(code, reason, withFields(errors))]));
}

/** A message that refers to another row of the attempt, `is the same as in rows.3`, with that row's place among all. */
const withPlaces = (message: string, rows: readonly Placed[], name: string): string =>
  message.replace(new RegExp(`(?<=\\b${name}\\.)\\d+`), (n) => String(rows[Number(n)]?.place ?? n));

/** What is done with all rows that match. */
export type ChangeOfAll = { readonly action: 'update'; readonly input: Readonly<Row> } | { readonly action: 'delete' };

/** Which rows a client means, and how many it expects. */
export interface Matching {
  readonly where: Where;
  readonly expectedCount: number;
}

/** The rows that matched. */
export interface ChangedRows {
  /** In ascending order. */
  readonly ids: readonly string[];
  /** How many of them were different before. */
  readonly changed: number;
}

/**
 * Updates or deletes all rows that match, as they are once they are locked.
 *
 * @throws ServiceError CONFLICT if their number is not the expected one, or any error of `writeRows`; the errors of a
 *   row are named by its id
 */
export async function changeMatching(
  resource: Resource,
  { where, expectedCount }: Matching,
  change: ChangeOfAll,
  { context, within = {}, dryRun = false }: Pick<WriteOptions, 'context' | 'within' | 'dryRun'>,
): Promise<ChangedRows> {
  const { model, type, policies, words } = resource;
  assertAllowed(decide(context, { type, policies, action: change.action }));
  await context.countRows?.(expectedCount);
  return inTransactionIf(
    context,
    () => !dryRun,
    async () => {
      const found = and([where, within]);
      const rows = await context.reader.findMany(model, {
        as: type,
        where: found,
        select: { id: true },
        orderBy: { id: 'asc' },
        // One more shows that they are not as many.
        take: expectedCount + 1,
        lock: true,
      });
      const count = rows.length > expectedCount ? await context.reader.count(model, found, type) : rows.length;
      if (count !== expectedCount)
        throw conflict(`The filter matches ${count} ${words.many}, and not ${expectedCount}: nothing was changed.`, {
          expectedCount: `is ${count}`,
        });
      const ids = rows.map(({ id }) => String(id));
      const [first] = ids;
      if (first === undefined) return { ids, changed: 0 };
      // What is wrong with the input by itself is so for all rows.
      if (change.action === 'update') await assertValid(resource, first, change.input, context);
      const name = 'rows';
      try {
        const writes = ids.map((id) => ({ ...change, id }));
        const written = await writeNaming(resource, writes, { context, name, selection: { select: { id: true } } });
        return { ids, changed: written.filter(({ action }) => action !== 'none').length };
      } catch (error) {
        throw error instanceof ServiceError ? byId(error, name, ids) : error;
      }
    },
  );
}

/** @throws ServiceError VALIDATION_ERROR */
async function assertValid(resource: Resource, id: string, input: Readonly<Row>, context: Context): Promise<void> {
  const { errors } = await checkInput(resource, { id }, { input, required: undefined, context });
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

/** The same error with rows named by id instead of position. */
function byId({ code, reason, fieldErrors = {} }: ServiceError, name: string, ids: readonly string[]): ServiceError {
  const named = Object.entries(fieldErrors).map(([place, message]) => {
    const at = readPosition(name, place);
    const id = at && ids[at.n];
    return [id === undefined ? place : [id, at?.field].filter((part) => part !== '').join('.'), message] as const;
  });
  return new ServiceError(code, reason, named.length > 0 ? Object.fromEntries(named) : undefined);
}
