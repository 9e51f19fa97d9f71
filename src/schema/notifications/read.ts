import type { Context } from '../../context.ts';
import type { TableName } from '../../database/tables.ts';
import { columns, type LoggedChange, type LoggedRow, toChange } from '../../events/log.ts';
import { kebabCase, rowAddress, spaced } from '../../names.ts';
import type { ModelName, Row } from '../../resource/index.ts';
import { ChangeView, type LoggedType, type VisibleChange } from '../changes/change-view.ts';
import { kindNames } from './kinds.ts';
import { fileTable, readMalware } from './malware.ts';
import { describeChange, quote } from './texts.ts';
import type { NotificationView, PathOf, StoredNotification } from './view.ts';

/** What is shown of a row that notifications are about. */
interface Subject {
  readonly type: ModelName;
  /** The column with its name in REST; none where its name is that of another row. */
  readonly name?: string;
}

/** The rows that notifications are about, by their table. Each has a page. */
export const notificationSubjects: { readonly [Table in TableName]?: Subject } = {
  service_requests: { type: 'ServiceRequest', name: 'title' },
  move_requests: { type: 'MoveRequest', name: 'title' },
  reminders: { type: 'Reminder', name: 'title' },
  inventory_items: { type: 'InventoryItem', name: 'name' },
  leases: { type: 'Lease', name: 'name' },
  asset_maintenance: { type: 'AssetMaintenance' },
};

/** Pages of the company are below its slug, so that a link leads to its row whichever company is active. */
async function pathsIn(types: readonly LoggedType[], { unscopedDb, caller: { companyId } }: Context): Promise<PathOf> {
  // A company is no row of a company.
  const { slug } = await unscopedDb.company.findFirstOrThrow({ where: { id: companyId }, select: { slug: true } });
  const pages = new Map(types.map(({ table, field = '' }) => [table as string, kebabCase(field)]));
  return (tableName, id) => rowAddress(slug, pages.get(tableName) ?? '', id);
}

/**
 * Makes the texts of a person's notifications from the log of changes, in a few statements for all of them.
 *
 * @param types the types whose changes people can read
 * @param context that of the person
 * @returns those that the person may read now, in the same order
 */
export async function readNotifications(
  rows: readonly StoredNotification[],
  types: readonly LoggedType[],
  context: Context,
): Promise<NotificationView[]> {
  if (rows.length === 0) return [];
  const pathOf = await pathsIn(types, context);
  const isOfFile = ({ tableName }: StoredNotification) => tableName === fileTable;
  const views = new Map(await readMalware(rows.filter(isOfFile), notificationSubjects, pathOf, context));
  const ofChanges = rows.filter((row) => !isOfFile(row));
  for (const view of await readChangesOf(ofChanges, types, pathOf, context)) views.set(view.id, view);
  return rows.flatMap(({ id }) => views.get(id) ?? []);
}

async function readChangesOf(
  rows: readonly StoredNotification[],
  types: readonly LoggedType[],
  pathOf: PathOf,
  context: Context,
): Promise<NotificationView[]> {
  if (rows.length === 0) return [];
  const view = new ChangeView(types, context);
  // As they were: somebody who followed a request learns which one was deleted, and rows with a filter have none.
  const changes = new Map(
    (await view.projectAsWere(await readChanges(rows, context))).map((change) => [String(change.seq), change]),
  );
  const found = rows.flatMap((row) => {
    const change = changes.get(String(row.seq));
    const kind = kindNames.find((each) => each === row.kind);
    // Prisma has no type for the name of a table.
    const subject = notificationSubjects[row.tableName as TableName];
    return change && kind && subject ? [{ row, change, kind, subject }] : [];
  });
  const { timeZone, userId } = context.caller;
  const names = await readNames(
    found.flatMap(({ change }) => peopleOf(change)),
    context,
  );
  const titles = await readTitles(found, context);
  const nouns = new Map(types.map(({ model, words }) => [model, words.noun]));
  return found.map(({ row: { id, tableName, rowId, readAt }, change, kind, subject: { type, name } }) => {
    const title = titles.get(rowId) ?? (name === undefined ? undefined : imageOf(change)[name]) ?? 'Deleted';
    const isGone = change.action === 'delete';
    return {
      ...{ id, kind, rowId, readAt },
      resource: type,
      noun: nouns.get(type) ?? spaced(type),
      title: quote(title),
      text: describeChange(change, { timeZone, userId, names }),
      path: isGone ? null : pathOf(tableName, rowId),
      at: change.at,
    };
  });
}

