import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../errors.ts';
import { countHistories, type HistoryOf, readHistories } from '../../events/histories.ts';
import { idArgument, lowerFirst } from '../../names.ts';
import {
  type ArgumentBuilder,
  assertPageSize,
  defineField,
  defineOperation,
  defineType,
  type FieldBuilder,
  findSingletonId,
  forEachResource,
  type InputFieldMap,
  loadTogether,
  type Page,
  type Resource,
  type Row,
  rowExists,
  type SchemaExtension,
  type SchemaKit,
  storedField,
  uuidArgument,
  wordsOf,
} from '../../resource/index.ts';
import { type PageArguments, pageArguments } from '../page-arguments.ts';
import { ChangeView, type LoggedType, loggedType, type VisibleChange } from './change-view.ts';
import { sharedTypes } from './types.ts';

const ChangeConnection = defineType((kit) =>
  kit.addConnection({ type: 'Change', words: wordsOf('Change') }, sharedTypes(kit).Change),
);

/** The history of each resource's rows: of the rows, and as a list of its own. */
export const histories = forEachResource((resource) => [
  defineField(resource, 'history', (t, kit) => historyField(resource, t, kit)),
  ...(hasItems(resource) ? [defineHistory(resource)] : []),
]);

function historyField(resource: Resource, t: FieldBuilder, kit: SchemaKit) {
  const rowType = loggedType(resource);
  return t.field({
    type: ChangeConnection(kit),
    nullable: true,
    description: `Changes of the ${resource.words.noun}, latest first.`,
    extensions: { rest: false },
    args: pageArguments(t.arg, 20, 'change'),
    select: { id: true },
    resolve: (row: Row, args: PageArguments, context: Context) => readPage(rowType, String(row['id']), args, context),
  });
}

/** Whether its rows have REST routes. */
const hasItems = ({ rest }: Resource) => rest.actions.some((action) => ['read', 'update', 'delete'].includes(action));

function defineHistory(resource: Resource): SchemaExtension {
  const rowType = loggedType(resource);
  const { type, words, scope, path, isSingleton, parent, model } = resource;
  const id = (arg: ArgumentBuilder, of: Resource, required: boolean) =>
    arg.id({ required, description: `ID of the ${of.words.noun}.`, extensions: { stored: storedField(of, 'id') } });
  return defineOperation({
    action: 'list',
    rest: true,
    field: `${lowerFirst(type)}History`,
    path: isSingleton ? `${path}/history` : `${path}/:id/history`,
    access: `${scope}:read`,
    type: 'Change',
    description: isSingleton
      ? `List the changes of ${words.one}, latest first.`
      : `List the changes of ${words.one}, latest first. Only admins can list those of a deleted one.`,
    returns: ChangeConnection,
    args: (arg): InputFieldMap => ({
      ...(parent && { [idArgument(parent.resource.type)]: id(arg, parent.resource, false) }),
      ...(!isSingleton && { id: id(arg, { ...resource, model }, true) }),
      ...pageArguments(arg, 25, 'change'),
    }),
    async run(args: Readonly<Row>, context) {
      const rowId = isSingleton ? await findSingletonId(resource, context) : uuidArgument(args, 'id');
      if (!(await isWithin(resource, rowId, args, context)) && !(await mayReadDeleted(rowType, rowId, context)))
        throw notFound(words.noun);
      return readPage(rowType, rowId, args, context);
    },
  });
}

/** Whether the caller can read a row, and it belongs to the parent in the path. */
const isWithin = (resource: Resource, id: string, args: Readonly<Row>, context: Context) => {
  const { parent } = resource;
  const parentId = parent && args[idArgument(parent.resource.type)];
  const within = parent && parentId != null ? { [parent.column]: parentId } : {};
  return rowExists(resource, id, context, within);
};

/** Whether a row is gone and the caller may read its history, as admins may. */
async function mayReadDeleted(rowType: LoggedType, rowId: string, context: Context): Promise<boolean> {
  if (context.caller.role !== 'ADMIN') return false;
  const { rows } = await readPage(rowType, rowId, { first: 1 }, context);
  return rows[0]?.['action'] === 'delete' && rows[0]['before'] !== null;
}

/** Reads a page of a row's history, with those of the other rows of the same list. */
async function readPage(rowType: LoggedType, rowId: string, args: PageArguments, context: Context): Promise<Page> {
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
    for (const change of await view.projectAll([...histories.values()].flat())) visible.get(change.rowId)?.push(change);
    left = left.flatMap(({ id }): HistoryOf[] => {
      const read = histories.get(id) ?? [];
      const found = visible.get(id) ?? [];
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
  const similar = await countHistories(db, caller, { table: rowType.table, rowIds, deciding: view.decidingColumns });
  const countOf = new Map(similar.map(({ change: { seq }, count }) => [seq, count]));
  const counts = new Map<string, number>();
  for (const { rowId, seq } of await view.projectAll(similar.map(({ change }) => change)))
    counts.set(rowId, (counts.get(rowId) ?? 0) + (countOf.get(seq) ?? 0));
  return counts;
}

const encodeCursor = ({ seq }: Pick<VisibleChange, 'seq'>) => Buffer.from(seq).toString('base64url');

/** @throws ServiceError BAD_REQUEST */
function decodeCursor(cursor: string): string {
  const seq = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^\d{1,18}$/.test(seq)) throw badRequest('is not a cursor of this list', 'after');
  return seq;
}
