import type { FieldMap } from '@pothos/core';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type ListArguments, type Listing, maxPageSize, nestedPageSize, readPage } from './lists.ts';
import { and, type ModelName, modelFacts, type Row, type Where } from './model.ts';
import { countRelated, tenantWhere } from './query.ts';
import type { FieldBuilder, Resource, SchemaKit } from './resource.ts';

/** Pothos's selection of what rows of a type are asked for, at any of some paths below the field. */
type Nested = (query: object, within: { getType(): string; paths: { name: string }[][] }) => object;

/**
 * What a list selects, or nothing when its arguments are wrong: selections are made for the whole answer, and the
 * error belongs to the one list, whose resolver reads the same arguments.
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
 * What the rows of a list are asked for, under `nodes` and under `edges { node }`: they are the same rows, so one selection
 * serves both. What the two ask differently Pothos leaves out of it, and loads by itself.
 */
const selectRows = (nested: Nested, query: object, { type }: Pick<Listing, 'type'>) =>
  nested(query, { getType: () => type, paths: [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]] });

/**
 * A field that lists the rows that refer to this row, paged in the same SQL statement that loads the row.
 * @param model this row's
 * @param relation this row's list of them
 * @param target what they are
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
  // Rows of one company are tied by keys that say so. Companies are not: a person sees those where they are not working now.
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

/** Rows of a third table that tie a row to others. */
export interface Link {
  /** The row's list of them. */
  readonly relation: string;
  /** What they are. */
  readonly listing: Listing;
  /** Their relation to the rows that are listed. */
  readonly to: string;
  /** Which of them count. */
  readonly where?: Where;
}

/** A field that lists the rows that a third table ties to this row, the latest tie first; paged in the same SQL statement too. */
export function relatedThrough(
  kit: SchemaKit,
  t: FieldBuilder,
  model: ModelName,
  { relation, listing, to, where = {} }: Link,
  target: Resource,
  description: string,
): FieldMap[string] {
  return t.field({
    type: kit.typesOf(target).connection,
    nullable: true,
    description,
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