/**
 * Reads the changes that notifications are about. Prisma has no condition on pairs of columns, so it is SQL and filters
 * by company itself.
 */
async function readChanges(
  rows: readonly StoredNotification[],
  { unscopedDb, caller: { companyId } }: Context,
): Promise<LoggedChange[]> {
  const changes = await unscopedDb.$queryRaw<LoggedRow[]>`
    SELECT ${columns} FROM changes
    WHERE company_id = ${companyId}::uuid
      AND (changes.xid, changes.seq) IN (
        SELECT * FROM unnest(${rows.map(({ xid }) => String(xid))}::bigint[], ${rows.map(({ seq }) => String(seq))}::bigint[])
      )`;
  return changes.map(toChange);
}

const imageOf = ({ after, before }: VisibleChange): Row => (after ?? before)?.inRest() ?? {};

/** The users whose names the text of a change may contain. */
const peopleOf = ({ actor, before, after }: VisibleChange): unknown[] => [
  actor?.user_id,
  ...[before, after].flatMap((image) => {
    const { assigned_to: assignee, user_id: author } = image?.inRest() ?? {};
    return [assignee, author];
  }),
];

async function readNames(ids: readonly unknown[], { db }: Context): Promise<Map<string, string>> {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))];
  if (wanted.length === 0) return new Map();
  const users = await db.user.findMany({ where: { id: { in: wanted } }, select: { id: true, fullName: true } });
  return new Map(users.map(({ id, fullName }) => [id, fullName]));
}

/** Reads the names of rows that their change does not have: requests of comments, and assets of maintenance. */
async function readTitles(
  found: readonly { readonly row: StoredNotification; readonly change: VisibleChange; readonly subject: Subject }[],
  { db }: Context,
): Promise<Map<string, string>> {
  const commented = found.filter(({ change: { rowType } }) => rowType.model === 'Comment');
  const idsOf = (type: ModelName) =>
    commented.flatMap(({ row, subject }) => (subject.type === type ? [row.rowId] : []));
  const maintained = found.flatMap(({ row, change, subject }) =>
    subject.type === 'AssetMaintenance' ? [{ rowId: row.rowId, assetId: String(imageOf(change)['asset_id']) }] : [],
  );
  const select = { id: true, title: true } as const;
  const whereIn = (ids: readonly string[]) => ({ id: { in: [...new Set(ids)] } });
  const ids = [idsOf('ServiceRequest'), idsOf('MoveRequest'), maintained.map(({ assetId }) => assetId)] as const;
  const [requests, moves, assets] = await Promise.all([
    ids[0].length > 0 ? db.serviceRequest.findMany({ where: whereIn(ids[0]), select }) : [],
    ids[1].length > 0 ? db.moveRequest.findMany({ where: whereIn(ids[1]), select }) : [],
    ids[2].length > 0 ? db.asset.findMany({ where: whereIn(ids[2]), select: { id: true, assetName: true } }) : [],
  ]);
  const assetNames = new Map(assets.map(({ id, assetName }) => [id, assetName]));
  return new Map([
    ...[...requests, ...moves].map(({ id, title }) => [id, title] as const),
    ...maintained.flatMap(({ rowId, assetId }) => {
      const name = assetNames.get(assetId);
      return name === undefined ? [] : [[rowId, name] as const];
    }),
  ]);
}
