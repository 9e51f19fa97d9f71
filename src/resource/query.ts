// The only place where the kit reads rows: the selected fields, limited to the caller's company and the rows the caller
// may access.
import { brandWithType, type ObjectRef } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import DataLoader from 'dataloader';
import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../context.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import { notFound } from '../errors.ts';
import { lowerFirst } from '../names.ts';
import { findGroups } from './aggregate/find.ts';
import type { SchemaTypes } from './builder.ts';
import { conditionId } from './cursor.ts';
import { type ListArguments, type ListKit, type Page, type PageSelection, planPage } from './lists.ts';
import { and, listModel, type ModelName, modelFacts, type Row, type Where } from './model.ts';
import type { Resource } from './resource.ts';

/** Prisma's methods of a model known only by name that neither the reader nor the writer has. */
interface Table {
  groupBy(args: object): Promise<Row[]>;
}

/** Prisma's `select` for the selected fields of a row. */
export type Selection = { select?: Record<string, unknown> };

/** The table of a model. Only here does the kit access Prisma by a model's name, so typing ends here. */
const tableOf = (client: Prisma.TransactionClient, model: ModelName): Table =>
  (client as unknown as Record<string, Table>)[lowerFirst(model)] as Table;

/**
 * The condition for the rows of a model that the caller can access: the company's own. Of companies, a person sees
 * those they belong to, as in `me`.
 */
export const tenantWhere = (model: ModelName, { caller: { kind, companyId, userId } }: Context): Where => {
  if ('companyId' in modelFacts(model).columns) return { companyId };
  return kind === 'session' ? { users: { some: { id: userId } } } : { id: companyId };
};

/** Selects one row of the caller's company by its primary key. @param extra further conditions */
export function uniqueWhere(model: ModelName, id: string, context: Context, extra: Where = {}): Where {
  const { companyId } = context.caller;
  return 'companyId' in modelFacts(model).columns
    ? { companyId, id, AND: [extra] }
    : { id, AND: [tenantWhere(model, context), extra] };
}

/** Whether a query selects a field of the value that it resolves. */
const isSelected = (info: GraphQLResolveInfo, field: string): boolean =>
  info.fieldNodes.some(({ selectionSet }) => selectionSet && hasField(selectionSet, field, info));

const hasField = ({ selections }: SelectionSetNode, field: string, info: GraphQLResolveInfo): boolean =>
  selections.some((selection) => {
    if (getDirectiveValues(GraphQLSkipDirective, selection, info.variableValues)?.['if'] === true) return false;
    if (getDirectiveValues(GraphQLIncludeDirective, selection, info.variableValues)?.['if'] === false) return false;
    if (selection.kind === Kind.FIELD) return selection.name.value === field;
    const spread = selection.kind === Kind.FRAGMENT_SPREAD ? info.fragments[selection.name.value] : selection;
    return spread !== undefined && hasField(spread.selectionSet, field, info);
  });

type Target = Pick<Resource, 'model' | 'type' | 'accessFilter'>;

/** What a client selects of a page that graphql-js executes. */
const selectionOfPage = (type: string, context: Context, info: GraphQLResolveInfo): PageSelection => ({
  rows: (select) => queryFromInfo({ context, info, typeName: type, select, paths: [['nodes'], ['edges', 'node']] }),
  has: (field) => isSelected(info, field),
});

/** The fields of a connection that need its rows, and those of them that need to know whether another page follows. */
const pageFields = ['nodes', 'edges', 'pageInfo', 'totalCount'];
const positionFields = ['pageInfo', 'totalCount'];

/** Number of rows from which later pages reuse the total of the first: counting fewer takes only milliseconds. */
const minCarriedTotal = 10_000;

/**
 * Reads one page of a list.
 *
 * @param within limits the rows, for example to those of a parent
 * @throws ServiceError BAD_REQUEST naming a wrong argument
 */
export async function findPage(
  kit: ListKit,
  resource: Resource,
  args: ListArguments,
  within: Where,
  context: Context,
  selected: GraphQLResolveInfo | PageSelection,
): Promise<Page> {
  const { model, type, accessFilter } = resource;
  const { filter, counted: carried, query, toPage } = planPage(kit, resource, args, context);
  const base = and([tenantWhere(model, context), within, accessFilter?.(context) ?? {}]);
  const selection = 'has' in selected ? selected : selectionOfPage(type, context, selected);
  const take = positionFields.some(selection.has) ? query.take : query.take - 1;
  const rowsArgs = { ...query, take, ...selection.rows(query.select), where: and([base, query.where]) };
  const ofAllPages = and([base, filter]);
  const { reader } = context;
  const count = () => reader.count(model, ofAllPages);
  const grouped = { model, where: ofAllPages, rows: kit.filterableOf(resource), measures: resource.measures };
  const groups: Page['groups'] = (given, context, info) => findGroups(grouped, given, context, info);
  const toGroupedPage: typeof toPage = (...found) => ({ ...toPage(...found), groups });
  if (!pageFields.some(selection.has)) return toGroupedPage([], count);
  if (!selection.has('totalCount')) return toGroupedPage(await reader.findMany(model, rowsArgs), count);
  // The cursor of an earlier page may carry the total of the same list.
  const isKnown = carried !== undefined && carried.of === conditionId(ofAllPages);
  const { rows, total } = isKnown
    ? { rows: await reader.findMany(model, rowsArgs), total: carried.total }
    : await reader.findWithTotal(model, rowsArgs, ofAllPages);
  const carries = total !== undefined && total >= minCarriedTotal;
  return toGroupedPage(
    rows,
    async () => total ?? count(),
    carries ? { total, of: conditionId(ofAllPages) } : undefined,
  );
}

