// Prisma's `create`, `update` and `delete`, as one statement each that returns the written rows.
import { uuidAt } from '../../formats.ts';
import { type Actor, actorSetting } from '../actor.ts';
import { allOf, conditionsOf, toDatabase, type Where } from '../read/conditions.ts';
import { allColumns, type Compiled, type Row } from '../read/find.ts';
import { columnOf, modelOf, type SqlColumn, type SqlJoin, type SqlModel, sqlTypeOf } from '../read/models.ts';
import { Statement } from '../read/statement.ts';

/** The time of a write, and its writer. */
export interface WriteContext {
  readonly at: Date;
  readonly actor?: Actor;
}

/** Rows of another table that belong to a written row. */
interface NestedRows {
  readonly join: SqlJoin;
  readonly target: SqlModel;
  /** Whether they replace the existing rows. */
  readonly replace: boolean;
  readonly rows: readonly Row[];
}

/** Compiles the insertion of rows. */
export function compileCreateMany(name: string, rows: readonly Row[], { at, actor }: WriteContext): Compiled<Row> {
  const model = modelOf(name);
  const statement = new Statement();
  const alias = statement.alias(model);
  const { sql, decode } = writtenColumns(statement, model, alias, actor);
  const text = `INSERT INTO "${model.table}" AS ${alias} ${newRows(statement, model, rows, at)} RETURNING ${sql}`;
  return { text, values: statement.values, tables: statement.tables, decode };
}

/** Compiles the insertion of a row and of those that are nested in it, as in `{ activity: { create: [...] } }`. */
export function compileCreate(name: string, data: Row, context: WriteContext): Compiled<Row> {
  const model = modelOf(name);
  const { columns, nested } = split(model, data);
  const statement = new Statement();
  const alias = statement.alias(model);
  const write = `INSERT INTO "${model.table}" AS ${alias} ${newRows(statement, model, [columns], context.at)}`;
  return withNested(statement, model, alias, write, nested, context);
}

/** Compiles the update of a row, and the insertion of those that are nested in it. */
export function compileUpdate(name: string, where: Where, data: Row, context: WriteContext): Compiled<Row> {
  const model = modelOf(name);
  const { columns, nested } = split(model, data);
  const statement = new Statement();
  const alias = statement.alias(model);
  const changes: Row = { ...columns };
  for (const [column, { updatedAt }] of Object.entries(model.columns)) if (updatedAt) changes[column] ??= context.at;
  const list = Object.entries(changes).map(([column, value]) => {
    const facts = columnOf(model, column);
    return `${nameOf(column, facts)} = ${valueSql(statement, facts, value)}`;
  });
  const condition = allOf(conditionsOf(statement, model, alias, where));
  const write = `UPDATE "${model.table}" AS ${alias} SET ${list.join(', ')} WHERE ${condition}`;
  return withNested(statement, model, alias, write, nested, context);
}

/** Compiles a deletion. */
export function compileDelete(name: string, where: Where, actor?: Actor): Compiled<Row> {
  const model = modelOf(name);
  const statement = new Statement();
  const alias = statement.alias(model);
  const { sql, decode } = writtenColumns(statement, model, alias, actor);
  const condition = allOf(conditionsOf(statement, model, alias, where));
  const text = `DELETE FROM "${model.table}" AS ${alias} WHERE ${condition} RETURNING ${sql}`;
  return { text, values: statement.values, tables: statement.tables, decode };
}

/** The nested rows that an update replaces: conditions for the rows before, by their model. */
export function replacedRows(name: string, key: Row, data: Row): [model: string, where: Where][] {
  return split(modelOf(name), data).nested.flatMap(({ join: { model, on }, replace }) =>
    replace ? [[model, Object.fromEntries(on.map(([mine, others]) => [others, key[mine]]))]] : [],
  );
}

/** Separates columns from nested rows. @throws Error for writes of Prisma that nothing here uses */
function split(model: SqlModel, data: Row): { columns: Row; nested: NestedRows[] } {
  const columns: Row = {};
  const nested: NestedRows[] = [];
  for (const [name, value] of Object.entries(data)) {
    const join = model.joins[name];
    if (value === undefined) continue;
    if (join?.list) {
      // What a list of rows is written with, in the words of Prisma.
      const { create, deleteMany, ...others } = value as { create: readonly Row[]; deleteMany?: object };
      if (Object.keys(others).length > 0) throw new Error(`The write of ${name} is not supported.`);
      nested.push({ join, target: modelOf(join.model), replace: deleteMany !== undefined, rows: create });
    } else columns[name] = value;
  }
  return { columns, nested };
}

