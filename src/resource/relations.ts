import type { ArgBuilder, FieldMap, ObjectRef } from '@pothos/core';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { SchemaTypes } from './builder.ts';
import {
  and,
  type ListArguments,
  type Listing,
  largestPage,
  type Page,
  type Row,
  readPage,
  smallPage,
  type Where,
} from './lists.ts';
import { loadTogether } from './load.ts';
import { type ModelName, modelFacts } from './model.ts';
import { delegate, tenant } from './writes.ts';

/** What a list field needs of the type whose rows it lists. */
export interface Listed {
  readonly listing: Listing;
  readonly connection: ObjectRef<SchemaTypes, Page>;
  readonly arguments: (arg: ArgBuilder<SchemaTypes>, pageSize: number) => object;
  /** Rows that do not exist for the caller are left out by this. */
  readonly visible?: (context: Context) => Where;
}

/**
 * What the kit uses of Pothos's field builder. Its own type is bound to one model at a time, and the kit builds
 * fields for models it knows only by name.
 */
export interface FieldBuilder {
  readonly arg: ArgBuilder<SchemaTypes>;
  expose(column: string, options: object): FieldMap[string];
  relation(name: string, options: object): FieldMap[string];
  field(options: object): FieldMap[string];
}

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
const selectRows = (nested: Nested, query: object, { type }: Listing) =>
  nested(query, { getType: () => type, paths: [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]] });

/** A list of rows that refer to this row, paged in the same SQL statement that loads the row. */
export function relatedList(
  t: FieldBuilder,
  model: ModelName,
  relation: string,
  { listing, connection, arguments: listed, visible }: Listed,
  description: string,
) {
  // Rows of one company are tied by keys that say so. Companies are not: a person sees those where they are not working now.
  const ofCompany = !('companyId' in modelFacts(model).columns);
  const existing = (context: Context) =>
    and([ofCompany ? tenant(listing.model, context) : {}, visible?.(context) ?? {}]);
  const query = (args: ListArguments, context: Context) => {
    const page = readPage(listing, args, context);
    return { ...page, query: { ...page.query, where: and([page.query.where, existing(context)]) } };
  };
  return t.field({
    type: connection,
    nullable: true,
    description,
    args: listed(t.arg, smallPage),
    select: (args: ListArguments, context: Context, nested: Nested) => ({
      id: true,
      ...orNothing(() => ({ [relation]: selectRows(nested, query(args, context).query, listing) })),
    }),
    resolve: (parent: Row, args: ListArguments, context: Context) => {
      const { filter, page } = query(args, context);
      const where = and([filter, existing(context)]);
      return page(parent[relation] as Row[], () => count(model, relation, where, String(parent['id']), context));
    },
  });
}

/**
 * A list of rows that are tied to this row by rows of a third table, the latest tie first; paged in the same SQL
 * statement too.
 * @param ties this row's list of them, `tie` what they are, `to` their relation to the rows that are listed
 */
export function relatedThrough(
  t: FieldBuilder,
  model: ModelName,
  ties: string,
  tie: Pick<Listed, 'listing'>,
  to: string,
  { connection, listing }: Listed,
  where: Where,
  description: string,
) {
  return t.field({
    type: connection,
    nullable: true,
    description,
    args: {
      first: t.arg.int({ defaultValue: smallPage, description: `How many rows at the most, 1 to ${largestPage}.` }),
      after: t.arg.string({ description: 'Continue after this cursor of an earlier page.' }),
      offset: t.arg.int({ defaultValue: 0, description: 'How many rows to skip.' }),
    },
    select: (args: ListArguments, context: Context, nested: Nested) => ({
      id: true,
      ...orNothing(() => {
        const { select, ...query } = readPage(tie.listing, args, context).query;
        return {
          [ties]: {
            ...query,
            where: and([query.where, where]),
            select: { ...select, [to]: selectRows(nested, { select: { id: true } }, listing) },
          },
        };
      }),
    }),
    resolve(parent: Row, args: ListArguments, context: Context) {
      const { page: pageOf } = readPage(tie.listing, args, context);
      const tied = parent[ties] as Row[];
      const tieOf = new Map(tied.map((row) => [row[to], row]));
      const page = pageOf(tied, () => count(model, ties, where, String(parent['id']), context));
      return {
        ...page,
        rows: page.rows.map((row) => row[to]),
        cursor: (row: Row) => page.cursor(tieOf.get(row) as Row),
      };
    },
  });
}

/** Counts a row's rows of a relation, and only when a client asks for the count. */
async function count(model: ModelName, relation: string, where: Where, id: string, context: Context): Promise<number> {
  const target = modelFacts(model).lists[relation];
  if (!target) throw new Error(`${model}.${relation} is not a list`);
  const { model: rows, column } = target;
  const counted = await loadTogether(context, JSON.stringify([model, relation, where]), id, async (ids) => {
    const groups = await delegate(context.db, rows).groupBy({
      by: [column],
      where: { AND: [{ companyId: context.caller.companyId }, { [column]: { in: ids } }, where] },
      _count: true,
    });
    return new Map(groups.map((group) => [String(group[column]), group['_count'] as number]));
  });
  return counted ?? 0;
}
