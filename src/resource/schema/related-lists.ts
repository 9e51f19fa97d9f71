import type { FieldMap } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { GroupParents } from '../../database/read/group-query.ts';
import { ServiceError } from '../../errors.ts';
import { findGroupsOf, type GroupArguments } from '../aggregate/find.ts';
import { and, type Row, type Rows, type Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import {
  type ListArguments,
  type Listed,
  type Listing,
  maxPageSize,
  nestedPageSize,
  type Page,
  type PagePlan,
  planPage,
} from '../read/lists.ts';
import { countRelated, fieldPath, loadTogether } from '../read/load.ts';
import type { Registry } from '../registry/registry.ts';
import type { FieldBuilder, SchemaKit } from './schema-kit.ts';

/** Pothos's selection of fields of a type, at any of several paths below the field. */
type Nested = (query: object, within: { getType(): string; paths: { name: string }[][] }) => object;

/**
 * Returns a list's selection, or an empty one when its arguments are wrong: selections are created for the whole query,
 * and the error belongs to the list's resolver, which reads the same arguments.
 */
function orNothing(select: () => object): object {
  try {
    return select();
  } catch (error) {
    if (error instanceof ServiceError) return {};
    throw error;
  }
}

/**
 * Selects a list's rows under `nodes` and `edges { node }`: they are the same rows, so one selection serves both.
 * Pothos leaves out fields that the two select with different arguments, and loads them separately.
 */
const selectRows = (nested: Nested, query: object, { type }: Pick<Listing, 'type'>) =>
  nested(query, { getType: () => type, paths: [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]] });

/** The aggregates of a list inside a row: of the lists of all rows of a page in one statement. */
function groupsOf(
  registry: Registry,
  target: Resource,
  parents: Omit<GroupParents, 'ids'>,
  id: string,
  listed: Where,
): Page['groups'] {
  return async (args: GroupArguments, context: Context, info: GraphQLResolveInfo) => {
    const grouped = {
      model: target.model,
      as: target.type,
      where: listed,
      rows: registry.filterableOf(target),
      measures: target.measures,
    };
    const found = await loadTogether(context, `groups ${fieldPath(info.path)}`, id, (ids) =>
      findGroupsOf(grouped, parents, ids, args, context, info),
    );
    return found ?? [];
  };
}

/**
 * A field that lists the rows that refer to this row, paged in the same SQL statement that loads the row.
 *
 * @param of this row and those like it
 * @param relation this row's relation to them
 * @param target their resource
 */
export function relatedList(
  kit: SchemaKit,
  t: FieldBuilder,
  of: Pick<Rows, 'model' | 'lists'>,
  relation: string,
  target: Resource,
  description: string,
): FieldMap[string] {
  const { registry } = kit;
  const { connection, listArguments } = kit.typesOf(target);
  const { model } = of;
  const { type: as } = target;
  const planRows = (args: ListArguments, context: Context) => {
    const plan = planPage(registry, target, args, context);
    return { ...plan, query: { ...plan.query, as } };
  };
  // If the rows also have a REST route below this row, the scope of that route applies here too.
  const mount = target.rest.mountedUnder?.resource;
  const access: Scope | undefined = mount?.model === model ? `${mount.scope}:read` : undefined;
  return t.field({
    type: connection,
    nullable: true,
    description,
    ...(access && { authScopes: { access } }),
    args: listArguments(t.arg, nestedPageSize),
    extensions: {
      listed: {
        relation,
        read(args, context) {
          const { query, filter } = planRows(args, context);
          return { query, counted: filter };
        },
      } satisfies Listed,
    },
    select: (args: ListArguments, context: Context, nested: Nested) => ({
      id: true,
      ...orNothing(() => ({ [relation]: selectRows(nested, planRows(args, context).query, target) })),
    }),
    resolve: (parent: Row, args: ListArguments, context: Context) => {
      const { filter: where, toPage } = planRows(args, context);
      const id = String(parent['id']);
      return {
        ...toPage(parent[relation] as Row[], () => countRelated(of, relation, { where, as }, id, context)),
        groups: groupsOf(registry, target, { model, relation }, id, where),
      };
    },
  });
}

