import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { conflict, type FieldErrors, notFound, ServiceError, validationError } from '../errors.ts';
import { aOrAn, words } from '../names.ts';
import { checkMatch, etagOf, etagSelection, type Shown } from './etag.ts';
import { inspectLines, type Lines, lineModel, storeLines } from './lines.ts';
import type { Row, Where } from './lists.ts';
import { columnFacts, type ModelName, modelFacts } from './model.ts';
import { checkMove, type Moves } from './states.ts';
import { today } from './time.ts';
import { backwards, checkBody, type Rule } from './validate.ts';

/** The client inside a transaction. */
export type Transaction = Prisma.TransactionClient;

/** Prisma's methods for a model known only by name. */
export interface Delegate {
  findMany(args: object): Promise<Row[]>;
  findUnique(args: object): Promise<Row | null>;
  create(args: object): Promise<Row>;
  update(args: object): Promise<Row>;
  delete(args: object): Promise<Row>;
  count(args: object): Promise<number>;
  groupBy(args: object): Promise<Row[]>;
}

/** The delegate of a model. The kit is the one place that calls Prisma by a model's name, so the types end here. */
export function delegate(client: Context['db'] | Transaction, model: ModelName): Delegate {
  const key = model.charAt(0).toLowerCase() + model.slice(1);
  return (client as unknown as Record<string, Delegate>)[key] as Delegate;
}

/** The rows of a model that exist for the caller: its company's. Of companies a person sees those they belong to, as `me` tells. */
export const tenant = (model: ModelName, { caller: { kind, companyId, userId } }: Context): Where => {
  if ('companyId' in modelFacts(model).columns) return { companyId };
  return kind === 'session' ? { users: { some: { id: userId } } } : { id: companyId };
};

/** One row of the caller's company by its primary key; `extra` narrows it further. */
export function byId(model: ModelName, id: string, context: Context, extra: Where = {}): Where {
  const { companyId } = context.caller;
  return 'companyId' in modelFacts(model).columns
    ? { companyId_id: { companyId, id }, ...extra }
    : { id, AND: [tenant(model, context), extra] };
}

/** What the kit needs to know of a resource to write it. */
export interface Writing {
  readonly type: string;
  readonly model: ModelName;
  readonly shown: Shown;
  readonly rules: Readonly<Record<string, Rule | undefined>>;
  /** The column that names the row this one belongs to, and that row; `hold` locks it while a new row is written. */
  readonly parent?: {
    readonly column: string;
    readonly type: string;
    readonly model: ModelName;
    readonly hold?: boolean;
  };
  readonly lines?: Lines;
  readonly defaults?: Readonly<Record<string, (context: Context, data: Row) => unknown>>;
  readonly ordered?: readonly (readonly [string, string])[];
  readonly moves?: Moves;
  readonly taken?: Readonly<Record<string, FieldErrors>>;
  readonly read?: Read;
  readonly compose?: Compose;
  readonly creating?: Compose;
  readonly updating?: Compose;
  readonly after?: After;
}

/** Reads what a body says other than in its columns; see `ResourceOptions.read`. */
export type Read = (reading: {
  readonly context: Context;
  readonly body: Readonly<Row>;
  readonly target: Target;
  readonly data: Row;
  readonly faults: FieldErrors;
}) => Promise<void> | void;

/** Which row a body is for: a new one, below `parentId` if it is a sub-resource's, or the one that has this id. */
export type Target = { readonly id?: undefined; readonly parentId?: string } | { readonly id: string };

/** Says what to store; see `ResourceOptions.compose`, `creating` and `updating`. */
export type Compose = (write: {
  readonly context: Context;
  readonly db: Transaction;
  readonly previous: Row | null;
  readonly parent: Row | null;
  readonly data: Row;
}) => Row | Promise<Row>;
/** Writes what else must happen; see `ResourceOptions.after`. */
export type After = (write: {
  readonly context: Context;
  readonly tx: Transaction;
  readonly previous: Row | null;
  readonly row: Row;
}) => Promise<unknown>;

/** Prisma's `select` for what the client asked of the written row. */
export type Selection = { select?: Record<string, unknown> };

/** What a write is asked to do. */
export interface Ask {
  readonly body: Row;
  /** Columns that the body must have; undefined where it changes some columns of a row. */
  readonly required: readonly string[] | undefined;
  readonly context: Context;
  /** What the client wants of the written row. */
  readonly selection: Selection;
  /** The ETag that the row must have; see `checkMatch`. */
  readonly ifMatch?: string;
}

/** Inserts a row. @throws ServiceError VALIDATION_ERROR, NOT_FOUND (of the row it belongs to) or CONFLICT */
export async function createRow(writing: Writing, parentId: string | undefined, ask: Ask): Promise<Row> {
  const data = await readBody(writing, { parentId }, ask);
  Object.assign(data, tenant(writing.model, ask.context), writing.parent && { [writing.parent.column]: parentId });
  return write(writing, data, ask, null, (table, values, selection) => table.create({ data: values, ...selection }));
}

