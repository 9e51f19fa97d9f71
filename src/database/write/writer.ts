import type { Actor } from '../actor.ts';
import type { Where } from '../read/conditions.ts';
import type { Compiled, Row } from '../read/find.ts';
import type { Models } from '../read/models.ts';
import type { Run } from '../read/reader.ts';
import { modelOf } from '../read/schema-models.ts';
import {
  compileCreate,
  compileDelete,
  compileUpdate,
  compileUpdateMany,
  type RowUpdate,
  replacedRows,
  type WriteContext,
} from './compile.ts';

/** Options of a write. */
interface WriteOptions {
  /** Whether it is the last statement of its transaction, which is committed with it. */
  readonly isLast?: boolean;
  /** The time of the write, where it is not now. */
  readonly at?: Date;
}

/** Writes rows of any model, as Prisma's arguments. Written rows are returned with all columns. */
export interface Writer {
  /** @param data columns, and rows of list relations as `{ create: [...] }` */
  create(model: string, data: Row, options?: WriteOptions): Promise<Row>;
  /** @param rows as `data` of `create` @returns the rows in the order given */
  createMany(model: string, rows: readonly Row[], options?: WriteOptions): Promise<Row[]>;
  /**
   * @param key the columns of the primary key
   * @param data as of `create`; with `deleteMany: {}` the rows before are deleted
   * @returns null if there is no such row
   */
  update(model: string, key: Row, data: Row, options?: WriteOptions): Promise<Row | null>;
  /**
   * Updates several rows by one statement for each set of columns.
   *
   * @param updates each with its key, and data as of `create`
   * @returns the rows that exist, in any order
   */
  updateMany(model: string, updates: readonly RowUpdate[], options?: WriteOptions): Promise<Row[]>;
  /** @returns the deleted rows, in any order */
  deleteMany(model: string, where: Where): Promise<Row[]>;
  /** @returns null if there is no such row */
  delete(model: string, where: Where, options?: WriteOptions): Promise<Row | null>;
}

/**
 * Creates the writer. It compiles each write to one statement, which also names who writes; Prisma writes the same
 * rows.
 *
 * @param actorOf returns who writes
 * @param models those of the API that writes; by default those of the Prisma schema
 */
export function createWriter(run: Run, actorOf: () => Actor | undefined, models: Models = modelOf): Writer {
  const write = async (compiled: Compiled<Row>, isLast?: boolean): Promise<Row[]> =>
    (await run(compiled, isLast)).map(compiled.decode);
  const context = (at = new Date()): WriteContext => ({ models, at, actor: actorOf() });
  return {
    async create(model, data, { isLast, at } = {}) {
      const [row] = await write(compileCreate(model, [data], context(at)), isLast);
      if (!row) throw new Error(`The new row of ${model} was not returned.`);
      return row;
    },
    createMany: (model, rows, { isLast, at } = {}) => write(compileCreate(model, rows, context(at)), isLast),
    async update(model, key, data, { isLast, at } = {}) {
      // In a separate statement, because the parts of one statement do not see each other's deletions.
      for (const [replaced, where] of replacedRows(models(model), key, data))
        await write(compileDelete(replaced, where, context()));
      return (await write(compileUpdate(model, { key, data }, context(at)), isLast))[0] ?? null;
    },
    async updateMany(model, updates, { at } = {}) {
      const sameColumns = new Map<string, RowUpdate[]>();
      for (const update of updates) {
        const columns = Object.keys(update.data).sort().join();
        sameColumns.set(columns, [...(sameColumns.get(columns) ?? []), update]);
      }
      const rows: Row[] = [];
      for (const group of sameColumns.values())
        rows.push(...(await write(compileUpdateMany(model, group, context(at)))));
      return rows;
    },
    deleteMany: (model, where) => write(compileDelete(model, where, context())),
    delete: async (model, where, { isLast } = {}) =>
      (await write(compileDelete(model, where, context()), isLast))[0] ?? null,
  };
}
