import type { Context } from '../../context.ts';
import { badRequest } from '../../errors.ts';
import { readHistories } from '../../events/histories.ts';
import { readLog, readPosition, readRow } from '../../events/log.ts';
import { decodePosition } from '../../events/position.ts';
import { isUuid, nilUuid } from '../../formats.ts';
import { assertPageSize, defineOperation, defineType, maxPageSize } from '../../resource/index.ts';
import { ChangeView, chooseTypes, type LoggedType, loggedTypes, type VisibleRow } from './change-view.ts';
import { sharedTypes } from './types.ts';

/** A row of a snapshot, in the form of a change: one that exists, or one that was deleted lately. */
interface SnapshotRow extends Pick<VisibleRow, 'rowType'> {
  readonly rowId: string;
  readonly version: string;
  readonly after: VisibleRow['image'] | null;
}

/** A page of a snapshot. */
interface Snapshot {
  readonly position: string;
  readonly rows: readonly SnapshotRow[];
  readonly next: string | null;
}

/** Where a snapshot continues: among the changes that already follow its position, or in a table. */
type SnapshotCursor = { readonly position: string } & (
  | { readonly stage: 'unsettled'; readonly after: string }
  | { readonly stage: 'rows'; readonly table: string; readonly id: string }
);

const SnapshotPart = defineType((kit) => {
  const { builder } = kit;
  const { ChangedResource, ChangeAction } = sharedTypes(kit);
  const SnapshotRow = builder.objectRef<SnapshotRow>('SnapshotRow').implement({
    description: 'A row of a snapshot, in the form of a change.',
    fields: (t) => ({
      version: t.exposeString('version', {
        description:
          'The version of its latest change. The row already includes changes of the feed with a lower version.',
      }),
      resource: t.field({
        type: ChangedResource,
        description: 'Type of the row.',
        resolve: ({ rowType: { type } }) => type,
      }),
      rowId: t.field({ type: 'ID', description: 'ID of the row.', resolve: ({ rowId }) => rowId }),
      action: t.field({
        type: ChangeAction,
        description:
          '`CREATE`, or `DELETE` for a row that was deleted so recently that the feed may still return earlier changes of it.',
        resolve: ({ after }) => (after ? 'create' : 'delete'),
      }),
      after: t.field({
        type: 'RowImage',
        nullable: true,
        description: 'The row. Null for a deleted row.',
        resolve: ({ after }) => after,
      }),
    }),
  });
  return builder.objectRef<Snapshot>('Snapshot').implement({
    description: 'A part of a snapshot.',
    fields: (t) => ({
      position: t.exposeString('position', {
        description:
          'The position of the feed to continue from when the snapshot is complete. Pass it to the feed as `after`.',
      }),
      rows: t.field({
        type: [SnapshotRow],
        description: 'The rows. Except for deleted ones, each row is in a snapshot once. A part can be empty.',
        resolve: ({ rows }) => [...rows],
      }),
      next: t.exposeString('next', {
        nullable: true,
        description: 'Where to continue. Pass it as `after`. Null at the end.',
      }),
    }),
  });
});

/** All rows that the caller may read, and the position from which the feed goes on. */
export const snapshot = defineOperation({
  action: 'read',
  rest: true,
  isStream: true,
  databaseCost: 'log',
  field: 'snapshot',
  path: '/snapshot',
  access: 'caller',
  tag: { name: 'Changes', description: 'The changes of all resources, in one feed.' },
  type: 'Snapshot',
  description:
    'Get all rows that the caller may read, and the position from which the feed of changes continues. Use both to keep a copy up to date.',
  returns: SnapshotPart,
  args: (arg, kit) => ({
    resource: arg({ type: [sharedTypes(kit).ChangedResource], description: 'Only rows of these resources.' }),
    after: arg.string({ description: 'Where to continue: `next` of an earlier part.', extensions: { rest: false } }),
    first: arg.int({
      defaultValue: maxPageSize,
      description: `Maximum number of rows, 1 to ${maxPageSize}.`,
      extensions: { rest: false },
    }),
  }),
  async run(args, context, _info, { resources }): Promise<Snapshot> {
    const { after, resource, first } = args;
    assertPageSize(first);
    const chosen = chooseTypes(loggedTypes(resources), resource, context);
    const cursor = after == null ? await begin(context) : decodeCursor(after);
    return readPart(cursor, chosen, first, context);
  },
});