/** Changes a row. @throws ServiceError VALIDATION_ERROR, NOT_FOUND, PRECONDITION_FAILED or CONFLICT */
export async function updateRow(writing: Writing, id: string, within: Where, ask: Ask): Promise<Row> {
  const data = await readBody(writing, { id }, ask);
  const where = byId(writing.model, id, ask.context, within);
  return write(writing, data, ask, { id, where }, (table, values, selection) =>
    table.update({ where, data: values, ...selection }),
  );
}

/** Deletes a row and what it owns. @throws ServiceError NOT_FOUND, PRECONDITION_FAILED, or CONFLICT while other rows refer to it */
export async function deleteRow(
  writing: Writing,
  id: string,
  within: Where,
  context: Context,
  selection: Selection,
  ifMatch?: string,
): Promise<Row> {
  const { type, model } = writing;
  const where = byId(model, id, context, within);
  try {
    if (ifMatch === undefined) return await delegate(context.db, model).delete({ where, ...selection });
    return await context.db.$transaction(async (tx) => {
      await lockRow(tx, writing, id, context, where);
      await requireMatch(tx, writing, where, ifMatch);
      return delegate(tx, model).delete({ where, ...selection });
    });
  } catch (error) {
    if (isPrisma(error, 'P2025')) throw notFound(type);
    if (isPrisma(error, 'P2003')) throw conflict(`Other records still refer to this ${words(type)}.`);
    throw error;
  }
}

/** Reads a body into data to store. @throws ServiceError VALIDATION_ERROR with every fault there is */
async function readBody(writing: Writing, target: Target, { body, required, context }: Ask): Promise<Row> {
  const { data, faults } = await inspectBody(writing, target, body, required, context);
  if (Object.keys(faults).length > 0) throw validationError(faults);
  return data;
}

/** Reads a body and finds its faults. References are looked up only beside other faults: the database refuses them anyway. */
export async function inspectBody(
  writing: Writing,
  target: Target,
  body: Row,
  required: readonly string[] | undefined,
  context: Context,
  otherFaults = false,
): Promise<{ data: Row; faults: FieldErrors }> {
  const { columns } = modelFacts(writing.model);
  const { data, faults } = checkBody(body, columns, writing.rules, required);
  inspectLines(writing, body, data, faults);
  await writing.read?.({ context, body, target, data, faults });
  if (target.id === undefined) {
    for (const [column, value] of Object.entries(writing.defaults ?? {})) data[column] ??= value(context, data);
    for (const [column, { default: value, now, type }] of Object.entries(columns)) {
      // When it was made is when it is stored, which may be after a wait for a row that others hold.
      if (stamps.includes(column)) continue;
      if (now || value !== undefined) data[column] ??= !now ? value : type === 'Date' ? today() : new Date();
    }
  }
  for (const [column, fault] of Object.entries(backwards(writing.ordered, data))) faults[column] ??= fault;
  if (otherFaults || Object.keys(faults).length > 0)
    Object.assign(faults, await danglingReferences(writing, data, context));
  return { data, faults };
}

const stamps: readonly string[] = ['createdAt', 'updatedAt'];

/** The references in `data` that name no row of the caller's company. */
async function danglingReferences(
  { model, parent, lines = {} }: Writing,
  data: Row,
  context: Context,
): Promise<FieldErrors> {
  const faults: FieldErrors = {};
  const look = async (row: Row, rowModel: ModelName, path: string) => {
    for (const [column, target] of Object.entries(modelFacts(rowModel).references)) {
      const id = row[column];
      if ((column === parent?.column && row === data) || typeof id !== 'string') continue;
      if (!(await isThere(target, id, context))) faults[path + column] = `names no ${words(target)} of your company`;
    }
  };
  await look(data, model, '');
  for (const relation of Object.keys(lines)) {
    for (const [n, line] of ((data[relation] ?? []) as Row[]).entries())
      await look(line, lineModel(model, relation), `${relation}.${n}.`);
  }
  return faults;
}

/** Whether the caller's company has such a row. */
const isThere = async (model: ModelName, id: string, context: Context): Promise<boolean> =>
  (await delegate(context.db, model).findUnique({ where: byId(model, id, context), select: { id: true } })) !== null;

type Save = (table: Delegate, values: Row, selection: Selection) => Promise<Row>;

/**
 * Saves a row, in a transaction with what its hooks do. References are not looked up first: the database refuses a
 * wrong one, and only then is it asked which, so a good write costs no extra query.
 */