/** A join table between two resources. */
export interface Link {
  /** The relation from the row to the join table. */
  readonly relation: string;
  /** The listing of the join table, whose latest row comes first; without one, rows come as in their own list. */
  readonly listing?: Listing;
  /** The relation from the join table to the listed rows. */
  readonly to: string;
  /** As which type the join table is read, where its model has several. */
  readonly as?: string;
  /** The scope that the field requires, if not the read scope of the listed rows. */
  readonly scope?: Scope;
}

/** A field that lists rows through a join table; paged in the same SQL statement too. */
export function relatedThrough(
  kit: SchemaKit,
  t: FieldBuilder,
  of: Pick<Rows, 'model' | 'lists'>,
  link: Link,
  target: Resource,
  description: string,
): FieldMap[string] {
  const { registry } = kit;
  const { model } = of;
  const { relation, listing, to, as, scope } = link;
  const planLinks = (args: ListArguments, context: Context) => planPage(registry, listing ?? target, args, context);
  const queryLinks = (args: ListArguments, context: Context) => linkQuery(link, target, planLinks(args, context), args);
  return t.field({
    type: kit.typesOf(target).connection,
    nullable: true,
    description,
    ...(scope && { authScopes: { access: scope } }),
    args: {
      first: t.arg.int({
        defaultValue: nestedPageSize,
        description: `1 to ${maxPageSize} rows.`,
      }),
      after: t.arg.string({ description: 'Continue after this cursor of an earlier page.' }),
      offset: t.arg.int({ defaultValue: 0, description: 'How many rows to skip.' }),
    },
    extensions: {
      listed: {
        relation,
        to,
        read: (args, context) => ({ query: queryLinks(args, context), counted: shownBy(to, target) }),
      } satisfies Listed,
    },
    select: (args: ListArguments, context: Context, nested: Nested) => ({
      id: true,
      ...orNothing(() => {
        const { keys, select, ...links } = queryLinks(args, context);
        const rows = { [to]: selectRows(nested, { select: keys }, target) };
        return { [relation]: { ...links, select: { ...select, ...rows } } };
      }),
    }),
    resolve(parent: Row, args: ListArguments, context: Context) {
      const { toPage } = planLinks(args, context);
      // As `select` selects them.
      const links = parent[relation] as Row[];
      const id = String(parent['id']);
      const count = () => countRelated(of, relation, { where: shownBy(to, target), as }, id, context);
      const groups = groupsOf(registry, target, { model, relation, through: { to, as } }, id, {});
      return { ...pageOfLinks(link, links, (found) => toPage(found, count)), groups };
    },
  });
}

/**
 * The query of a page in a join table. Without a listing of its own, the table is in the order of the listed rows.
 *
 * @returns Prisma's arguments, and as `keys` the columns that the page needs of the listed rows
 */
function linkQuery(
  { listing, to, as }: Link,
  target: Resource,
  { query }: Pick<PagePlan, 'query'>,
  args: ListArguments,
) {
  const shown = shownBy(to, target);
  if (listing) return { ...query, as, where: and([query.where, shown]), keys: { id: true } };
  return {
    ...query,
    as,
    where: and([args.after == null ? {} : { [to]: query.where }, shown]),
    orderBy: query.orderBy.map((key) => ({ [to]: key })),
    select: {},
    keys: query.select,
  };
}

/** The condition on a join table that the caller can access the row it leads to. */
const shownBy = (to: string, { accessFilter }: Resource): Where => (accessFilter ? { [to]: { is: {} } } : {});

/** The page of the rows that a join table leads to. Its cursors are those of the rows by which it is sorted. */
function pageOfLinks({ listing, to }: Link, links: readonly Row[], toPage: (found: readonly Row[]) => Page): Page {
  const rowOf = (link: Row) => link[to] as Row;
  if (!listing) return toPage(links.map(rowOf));
  const linkOf = new Map(links.map((link) => [rowOf(link), link]));
  const page = toPage(links);
  // Only rows of this page are asked for their cursors.
  return { ...page, rows: page.rows.map(rowOf), cursor: (row) => page.cursor(linkOf.get(row) as Row) };
}
