import type { ArgBuilder, InputFieldMap } from '@pothos/core';
import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../errors.ts';
import { countHistories, type HistoryOf, readHistories } from '../../events/histories.ts';
import { aOrAn, idArgument, lowerFirst, words } from '../../names.ts';
import {
  and,
  assertPageSize,
  findSingletonId,
  loadTogether,
  maxPageSize,
  type Page,
  type Resource,
  type Row,
  rowExists,
  type SchemaKit,
  type SchemaTypes,
  uuidArgument,
} from '../../resource/index.ts';
import { ChangeView, decidingColumns, type LoggedType, loggedType, type VisibleChange } from './change-view.ts';
import type { ChangeTypes } from './types.ts';

/** Adds the history of each resource's rows: to the rows, and as a list of its own. */
export function addHistories(kit: SchemaKit, { Change }: Pick<ChangeTypes, 'Change'>): void {
  const connection = kit.addConnection('Change', Change);
  for (const resource of kit.resources) {
    const rowType = loggedType(resource);
    kit.addField(resource, 'history', (t) =>
      t.field({
        type: connection,
        nullable: true,
        description: `Changes of the ${words(resource.type)}, latest first.`,
        extensions: { rest: false },
        args: historyArguments(t.arg, 20),
        select: { id: true },
        resolve: (row: Row, args: HistoryArguments, context: Context) =>
          readPage(rowType, String(row['id']), args, context),
      }),
    );
    if (hasItems(resource)) addHistory(kit, resource, rowType, connection);
  }
}

/** Whether its rows have REST routes. */
const hasItems = ({ rest }: Resource) => rest.actions.some((action) => ['read', 'update', 'delete'].includes(action));

function addHistory(
  kit: SchemaKit,
  resource: Resource,
  rowType: LoggedType,
  returns: ReturnType<SchemaKit['addConnection']>,
): void {
  const { type, scope, path, isSingleton, parent, model } = resource;
  const thing = words(type);
  const id = (arg: ArgBuilder<SchemaTypes>, of: Resource, required: boolean) =>
    arg.id({ required, description: `ID of the ${words(of.type)}.`, extensions: { column: [of.model, 'id'] } });
  kit.addOperation({
    action: 'list',
    rest: true,
    field: `${lowerFirst(type)}History`,
    path: isSingleton ? `${path}/history` : `${path}/:id/history`,
    access: `${scope}:read`,
    type: 'Change',
    description: isSingleton
      ? `List the changes of the ${thing}, latest first.`
      : `List the changes of ${aOrAn(thing)}, latest first. Only admins can list those of a deleted one.`,
    returns,
    args: (arg): InputFieldMap => ({
      ...(parent && { [idArgument(parent.resource.type)]: id(arg, parent.resource, false) }),
      ...(!isSingleton && { id: id(arg, { ...resource, model }, true) }),
      ...historyArguments(arg, 25),
    }),
    async resolve(args, context) {
      const rowId = isSingleton ? await findSingletonId(resource, context) : uuidArgument(args, 'id');
      if (!(await isWithin(resource, rowId, args, context)) && !(await mayReadDeleted(rowType, rowId, context)))
        throw notFound(type);
      return readPage(rowType, rowId, args, context);
    },
  });
}

/** Whether the caller can read a row, and it belongs to the parent in the path. */
const isWithin = ({ model, accessFilter, parent }: Resource, id: string, args: Readonly<Row>, context: Context) => {
  const parentId = parent && args[idArgument(parent.resource.type)];
  const within = parent && parentId != null ? { [parent.column]: parentId } : {};
  return rowExists({ model, accessFilter: () => and([within, accessFilter?.(context) ?? {}]) }, id, context);
};

/** Whether a row is gone and the caller may read its history, as admins may. */
async function mayReadDeleted(rowType: LoggedType, rowId: string, context: Context): Promise<boolean> {
  if (context.caller.role !== 'ADMIN') return false;
  const { rows } = await readPage(rowType, rowId, { first: 1 }, context);
  return rows[0]?.['action'] === 'delete';
}

interface HistoryArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

const historyArguments = (arg: ArgBuilder<SchemaTypes>, pageSize: number): InputFieldMap => ({
  first: arg.int({ defaultValue: pageSize, description: `Maximum number of changes, 1 to ${maxPageSize}.` }),
  after: arg.string({ description: 'Cursor of the change before the page.' }),
});

/** Reads a page of a row's history, with those of the other rows of the same list. */
async function readPage(rowType: LoggedType, rowId: string, args: HistoryArguments, context: Context): Promise<Page> {
  const first = args.first ?? 20;
  assertPageSize(first);
  const below = args.after == null ? undefined : decodeCursor(args.after);
  const key = `history ${rowType.type} ${first} ${below ?? ''}`;
  const changes =
    (await loadTogether(context, key, rowId, (rowIds) =>
      readVisible(
        rowType,
        rowIds.map((id) => ({ id, below })),
        first + 1,
        context,
      ),
    )) ?? [];
  return {
    // The rows of a page are of any type, here changes.
    rows: changes.slice(0, first) as unknown as readonly Row[],
    hasNextPage: changes.length > first,
    hasPreviousPage: below !== undefined,
    // One of the rows above.
    cursor: (row) => encodeCursor(row as unknown as VisibleChange),
    total: async () =>
      (await loadTogether(context, `count of history ${rowType.type}`, rowId, (rowIds) =>
        countVisible(rowType, rowIds, context),
      )) ?? 0,
  };
}

/** Maximum number of changes of a row that are read at once to replace ones that the caller may not see. */
const maxBatch = 1000;

/** Reads the latest changes of rows that the caller may know of. @returns the changes by row, latest first */
async function readVisible(
  rowType: LoggedType,
  rows: readonly HistoryOf[],
  limit: number,
  context: Context,
): Promise<Map<string, VisibleChange[]>> {
  // Unscoped, as Prisma has no such queries, here and below: their SQL names the company of the caller.
  const { unscopedDb: db, caller } = context;
  const view = new ChangeView([rowType], context);
  const visible = new Map(rows.map(({ id }): [string, VisibleChange[]] => [id, []]));
  let left = rows;
  for (let size = limit; left.length > 0; size = Math.min(2 * size, maxBatch)) {
    const histories = await readHistories(db, caller, { table: rowType.table, rows: left, limit: size });
    left = left.flatMap(({ id }): HistoryOf[] => {
      const read = histories.get(id) ?? [];
      const found = visible.get(id) ?? [];
      found.push(...view.projectAll(read));
      const last = read.at(-1);
      return found.length < limit && read.length === size && last ? [{ id, below: last.seq }] : [];
    });
  }
  return visible;
}

/** Counts the changes of rows that the caller may know of. */
async function countVisible(
  rowType: LoggedType,
  rowIds: readonly string[],
  context: Context,
): Promise<Map<string, number>> {
  const { unscopedDb: db, caller } = context;
  const view = new ChangeView([rowType], context);
  const deciding = decidingColumns(rowType, context);
  const counts = new Map<string, number>();
  for (const { change, count } of await countHistories(db, caller, { table: rowType.table, rowIds, deciding }))
    if (view.project(change)) counts.set(change.rowId, (counts.get(change.rowId) ?? 0) + count);
  return counts;
}

const encodeCursor = ({ seq }: Pick<VisibleChange, 'seq'>) => Buffer.from(seq).toString('base64url');

/** @throws ServiceError BAD_REQUEST */
function decodeCursor(cursor: string): string {
  const seq = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^\d{1,18}$/.test(seq)) throw badRequest('is not a cursor of this list', 'after');
  return seq;
}
