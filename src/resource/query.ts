// Reads pages and rows: the selected fields, limited to the caller's company and the rows that the caller may access.
// `load.ts` reads for many rows together.
import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { findGroups } from './aggregate/find.ts';
import { conditionId } from './cursor.ts';
import { type ListArguments, type ListKit, type Page, type PagePlan, type PageSelection, planPage } from './lists.ts';
import { and, type ModelName, modelFacts, type Row, type Where } from './model.ts';
import type { Resource } from './resource.ts';

/** The parts of a resource that reading its rows needs. */
type Target = Pick<Resource, 'model' | 'type' | 'accessFilter'>;

/** Prisma's `select` for the selected fields of a row. */
export type Selection = { select?: Record<string, unknown> };

/**
 * The condition for the rows of a model that the caller can access: the company's own. Of companies, a person sees
 * those they belong to, as in `me`.
 */
export const tenantWhere = (model: ModelName, { caller: { kind, companyId, userId } }: Context): Where => {
  if ('companyId' in modelFacts(model).columns) return { companyId };
  if (model !== 'Company') throw new Error(`${model} has no company.`);
  return kind === 'session' ? { users: { some: { id: userId } } } : { id: companyId };
};

/** The condition for the rows that the caller can access, of those that further conditions match. */
export const accessibleWhere = (
  { model, accessFilter }: Pick<Target, 'model' | 'accessFilter'>,
  within: readonly Where[],
  context: Context,
): Where => and([tenantWhere(model, context), ...within, accessFilter?.(context) ?? {}]);

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

/** What a client selects of a page that graphql-js executes. */
export const selectionOfPage = (
  { type }: Pick<Resource, 'type'>,
  context: Context,
  info: GraphQLResolveInfo,
): PageSelection => ({
  rows: (select) => queryFromInfo({ context, info, typeName: type, select, paths: [['nodes'], ['edges', 'node']] }),
  has: (field) => isSelected(info, field),
});

/** The fields of a connection that need its rows, and those of them that need to know whether another page follows. */
const pageFields = ['nodes', 'edges', 'pageInfo', 'totalCount'];
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
  kit: ListKit,
  resource: Resource,
  args: ListArguments,
  within: Where,
  context: Context,
  selection: PageSelection,
): Promise<Page> {
  const { model, measures } = resource;
  const plan = planPage(kit, resource, args, context);
  const base = accessibleWhere(resource, [within], context);
  const ofAllPages = and([base, plan.filter]);
  const { rows, total } = await readPage(model, plan, base, ofAllPages, selection, context);
  const count = async () => total ?? context.reader.count(model, ofAllPages);
  const isCarried = total !== undefined && total >= minCarriedTotal;
  const grouped = { model, where: ofAllPages, rows: kit.filterableOf(resource), measures };
  return {
    ...plan.toPage(rows, count, isCarried ? { total, of: conditionId(ofAllPages) } : undefined),
    groups: (given, context, info) => findGroups(grouped, given, context, info),
  };
}

/**
 * Reads what a client selects of a page: its rows, its total, both in one statement, or neither.
 *
 * @param base the condition of all rows that the list could have
 * @param ofAllPages the condition of the rows on all pages
 * @returns no total where none is selected, or where it needs another statement
 */
function readPage(
  model: ModelName,
  { query, counted }: PagePlan,
  base: Where,
  ofAllPages: Where,
  selection: PageSelection,
  { reader }: Context,
): Promise<{ rows: Row[]; total?: number }> | { rows: Row[]; total?: number } {
  if (!pageFields.some(selection.has)) return { rows: [] };
  const take = positionFields.some(selection.has) ? query.take : query.take - 1;
  const args = { ...query, take, ...selection.rows(query.select), where: and([base, query.where]) };
  if (!selection.has('totalCount')) return reader.findMany(model, args).then((rows) => ({ rows }));
  // The cursor of an earlier page may carry the total of the same list.
  if (counted !== undefined && counted.of === conditionId(ofAllPages))
    return reader.findMany(model, args).then((rows) => ({ rows, total: counted.total }));
  return reader.findWithTotal(model, args, ofAllPages);
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
  target: Target,
  ids: readonly string[],
  context: Context,
  selection: Selection,
): Promise<Row[]> {
  const where = accessibleWhere(target, [{ id: { in: ids } }], context);
  const rows = await context.reader.findMany(target.model, { ...selection, where });
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
