import type { ArgBuilder, InputFieldMap } from '@pothos/core';
import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../errors.ts';
import { countHistories, type LoggedChange, readHistories } from '../../events/log.ts';
import { aOrAn, idArgument, lowerFirst, words } from '../../names.ts';
import {
  and,
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
import { ChangeView, type LoggedType, loggedType } from './change-view.ts';
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

/** Whether its rows have addresses in REST. */
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
    description: `List the changes of ${aOrAn(thing)}, latest first. Of a deleted one, for admins.`,
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
const isWithin = ({ model, filter, parent }: Resource, id: string, args: Readonly<Row>, context: Context) => {
  const parentId = parent && args[idArgument(parent.resource.type)];
  const within = parent && parentId != null ? { [parent.column]: parentId } : {};
  return rowExists({ model, filter: () => and([within, filter?.(context) ?? {}]) }, id, context);
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
  after: arg.string({ description: 'Return the changes after this cursor: earlier ones.' }),
});

/** Reads a page of a row's history, with those of the other rows of the same list. */
async function readPage(rowType: LoggedType, rowId: string, args: HistoryArguments, context: Context): Promise<Page> {
  const first = args.first ?? 20;
  if (first < 1 || first > maxPageSize) throw badRequest(`must be between 1 and ${maxPageSize}`, 'first');
  const below = args.after == null ? undefined : decodeCursor(args.after);
  const { unscopedDb: db, caller } = context;
  const { table } = rowType;
  const key = `history ${rowType.type} ${first} ${below ?? ''}`;
  const changes =
    (await loadTogether(context, key, rowId, (rowIds) =>
      readHistories(db, caller, { table, rowIds, limit: first + 1, below }),
    )) ?? [];
  const view = new ChangeView([rowType], context);
  return {
    rows: view.projectAll(changes.slice(0, first)) as unknown as readonly Row[],
    hasNextPage: changes.length > first,
    hasPreviousPage: below !== undefined,
    cursor: (row) => encodeCursor(row as unknown as LoggedChange),
    total: async () =>
      (await loadTogether(context, `count of ${key}`, rowId, (rowIds) =>
        countHistories(db, caller, { table, rowIds }),
      )) ?? 0,
  };
}

const encodeCursor = ({ seq }: Pick<LoggedChange, 'seq'>) => Buffer.from(seq).toString('base64url');

/** @throws ServiceError BAD_REQUEST */
function decodeCursor(cursor: string): string {
  const seq = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^\d{1,18}$/.test(seq)) throw badRequest('is not a cursor of this list', 'after');
  return seq;
}