// Unscoped, as Prisma has no such queries, here and below: their SQL names the company of the caller.
async function begin({ unscopedDb, caller }: Context): Promise<SnapshotCursor> {
  const position = await readPosition(unscopedDb, caller);
  return { position, stage: 'unsettled', after: position };
}

async function readPart(
  cursor: SnapshotCursor,
  chosen: readonly LoggedType[],
  limit: number,
  context: Context,
): Promise<Snapshot> {
  const { position } = cursor;
  const view = new ChangeView(chosen, context);
  const tables = view.tables.toSorted();
  const begins = (table: string | undefined) =>
    table === undefined ? null : encodeCursor({ position, stage: 'rows', table, id: nilUuid });

  if (cursor.stage === 'unsettled') {
    const { rows, next } = await readLost(cursor.after, view, limit, context);
    return { position, rows, next: next === null ? begins(tables[0]) : encodeCursor({ ...cursor, after: next }) };
  }
  const { id } = cursor;
  const table = tables.find((each) => each === cursor.table);
  const model = table && view.modelOf(table);
  if (!model) throw badRequest('belongs to a snapshot of other resources', 'after');
  const found = await context.reader.versions(model, id, limit);
  const visible = await view.projectRows(found.map(({ image }) => ({ table, row: readRow(image) })));
  const rows = found.flatMap(({ id: rowId, version }, n) => {
    const seen = visible[n];
    return seen ? [{ rowType: seen.rowType, rowId, version, after: seen.image }] : [];
  });
  const last = found.at(-1);
  const next =
    last && found.length === limit
      ? encodeCursor({ ...cursor, id: last.id })
      : begins(tables[tables.indexOf(table) + 1]);
  return { position, rows, next };
}

/**
 * Reads rows that are deleted or invisible, but of which the feed returns changes after the position. Transactions end
 * in another order than they begin, so the change that deleted a row can be before the position and an earlier change
 * of it after. Without these rows, such a change would bring the row back in a copy.
 */
async function readLost(
  after: string,
  view: ChangeView,
  limit: number,
  { unscopedDb: db, caller }: Context,
): Promise<{ rows: SnapshotRow[]; next: string | null }> {
  const from = { after: decodePosition(after, 'after'), tables: view.tables, limit, beyondFence: true };
  const page = await readLog(db, caller, from);
  // As they were: a row that is invisible now may become visible again before the feed is read.
  const written = (await view.projectAsWere(page.changes)).filter(({ action }) => action !== 'delete');
  const rows: SnapshotRow[] = [];
  for (const rowType of new Set(written.map((change) => change.rowType))) {
    const rowIds = [...new Set(written.flatMap((change) => (change.rowType === rowType ? [change.rowId] : [])))];
    const { table } = rowType;
    const histories = await readHistories(db, caller, { table, rows: rowIds.map((id) => ({ id })), limit: 1 });
    const latest = [...histories.values()].flatMap(([change]) => change ?? []);
    const visible = await view.projectRows(latest.map(({ after: row }) => ({ table, row })));
    for (const [n, { rowId, seq }] of latest.entries())
      if (!visible[n]) rows.push({ rowType, rowId, version: seq, after: null });
  }
  return { rows, next: page.hasMore ? page.next : null };
}

const encodeCursor = (cursor: SnapshotCursor): string =>
  Buffer.from(
    cursor.stage === 'unsettled'
      ? `${cursor.position} unsettled ${cursor.after}`
      : `${cursor.position} rows ${cursor.table} ${cursor.id}`,
  ).toString('base64url');

const placeForm = /^(\S+) (?:unsettled (\S+)|rows ([a-z_]+) (\S+))$/;

/** @throws ServiceError BAD_REQUEST */
function decodeCursor(text: string): SnapshotCursor {
  const [, position, after, table, id] = placeForm.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (position !== undefined) {
    decodePosition(position, 'after');
    if (after !== undefined) return { position, stage: 'unsettled', after };
    if (table !== undefined && isUuid(id)) return { position, stage: 'rows', table, id };
  }
  throw badRequest('must be `next` of an earlier part of a snapshot', 'after');
}
