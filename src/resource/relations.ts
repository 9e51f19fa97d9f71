import type { FieldMap } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type ListArguments, type Listing, maxPageSize, nestedPageSize, readPage } from './lists.ts';
import { and, type ModelName, modelFacts, type Row, type Where } from './model.ts';
import { countRelated, tenantWhere } from './query.ts';
import type { FieldBuilder, Resource, SchemaKit } from './resource.ts';

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
 * Pothos leaves out fields that the two select differently, and loads them separately.
 */
const selectRows = (nested: Nested, query: object, { type }: Pick<Listing, 'type'>) =>
  nested(query, { getType: () => type, paths: [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]] });

/**
 * A field that lists the rows that refer to this row, paged in the same SQL statement that loads the row.
 *
 * @param model this row's model
 * @param relation this row's relation to them
 * @param target their resource
 */
export function relatedList(
  kit: SchemaKit,
  t: FieldBuilder,
  model: ModelName,
  relation: string,
  target: Resource,
  description: string,
): FieldMap[string] {
  const { connection, listArguments } = kit.typesOf(target);
  // Foreign keys keep rows of other companies out of relations, except for companies themselves: a person may belong to
  // several.
  const ofCompany = !('companyId' in modelFacts(model).columns);
  const visible = (context: Context) =>
    and([ofCompany ? tenantWhere(target.model, context) : {}, target.filter?.(context) ?? {}]);
  const query = (args: ListArguments, context: Context) => {
    const page = readPage(target, args, context);
    return { ...page, query: { ...page.query, where: and([page.query.where, visible(context)]) } };
  };
  return t.field({
    type: connection,
    nullable: true,
    description,
    args: listArguments(t.arg, nestedPageSize),
    select: (args: ListArguments, context: Context, nested: Nested) => ({
      id: true,
      ...orNothing(() => ({ [relation]: selectRows(nested, query(args, context).query, target) })),
    }),
    resolve: (parent: Row, args: ListArguments, context: Context) => {
      const { filter, page } = query(args, context);
      const where = and([filter, visible(context)]);
      return page(parent[relation] as Row[], () => countRelated(model, relation, where, String(parent['id']), context));
    },
  });
}

/** A join table between two resources. */
export interface Link {
  /** The relation from the row to the join table. */
  readonly relation: string;
  /** The listing of the join table. */
  readonly listing: Listing;
  /** The relation from the join table to the listed rows. */
  readonly to: string;
  /** A condition on the join table. */
  readonly where?: Where;
  /** The scope that the field requires, if not the read scope of the listed rows. */
  readonly scope?: Scope;
}

/** A field that lists rows through a join table, the latest join first; paged in the same SQL statement too. */
export function relatedThrough(
  kit: SchemaKit,
  t: FieldBuilder,
  model: ModelName,
  { relation, listing, to, where = {}, scope }: Link,
  target: Resource,
  description: string,
): FieldMap[string] {
  return t.field({
    type: kit.typesOf(target).connection,
    nullable: true,
    description,
    ...(scope && { authScopes: { access: scope } }),
    args: {
      first: t.arg.int({
        defaultValue: nestedPageSize,
        description: `Maximum number of rows to return, 1 to ${maxPageSize}.`,
      }),
      after: t.arg.string({ description: 'Continue after this cursor of an earlier page.' }),
      offset: t.arg.int({ defaultValue: 0, description: 'How many rows to skip.' }),
    },
    select: (args: ListArguments, context: Context, nested: Nested) => ({
      id: true,
      ...orNothing(() => {
        const { select, ...query } = readPage(listing, args, context).query;
        const linked = { ...select, [to]: selectRows(nested, { select: { id: true } }, target) };
        return { [relation]: { ...query, where: and([query.where, where]), select: linked } };
      }),
    }),
    resolve(parent: Row, args: ListArguments, context: Context) {
      const { page: pageOf } = readPage(listing, args, context);
      const links = parent[relation] as Row[];
      const linkOf = new Map(links.map((row) => [row[to], row]));
      const page = pageOf(links, () => countRelated(model, relation, where, String(parent['id']), context));
      const rows = page.rows.map((row) => row[to]);
      return { ...page, rows, cursor: (row: Row) => page.cursor(linkOf.get(row) as Row) };
    },
  });
}
