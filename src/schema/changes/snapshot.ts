import type { Context } from '../../context.ts';
import { badRequest } from '../../errors.ts';
import { decodePosition } from '../../events/position.ts';
import { readPosition, readUnsettled, readVersionedRows } from '../../events/snapshot.ts';
import { isUuid } from '../../formats.ts';
import { maxPageSize, type SchemaKit } from '../../resource/index.ts';
import { ChangeView, chooseTypes, type LoggedType, type VisibleRow } from './change-view.ts';
import type { ChangeTypes } from './types.ts';

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

/** Where a snapshot continues: among the rows that have unsettled changes, or in a table. */
interface Place {
  readonly position: string;
  readonly stage: 'unsettled' | 'rows';
  readonly table: string;
  readonly id: string;
}

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Adds the snapshot: all rows that the caller may read, and the position from which the feed goes on. */
export function addSnapshot(
  kit: SchemaKit,
  types: readonly LoggedType[],
  { ChangedResource, ChangeAction }: ChangeTypes,
): void {
  const { builder } = kit;
  const SnapshotRow = builder.objectRef<SnapshotRow>('SnapshotRow').implement({
    description: 'A row of a snapshot, in the form of a change.',
    fields: (t) => ({
      version: t.exposeString('version', {
        description: 'The version of its latest change. Changes of the feed with a lower one are in the row already.',
      }),
      resource: t.field({
        type: ChangedResource,
        description: 'What it is a row of.',
        resolve: ({ rowType: { type } }) => type,
      }),
      rowId: t.field({ type: 'ID', description: 'ID of the row.', resolve: ({ rowId }) => rowId }),
      action: t.field({
        type: ChangeAction,
        description:
          '`CREATE`; `DELETE` for a row that was deleted so lately that the feed may still return earlier changes.',
        resolve: ({ after }) => (after ? 'create' : 'delete'),
      }),
      after: t.field({
        type: 'RowImage',
        nullable: true,
        description: 'The row. Null of a deleted one.',
        resolve: ({ after }) => after,
      }),
    }),
  });
  const Snapshot = builder.objectRef<Snapshot>('Snapshot').implement({
    description: 'A part of a snapshot.',
    fields: (t) => ({
      position: t.exposeString('position', {
        description: 'The position of the feed to continue from when the snapshot is complete, as its `after`.',
      }),
      rows: t.field({
        type: [SnapshotRow],
        description: 'Rows, each once in a snapshot. A part can be empty.',
        resolve: ({ rows }) => [...rows],
      }),
      next: t.exposeString('next', {
        nullable: true,
        description: 'Where to continue, as `after`. Null at the end.',
      }),
    }),
  });

  kit.addOperation({
    action: 'read',
    rest: true,
    isStream: true,
    field: 'snapshot',
    path: '/snapshot',
    access: 'caller',
    tag: { name: 'Changes', description: 'Everything that has changed, in one feed.' },
    type: 'Snapshot',
    description:
      'Get all rows that the caller may read, and the position from which the feed of changes goes on. Together they make a copy that follows.',
    returns: Snapshot,
    args: (arg) => ({
      resource: arg({ type: [ChangedResource], description: 'Only rows of these resources.' }),
      after: arg.string({ description: 'Where to continue: `next` of an earlier part.', extensions: { rest: false } }),
      first: arg.int({
        defaultValue: maxPageSize,
        description: `Maximum number of rows, 1 to ${maxPageSize}.`,
        extensions: { rest: false },
      }),
    }),
    async resolve(args, context): Promise<Snapshot> {
      const { after, resource, first } = args as { after?: string | null; resource?: string[] | null; first: number };
      if (first < 1 || first > maxPageSize) throw badRequest(`must be between 1 and ${maxPageSize}`, 'first');
      const chosen = chooseTypes(types, resource, context);
      const place = after == null ? await begin(context) : decodePlace(after);
      return readPart(place, chosen, first, context);
    },
  });
}

const begin = async ({ unscopedDb }: Context): Promise<Place> => ({
  position: await readPosition(unscopedDb),
  stage: 'unsettled',
  table: '',
  id: nilUuid,
});

async function readPart(
  place: Place,
  chosen: readonly LoggedType[],
  limit: number,
  context: Context,
): Promise<Snapshot> {
  const { unscopedDb: db, caller } = context;
  const { position, stage, table, id } = place;
  const view = new ChangeView(chosen, context);
  const tables = view.tables.toSorted();
  const begins = (next: string | undefined) =>
    next === undefined ? null : encodePlace({ position, stage: 'rows', table: next, id: nilUuid });

  if (stage === 'unsettled') {
    const unsettled = { position: decodePosition(position, 'after'), tables, after: { table, id }, limit };
    const { changes, last } = await readUnsettled(db, caller, unsettled);
    const latest = new Map(
      view.projectAll(changes).map((change) => [`${change.rowId} ${change.rowType.type}`, change]),
    );
    const rows = [...latest.values()]
      .filter(({ action }) => action === 'delete')
      .map(({ rowType, rowId, seq }) => ({ rowType, rowId, version: seq, after: null }));
    return { position, rows, next: last ? encodePlace({ ...place, ...last }) : begins(tables[0]) };
  }
  if (!tables.includes(table)) throw badRequest('is of a snapshot of other resources', 'after');
  const found = await readVersionedRows(db, caller, { table, after: id, limit });
  const rows = found.flatMap(({ id: rowId, version, stored }) => {
    const seen = view.projectRow(table, stored);
    return seen ? [{ rowType: seen.rowType, rowId, version, after: seen.image }] : [];
  });
  const last = found.at(-1);
  const next =
    last && found.length === limit ? encodePlace({ ...place, id: last.id }) : begins(tables[tables.indexOf(table) + 1]);
  return { position, rows, next };
}

const encodePlace = ({ position, stage, table, id }: Place): string =>
  Buffer.from([position, stage, table, id].join(' ')).toString('base64url');

const placeForm = /^(\S+) (unsettled|rows) ([a-z_]*) (\S+)$/;

/** @throws ServiceError BAD_REQUEST */
function decodePlace(text: string): Place {
  const [, position = '', stage, table = '', id] =
    placeForm.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if ((stage !== 'unsettled' && stage !== 'rows') || !isUuid(id))
    throw badRequest('is not `next` of a snapshot', 'after');
  decodePosition(position, 'after');
  return { position, stage, table, id };
}
