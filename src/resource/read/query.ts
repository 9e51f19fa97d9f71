// Reads pages and rows: the selected fields, limited to the caller's company and the rows that the caller may access.
// `load.ts` reads for many rows together.
import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../../context.ts';
import { maxSortedIds, type SortedIds } from '../../database/index.ts';
import { notFound } from '../../errors.ts';
import { findGroups } from '../aggregate/find.ts';
import { and, type Row, type Rows, type Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { conditionId } from './cursor.ts';
import {
  type Filterables,
  type ListArguments,
  type Page,
  type PagePlan,
  type PageSelection,
  planPage,
  type Selected,
  searchedWords,
} from './lists.ts';

/** The parts of a resource that reading its rows needs. */
type Target = Pick<Resource, 'model' | 'type' | 'words'>;

/** Prisma's `select` for the selected fields of a row. */
export type Selection = Pick<Selected, 'select'>;

/** The company of a new row, and of the key of a row that is written. */
export const companyOf = ({ company }: Rows['roles'], { caller: { companyId } }: Context): Row =>
  company ? { [company.name]: companyId } : {};

/** The primary key of a row of the caller's company that is written. */
export const keyOf = (roles: Rows['roles'], id: string, context: Context): Row => ({
  ...companyOf(roles, context),
  id,
});

/** Whether a query selects a field of the value that it resolves. */
export const isSelected = (info: GraphQLResolveInfo, field: string): boolean =>
  info.fieldNodes.some(({ selectionSet }) => selectionSet && hasField(selectionSet, field, info));

const hasField = ({ selections }: SelectionSetNode, field: string, info: GraphQLResolveInfo): boolean =>
  selections.some((selection) => {
    if (getDirectiveValues(GraphQLSkipDirective, selection, info.variableValues)?.['if'] === true) return false;
    if (getDirectiveValues(GraphQLIncludeDirective, selection, info.variableValues)?.['if'] === false) return false;
    if (selection.kind === Kind.FIELD) return selection.name.value === field;
    const spread = selection.kind === Kind.FRAGMENT_SPREAD ? info.fragments[selection.name.value] : selection;
    return spread !== undefined && hasField(spread.selectionSet, field, info);
  });

/** The fields of a connection that need its rows, and those of them that need to know whether another page follows. */
const pageFields = ['nodes', 'edges', 'pageInfo', 'totalCount', 'matches'];
const positionFields = ['pageInfo', 'totalCount'];

/** Number of rows from which later pages reuse the total of the first: counting fewer takes only milliseconds. */
const minCarriedTotal = 10_000;

/**
 * Reads one page of a list, as far as a client selects it.
 *
 * @param within limits the rows, for example to those of a parent
 * @throws ServiceError BAD_REQUEST naming a wrong argument, or INSUFFICIENT_SCOPE
 */
export async function findPage(
  registry: Filterables,
  resource: Resource,
  args: ListArguments,
  within: Where,
  context: Context,
  selection: PageSelection,
): Promise<Page> {
  const { model, type, measures, content } = resource;
  const plan = planPage(registry, resource, args, context);
  const ofAllPages = and([within, plan.filter]);
  const sortedIds = sortedIdsOf(plan, args, within, context);
  const { rows, total } =
    args.after != null && sortedIds?.isWorthwhile
      ? { rows: await readSorted(resource, plan, within, ofAllPages, selection, context, sortedIds), total: undefined }
      : await readPage(resource, plan, within, ofAllPages, selection, context);
  sortedIds?.pass(rows.length);
  const count = async () => total ?? context.reader.count(model, ofAllPages, type);
  const isCarried = total !== undefined && total >= minCarriedTotal;
  const grouped = { model, as: type, where: ofAllPages, rows: registry.filterableOf(resource), measures };
  const words = content ? searchedWords(args) : '';
  return {
    ...(content &&
      words !== '' && {
        matches: () =>
          content.find(
            words,
            rows.map(({ id }) => String(id)),
            context,
          ),
      }),
    ...plan.toPage(rows, count, isCarried ? { total, of: totalId(resource, within, plan.filter, context) } : undefined),
    groups: (given, context, info) => findGroups(grouped, given, context, info),
  };
}

/** Identifies what a total counts: rows that match a condition, of those that the caller can access. */
function totalId({ model, type }: Target, within: Where, filter: Where, { reader: { access } }: Context): string {
  const { companyId } = access;
  return conditionId(and([and([{ companyId }, within, access.filterOf(model, type) ?? {}]), filter]));
}

/**
 * Reads what a client selects of a page: its rows, its total, both in one statement, or neither.
 *
 * @param within limits the rows that the list could have
 * @param ofAllPages the condition of the rows on all pages
 * @returns no total where none is selected, or where it needs another statement
 */
function readPage(
  target: Target,
  { query, counted, filter }: PagePlan,
  within: Where,
  ofAllPages: Where,
  selection: PageSelection,
  context: Context,
): Promise<{ rows: Row[]; total?: number }> | { rows: Row[]; total?: number } {
  if (!pageFields.some(selection.has)) return { rows: [] };
  const take = positionFields.some(selection.has) ? query.take : query.take - 1;
  const { model, type } = target;
  const { reader } = context;
  const args = { ...query, take, ...selection.rows(query.select), as: type, where: and([within, query.where]) };
  if (!selection.has('totalCount')) return reader.findMany(model, args).then((rows) => ({ rows }));
  // The cursor of an earlier page may carry the total of the same list.
  if (counted !== undefined && counted.of === totalId(target, within, filter, context))
    return reader.findMany(model, args).then((rows) => ({ rows, total: counted.total }));
  return reader.findWithTotal(model, args, ofAllPages);
}

/** The order of the list that the request reads page by page, if this is that list and no index has its order. */
function sortedIdsOf(
  { list, isByTime }: PagePlan,
  { filter, search }: ListArguments,
  within: Where,
  { sortedIds }: Context,
): SortedIds | undefined {
  if (!sortedIds || isByTime) return undefined;
  // As the client gave the conditions: words such as `today` are other times on each page.
  return sortedIds.isOf(JSON.stringify([list, within, filter, search])) ? sortedIds : undefined;
}

/** Reads the rows of a later page by their ids, which are sorted once for all of these pages. */
async function readSorted(
  { model, type: as }: Target,
  { query }: PagePlan,
  within: Where,
  ofAllPages: Where,
  selection: PageSelection,
  { reader }: Context,
  sortedIds: SortedIds,
): Promise<Row[]> {
  const { orderBy, take } = query;
  const select = selection.rows(query.select);
  const findIds = () => reader.findIds(model, { as, where: and([within, query.where]), orderBy, take: maxSortedIds });
  if (sortedIds.lacks(take)) await sortedIds.sort(findIds);
  for (;;) {
    const rows: Row[] = [];
    // Rows that were deleted meanwhile, or no longer match, leave a gap.
    while (rows.length < take) {
      const { ids, start } = await sortedIds.read(take - rows.length);
      if (ids.length === 0) break;
      const found = await reader.findMany(model, { ...select, as, where: and([ofAllPages, { id: { in: ids } }]) });
      const byId = new Map(found.map((row) => [row['id'], row]));
      rows.push(...ids.map((id) => byId.get(id)).filter((row) => row !== undefined));
      // The last row only shows that another page follows, which begins with it.
      if (rows.length === take) sortedIds.seek(start + ids.lastIndexOf(String(rows.at(-1)?.['id'])));
    }
    if (rows.length === take || !sortedIds.isCut) return rows;
    // More rows may follow than were sorted.
    await sortedIds.sort(findIds);
  }
}

/** Reads one row. @param within limits the rows @throws ServiceError NOT_FOUND */
export async function findRow(
  { model, type, words }: Target,
  id: string,
  within: Where,
  context: Context,
  selection: Selected,
): Promise<Row> {
  const row = await context.reader.findUnique(model, { as: type, where: and([{ id }, within]), ...selection });
  if (!row) throw notFound(words.noun);
  return row;
}

/** Reads rows by their ids, in that order; rows that the caller cannot access are left out. */
export async function findRowsById(
  { model, type }: Target,
  ids: readonly string[],
  context: Context,
  selection: Selection,
): Promise<Row[]> {
  const rows = await context.reader.findMany(model, { ...selection, as: type, where: { id: { in: ids } } });
  const byId = new Map(rows.map((row) => [row['id'], row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** @throws ServiceError NOT_FOUND unless the caller can access the row */
export const assertExists = (resource: Target, id: string, context: Context): Promise<Row> =>
  findRow(resource, id, {}, context, { select: { id: true } });

/** Whether the caller can access a row. @param within limits the rows */
export const rowExists = async (
  { model, type }: Omit<Target, 'words'>,
  id: string,
  context: Context,
  within: Where = {},
): Promise<boolean> =>
  (await context.reader.findUnique(model, {
    as: type,
    where: and([{ id }, within]),
    select: { id: true },
  })) !== null;

/** Finds the id of a company's single row of a model. @throws ServiceError NOT_FOUND */
export async function findSingletonId({ model, type, words }: Target, context: Context): Promise<string> {
  const [row] = await context.reader.findMany(model, { as: type, select: { id: true }, take: 1 });
  if (!row) throw notFound(words.noun);
  return String(row['id']);
}