async function write(
  writing: Writing,
  data: Row,
  { context, selection, ifMatch }: Ask,
  existing: { id: string; where: Where } | null,
  save: Save,
): Promise<Row> {
  const { type, model, parent: owner, lines = {}, ordered, moves, after } = writing;
  const inTransaction = existing ? writing.updating : writing.creating;
  const compose = inTransaction ?? (existing ? undefined : writing.compose);
  const values = async (db: Transaction, previous: Row | null, parent: Row | null) => {
    const faults = backwards(ordered, { ...previous, ...data });
    if (Object.keys(faults).length > 0) throw validationError(faults);
    if (moves)
      checkMove(
        type,
        columnFacts(model, 'status').type,
        moves,
        previous?.['status'] as string | undefined,
        data['status'],
      );
    return storeLines(lines, (await compose?.({ context, db, previous, parent, data })) ?? data, existing !== null);
  };
  const hold = !existing && owner?.hold;
  const touched = (columns: readonly string[]) => columns.some((column) => column in data);
  const onPrevious = existing && (touched(ordered?.flat() ?? []) || (moves && touched(['status'])));
  try {
    // One call of Prisma's is one transaction, nested rows included.
    if (!inTransaction && !after && !hold && !onPrevious && ifMatch === undefined)
      return await save(delegate(context.db, model), await values(context.db, null, null), selection);
    return await context.db.$transaction(async (tx) => {
      const table = delegate(tx, model);
      const parent = hold ? await lockRow(tx, owner, String(data[owner.column]), context) : null;
      const previous = existing && (await lockRow(tx, writing, existing.id, context, existing.where));
      if (existing && ifMatch !== undefined) await requireMatch(tx, writing, existing.where, ifMatch);
      const stored = await values(tx, previous, parent);
      const row = await save(
        table,
        ifMatch === undefined ? stored : { ...stored, ...laterThan(previous) },
        after ? {} : selection,
      );
      if (!after) return row;
      await after({ context, tx, previous, row });
      // What the client asked for may include what the hook wrote.
      if (onlyColumns(selection)) return row;
      return (await table.findUnique({ where: byId(model, String(row['id']), context), ...selection })) ?? row;
    });
  } catch (error) {
    throw await explain(error, writing, data, context);
  }
}

/** Checks the ETag of a row that is held, so that of several who have read the same one writes. */
async function requireMatch(
  tx: Transaction,
  { model, type, shown }: Writing,
  where: Where,
  ifMatch: string,
): Promise<void> {
  const row = await delegate(tx, model).findUnique({ where, select: etagSelection(shown) });
  if (!row) throw notFound(type);
  checkMatch(ifMatch, etagOf(shown, row), type);
}

/** A time of change that is another than the last one, however fast they follow: the ETag of before must not match again. */
function laterThan(previous: Row | null): Row {
  const last = previous?.['updatedAt'];
  return last instanceof Date ? { updatedAt: new Date(Math.max(Date.now(), last.getTime() + 1)) } : {};
}

/**
 * Reads a row and holds it until the transaction ends, so that what a write changes is told from what really was.
 * @throws ServiceError NOT_FOUND
 */
export async function lockRow(
  tx: Transaction,
  { model, type }: { readonly model: ModelName; readonly type: string },
  id: string,
  context: Context,
  where = byId(model, id, context),
): Promise<Row> {
  await lockRows(tx, model, [id], context);
  const row = await delegate(tx, model).findUnique({ where });
  if (!row) throw notFound(type);
  return row;
}

/**
 * Holds rows until the transaction ends, in the order of their ids: whoever else wants several of them waits, and none
 * waits in a circle. Keys stay what they are, so rows that refer to a held one are written without waiting.
 */
export async function lockRows(
  tx: Transaction,
  model: ModelName,
  ids: readonly string[],
  { caller }: Context,
): Promise<void> {
  const table = Prisma.raw(`"${modelFacts(model).table}"`);
  await tx.$queryRaw`SELECT 1 FROM ${table} WHERE company_id = ${caller.companyId}::uuid AND id = ANY(${[...ids].sort()}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
}

const onlyColumns = ({ select }: Selection) => Object.values(select ?? {}).every((value) => value === true);

/** Whether Prisma failed with this code of its error reference. */
export const isPrisma = (error: unknown, code: string): error is Prisma.PrismaClientKnownRequestError =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;

/** Turns what the database refused into what the client did wrong. */
async function explain(error: unknown, writing: Writing, data: Row, context: Context): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  if (isPrisma(error, 'P2025')) return notFound(writing.type);
  if (isPrisma(error, 'P2002')) {
    const columns = duplicateColumns(error, writing);
    const faults = columns.map((column) => writing.taken?.[column] ?? { [column]: 'is taken' });
    return conflict(
      `There is such ${aOrAn(words(writing.type))} already.`,
      Object.assign({}, ...faults) as FieldErrors,
    );
  }
  if (isPrisma(error, 'P2003')) {
    // What a row should belong to comes before what it refers to: it is in the address.
    const { parent } = writing;
    const parentId = data[parent?.column ?? ''];
    if (parent && typeof parentId === 'string' && !(await isThere(parent.model, parentId, context)))
      return notFound(parent.type);
    const faults = await danglingReferences(writing, data, context);
    if (Object.keys(faults).length > 0) return validationError(faults);
  }
  return error;
}

/** The client's columns of the unique index that a write ran into. */
function duplicateColumns(error: Prisma.PrismaClientKnownRequestError, { model, parent }: Writing): string[] {
  // Prisma's types do not cover what a driver adapter reports.
  const meta = error.meta as { driverAdapterError?: { cause?: { constraint?: { index?: string } } } } | undefined;
  const index = meta?.driverAdapterError?.cause?.constraint?.index ?? '';
  const columns = modelFacts(model).uniques[index] ?? [];
  return columns.filter((column) => column !== 'companyId' && column !== parent?.column);
}
