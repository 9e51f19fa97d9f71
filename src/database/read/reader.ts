import type { Where } from './conditions.ts';
import {
  type Compiled,
  compileCount,
  compileFind,
  compileFindWithTotal,
  compileMatches,
  type FindArgs,
  type Row,
} from './find.ts';
import type { FoundGroup, GroupQuery } from './group-query.ts';
import { compileGroups } from './groups.ts';

/** Reads rows of any model, as Prisma's arguments. */
export interface Reader {
  /** Reads the rows of a page; all that the condition matches, where there is no `take`. */
  findMany(model: string, args: FindArgs): Promise<Row[]>;
  /** @param args select at most one row @returns null if there is none */
  findUnique(model: string, args: FindArgs): Promise<Row | null>;
  /**
   * Reads rows, and counts those that another condition matches.
   * @returns no total where it needs another statement
   */
  findWithTotal(model: string, args: FindArgs, counted: Where): Promise<{ rows: Row[]; total?: number }>;
  /** Counts the rows that a condition matches. */
  count(model: string, where: Where): Promise<number>;
  /** Finds which rows match, of those given by the columns of the database. @returns their places */
  matches(model: string, rows: readonly Row[], where: Where): Promise<ReadonlySet<number>>;
  /** Groups rows, and measures each group. */
  groups(model: string, query: GroupQuery): Promise<FoundGroup[]>;
}

/**
 * Runs a statement.
 * @param isLast whether the current transaction can be committed with it
 * @returns the rows, each with PostgreSQL's text values in the order of the columns
 */
export type Run = (statement: Compiled<unknown>, isLast?: boolean) => Promise<(string | null)[][]>;

/**
 * Creates the reader. It compiles each read to one statement, which takes less time than Prisma's own; Prisma gives the
 * same rows.
 */
export function createReader(run: Run): Reader {
  const read = async <Result>(compiled: Compiled<Result>): Promise<Result[]> =>
    (await run(compiled)).map(compiled.decode);
  return {
    findMany: (model, args) => read(compileFind(model, args)),
    findUnique: async (model, args) => (await read(compileFind(model, args)))[0] ?? null,
    async findWithTotal(model, args, counted) {
      const found = await read(compileFindWithTotal(model, args, counted));
      return { rows: found.map(({ row }) => row), total: found[0]?.total };
    },
    count: async (model, where) => (await read(compileCount(model, where)))[0] ?? 0,
    matches: async (model, rows, where) =>
      new Set(rows.length > 0 ? await read(compileMatches(model, rows, where)) : []),
    groups: (model, query) => read(compileGroups(model, query)),
  };
}