/** Adds the nested rows to the statement that writes their row, and returns that row. */
function withNested(
  statement: Statement,
  model: SqlModel,
  alias: string,
  write: string,
  nested: readonly NestedRows[],
  { at, actor }: WriteContext,
): Compiled<Row> {
  const { sql, decode } = writtenColumns(statement, model, alias, actor);
  const parts = nested.flatMap(({ join, target, rows }) =>
    rows.length > 0
      ? [`${statement.alias(target)} AS (${nestedInsert(statement, model, join, target, rows, at)})`]
      : [],
  );
  const text =
    parts.length === 0
      ? `${write} RETURNING ${sql}`
      : `WITH written AS (${write} RETURNING *), ${parts.join(', ')} SELECT ${sql} FROM written AS ${alias}`;
  return { text, values: statement.values, tables: statement.tables, decode };
}

/**
 * The columns of the written row. The last one is not decoded: it sets who writes, for the triggers of the log of
 * changes, which run after all rows.
 */
function writtenColumns(statement: Statement, model: SqlModel, alias: string, actor: Actor | undefined) {
  const { sql, decode } = allColumns(statement, model, alias);
  if (!actor) return { sql, decode };
  const { name, value } = actorSetting(actor);
  return { sql: `${sql}, set_config('${name}', ${statement.value(value, 'text')}, true) IS NULL`, decode };
}

/** Inserts rows whose foreign key is that of the written row. */
function nestedInsert(
  statement: Statement,
  model: SqlModel,
  { on }: SqlJoin,
  target: SqlModel,
  rows: readonly Row[],
  at: Date,
): string {
  const keys = new Map(on.map(([mine, others]) => [others, `written.${nameOf(mine, columnOf(model, mine))}`]));
  return `INSERT INTO "${target.table}" ${newRows(statement, target, rows, at, keys)}`;
}

/**
 * The columns and values of new rows. All columns are named, so that the statement does not depend on what a row leaves
 * out.
 * @param keys the SQL of columns whose value is that of the written row
 */
function newRows(
  statement: Statement,
  model: SqlModel,
  rows: readonly Row[],
  at: Date,
  keys: ReadonlyMap<string, string> = new Map(),
): string {
  for (const row of rows) for (const name of Object.keys(row)) columnOf(model, name);
  const columns = Object.entries(model.columns).filter(([, column]) => !isGenerated(column));
  const values = rows.map((row) =>
    columns.map(
      ([name, column]) => keys.get(name) ?? valueSql(statement, column, newValue(name, column, row[name], at)),
    ),
  );
  const names = columns.map(([name, column]) => nameOf(name, column)).join(', ');
  if (keys.size === 0) return `(${names}) VALUES ${values.map((row) => `(${row.join(', ')})`).join(', ')}`;
  return `(${names}) ${values.map((row) => `SELECT ${row.join(', ')} FROM written`).join(' UNION ALL ')}`;
}

/** Whether the database alone computes a column. */
const isGenerated = ({ hasDefault, default: value, now, updatedAt, list, type }: SqlColumn): boolean =>
  hasDefault && value === undefined && !now && !updatedAt && !list && type !== 'Uuid';

/** A column's value in a new row. */
function newValue(name: string, column: SqlColumn, given: unknown, at: Date): unknown {
  if (given !== undefined) return given;
  if (column.default !== undefined) return column.default;
  if (column.now || column.updatedAt) return at;
  if (column.list) return [];
  return name === 'id' && column.hasDefault ? uuidAt(at) : null;
}

const nameOf = (name: string, { databaseName = name }: SqlColumn): string => `"${databaseName}"`;

function valueSql(statement: Statement, column: SqlColumn, value: unknown): string {
  if (!column.list) return statement.value(toDatabase(column, value), sqlTypeOf(column));
  return statement.value(
    // A column of lists has a list.
    (value as unknown[]).map((each) => toDatabase(column, each)),
    `${sqlTypeOf(column)}[]`,
  );
}