/** Reads one row. @param within limits the rows @throws ServiceError NOT_FOUND */
export async function findRow(
  { model, type, accessFilter }: Target,
  id: string,
  within: Where,
  context: Context,
  selection: Selection,
): Promise<Row> {
  const where = uniqueWhere(model, id, context, and([within, accessFilter?.(context) ?? {}]));
  const row = await context.reader.findUnique(model, { where, ...selection });
  if (!row) throw notFound(type);
  return row;
}

/** Reads rows by their ids, in that order; rows that the caller cannot access are left out. */
export async function findRowsById(
  { model, accessFilter }: Target,
  ids: readonly string[],
  context: Context,
  selection: Selection,
): Promise<Row[]> {
  const where = and([tenantWhere(model, context), { id: { in: ids } }, accessFilter?.(context) ?? {}]);
  const rows = await context.reader.findMany(model, { ...selection, where });
  const byId = new Map(rows.map((row) => [row['id'], row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** @throws ServiceError NOT_FOUND unless the caller can access the row */
export const assertExists = (resource: Target, id: string, context: Context): Promise<Row> =>
  findRow(resource, id, {}, context, { select: { id: true } });

/** Whether the caller's company has a row. @param filter a further condition */
export const rowExists = async (
  { model, accessFilter }: Pick<Target, 'model' | 'accessFilter'>,
  id: string,
  context: Context,
): Promise<boolean> =>
  (await context.reader.findUnique(model, {
    where: uniqueWhere(model, id, context, accessFilter?.(context)),
    select: { id: true },
  })) !== null;

/** Finds the id of a company's single row of a model. @throws ServiceError NOT_FOUND */
export async function findSingletonId({ model, type }: Target, context: Context): Promise<string> {
  const where = tenantWhere(model, context);
  const [row] = await context.reader.findMany(model, { where, select: { id: true }, take: 1 });
  if (!row) throw notFound(type);
  return String(row['id']);
}

/** Counts the related rows of a row, in one statement for all rows counted at the same time. */
export async function countRelated(
  model: ModelName,
  relation: string,
  where: Where,
  id: string,
  context: Context,
): Promise<number> {
  const rows = listModel(model, relation);
  const column = modelFacts(model).lists[relation]?.column ?? '';
  const counted = await loadTogether(context, JSON.stringify([model, relation, where]), id, async (ids) => {
    const groups = await tableOf(context.unscopedDb, rows).groupBy({
      by: [column],
      where: and([tenantWhere(rows, context), { [column]: { in: ids } }, where]),
      _count: true,
    });
    return new Map(groups.map((group) => [String(group[column]), group['_count'] as number]));
  });
  return counted ?? 0;
}

const loaders = new WeakMap<Context, Map<string, DataLoader<string, unknown>>>();

/**
 * Loads a value for a row, in one statement for all rows of a list. Values are not cached, as the next field of a
 * mutation may change them.
 *
 * @param thing identifies the value, and everything it depends on but the row's id
 * @param load loads values by the rows' ids; rows without a value may be missing
 */
export function loadTogether<Thing>(
  context: Context,
  thing: string,
  id: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Thing>>,
): Promise<Thing | undefined> {
  const mine = loaders.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loaders.set(context, mine);
  let loader = mine.get(thing);
  if (!loader) {
    loader = new DataLoader<string, unknown>(
      async (ids) => {
        const found = await load([...new Set(ids)]);
        return ids.map((each) => found.get(each));
      },
      { cache: false },
    );
    mine.set(thing, loader);
  }
  // Values of one name have one type.
  return loader.load(id) as Promise<Thing | undefined>;
}

/** Loads a row for a field whose parent is not a row; null when the caller cannot access it. */
export async function loadRow(
  { model, type, accessFilter }: Target,
  ref: ObjectRef<SchemaTypes, unknown>,
  id: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row | null> {
  const row = await loadTogether(context, `${type} ${fieldPath(info.path)}`, id, async (ids) => {
    const rows = await context.reader.findMany(model, {
      ...queryFromInfo({ context, info, typeName: type, select: { id: true } }),
      where: and([tenantWhere(model, context), { id: { in: ids } }, accessFilter?.(context) ?? {}]),
    });
    // A union determines a row's type by its brand.
    for (const each of rows) brandWithType(each, ref);
    return new Map(rows.map((each) => [String(each['id']), each]));
  });
  return row ?? null;
}

/** A field's path in the query, the same for all rows of its lists. */
export const fieldPath = ({ key, prev }: GraphQLResolveInfo['path']): string =>
  (prev ? fieldPath(prev) : '') + (typeof key === 'string' ? `.${key}` : '');
