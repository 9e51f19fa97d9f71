// Prisma's `create`, `update` and `delete`, as one statement each that returns the written rows.
import { type Actor, actorSetting } from '../actor.ts';
import { allOf, conditionsOf, type Where } from '../read/conditions.ts';
import { valueSql } from '../read/field-conditions.ts';
import { allColumns, type Compiled, type Row } from '../read/find.ts';
import { fieldOf, fieldSql, type Models, type SqlJoin, type SqlModel } from '../read/models.ts';
import { Statement } from '../read/statement.ts';
import { columnsToSet, type StoredField } from '../stored-field.ts';
import { ActiveUser, activeUserSql, checkingUsers } from './active-user.ts';

/** The time of a write, its writer, and the models of the API that writes. */
export interface WriteContext {
  readonly models: Models;
  readonly at: Date;
  readonly actor?: Actor;
}

/** Rows of another table that belong to a written row. */
interface NestedRows {
  readonly join: SqlJoin;
  /** Whether they replace the existing rows. */
  readonly replace: boolean;
  readonly rows: readonly Row[];
}

/** Compiles the insertion of rows and of those that are nested in them, as in `{ activity: { create: [...] } }`. */
export function compileCreate(name: string, rows: readonly Row[], context: WriteContext): Compiled<Row> {
  const statement = new Statement(undefined, context.models);
  const model = statement.modelOf(name);
  // The keys of all rows are known, as rows that are nested in them have them too.
  const parts = rows.map((row) => split(model, withGenerated(model, row, context.at)));
  const alias = statement.alias(model);
  const columns = parts.map((part) => part.columns);
  const write = `INSERT INTO "${model.table}" AS ${alias} ${newRows(statement, model, columns, context.at)}`;
  const nested = parts.flatMap((part) => nestedRows(part.nested, part.columns));
  return withNested(statement, model, alias, write, nested, context);
}

/** The new values of a row, and its key. */
export interface RowUpdate {
  readonly key: Row;
  /** Columns, and nested rows. */
  readonly data: Row;
}

/** Compiles the update of a row, and the insertion of those that are nested in it. */
export function compileUpdate(name: string, { key, data }: RowUpdate, context: WriteContext): Compiled<Row> {
  const statement = new Statement(undefined, context.models);
  const model = statement.modelOf(name);
  const { columns, nested } = split(model, data);
  const alias = statement.alias(model);
  const values = Object.entries(withUpdateTime(model, columns, context.at)).map(([column, value]) => {
    const field = fieldOf(model, column);
    return [field, newValueSql(statement, field, value)] as const;
  });
  const list = columnsToSet(values, alias).map(([column, sql]) => `"${column}" = ${sql}`);
  const condition = allOf(conditionsOf(statement, model, alias, key));
  const write = `UPDATE "${model.table}" AS ${alias} SET ${list.join(', ')} WHERE ${condition}`;
  return withNested(statement, model, alias, write, nestedRows(nested, key), context);
}

/**
 * Compiles the update of several rows of one company, each to values of its own, and the insertion of the rows that are
 * nested in them.
 *
 * @param updates at least one; all of the same columns
 */
export function compileUpdateMany(name: string, updates: readonly RowUpdate[], context: WriteContext): Compiled<Row> {
  const statement = new Statement(undefined, context.models);
  const model = statement.modelOf(name);
  const alias = statement.alias(model);
  const parts = updates.map(({ key, data }) => ({ key, ...split(model, data) }));
  const [first] = parts;
  if (!first) throw new Error('There is no row to update.');
  const changed = Object.keys(withUpdateTime(model, first.columns, context.at));
  const keys = Object.keys(first.key);
  const names = [...keys, ...changed];
  const values = parts.map(({ key, columns }) => {
    const row: Row = { ...withUpdateTime(model, columns, context.at), ...key };
    return `(${names.map((column) => newValueSql(statement, fieldOf(model, column), row[column])).join(', ')})`;
  });
  const sets = changed.map((column, n) => [fieldOf(model, column), `given.c${keys.length + n}`] as const);
  const list = columnsToSet(sets, alias).map(([column, sql]) => `"${column}" = ${sql}`);
  const conditions = keys.map((column, n) => `${fieldSql(model, column, alias)} = given.c${n}`);
  const given = `(VALUES ${values.join(', ')}) AS given (${names.map((_, n) => `c${n}`).join(', ')})`;
  // The keys have it too; by one value that is the same in all of them, PostgreSQL finds the rows in the key's index.
  const within = Object.entries(first.key).filter(([column]) => fieldOf(model, column).role === 'company');
  const condition = allOf([...conditionsOf(statement, model, alias, Object.fromEntries(within)), ...conditions]);
  const write = `UPDATE "${model.table}" AS ${alias} SET ${list.join(', ')} FROM ${given} WHERE ${condition}`;
  const nested = parts.flatMap((part) => nestedRows(part.nested, part.key));
  return withNested(statement, model, alias, write, nested, context);
}

/** Compiles a deletion. */
export function compileDelete(
  name: string,
  where: Where,
  { models, actor }: Pick<WriteContext, 'models' | 'actor'>,
): Compiled<Row> {
  const statement = new Statement(undefined, models);
  const model = statement.modelOf(name);
  const alias = statement.alias(model);
  const { sql, decode } = writtenColumns(statement, model, alias, actor);
  const condition = allOf(conditionsOf(statement, model, alias, where));
  const text = `DELETE FROM "${model.table}" AS ${alias} WHERE ${condition} RETURNING ${sql}`;
  return { text, values: statement.values, tables: statement.tables, decode };
}

/** The nested rows that an update replaces: conditions for the rows before, by their model. */
export function replacedRows(model: SqlModel, key: Row, data: Row): [model: string, where: Where][] {
  return split(model, data).nested.flatMap(({ join: { model, on }, replace }) =>
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
      nested.push({ join, replace: deleteMany !== undefined, rows: create });
    } else columns[name] = value;
  }
  return { columns, nested };
}

/** The rows that are nested in one, by their model, with the key by which they refer to it. */
const nestedRows = (nested: readonly NestedRows[], key: Row): [model: string, readonly Row[]][] =>
  nested.map(({ join: { model, on }, rows }) => [
    model,
    rows.map((row) => ({ ...row, ...Object.fromEntries(on.map(([mine, others]) => [others, key[mine]])) })),
  ]);

/** Adds the insertion of nested rows to the statement that writes their rows, and returns these. */
function withNested(
  statement: Statement,
  model: SqlModel,
  alias: string,
  write: string,
  nested: readonly [model: string, readonly Row[]][],
  { at, actor }: WriteContext,
): Compiled<Row> {
  const { sql, decode } = writtenColumns(statement, model, alias, actor);
  const byModel = new Map<string, Row[]>();
  for (const [name, rows] of nested) if (rows.length > 0) byModel.set(name, [...(byModel.get(name) ?? []), ...rows]);
  const parts = [...byModel].map(([name, rows]) => {
    const target = statement.modelOf(name);
    return `${statement.alias(target)} AS (INSERT INTO "${target.table}" ${newRows(statement, target, rows, at)})`;
  });
  const text =
    parts.length === 0
      ? `${write} RETURNING ${sql}`
      : `WITH written AS (${write} RETURNING ${alias}.*), ${parts.join(', ')} SELECT ${sql} FROM written AS ${alias}`;
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

/**
 * The columns and values of new rows. All columns are named, so that the statement does not depend on what a row leaves
 * out.
 */
function newRows(statement: Statement, model: SqlModel, rows: readonly Row[], at: Date): string {
  for (const row of rows) for (const name of Object.keys(row)) fieldOf(model, name);
  const fields = Object.values(model.fields).filter((field) => !isGenerated(field));
  // The text is the same whichever rows name a user, so that it is prepared only once.
  const checked = rows.length > 1 ? fields.filter((field) => namesActiveUsers(field, rows)) : [];
  const users = checked.flatMap(({ name }) => rows.map((row) => row[name] ?? null)).filter((user) => user !== null);
  const valueOf = (field: StoredField, row: Row): string => {
    const value = newValue(field, row[field.name], at);
    return checked.includes(field)
      ? valueSql(statement, field, value instanceof ActiveUser ? value.id : value)
      : newValueSql(statement, field, value);
  };
  const sets = rows.map((row) => columnsToSet(fields.map((field) => [field, valueOf(field, row)] as const)));
  const columns = sets[0]?.map(([column]) => column) ?? [];
  const values = sets.map((row) => row.map(([, sql]) => sql));
  const names = `(${columns.map((column) => `"${column}"`).join(', ')})`;
  if (users.length === 0) return `${names} VALUES ${values.map((row) => `(${row.join(', ')})`).join(', ')}`;
  const checkedColumns = new Set(checked.map(({ column }) => column));
  return `${names} ${checkingUsers(statement, { columns, rows: values, checked: checkedColumns, users })}`;
}

/** Whether a column of new rows names users who must be active. */
const namesActiveUsers = ({ name, member }: StoredField, rows: readonly Row[]): boolean =>
  member === undefined && rows.some((row) => row[name] instanceof ActiveUser);

/** A new row with the values that the service generates, such as its id. */
function withGenerated(model: SqlModel, row: Row, at: Date): Row {
  const generated = Object.values(model.fields).flatMap((field) => {
    const { name, hasDefault } = field;
    const create = row[name] === undefined && hasDefault ? field.type.create : undefined;
    return create && field.default === undefined ? [[name, create(at)] as const] : [];
  });
  return generated.length === 0 ? row : { ...row, ...Object.fromEntries<unknown>(generated) };
}

/** Columns to update, with the time of the update. */
function withUpdateTime(model: SqlModel, columns: Row, at: Date): Row {
  const { update } = model.roles;
  return update ? { ...columns, [update.name]: columns[update.name] ?? at } : columns;
}

/** Whether the database alone computes a field. */
const isGenerated = ({ hasDefault, default: value, now, role, list, type }: StoredField): boolean =>
  hasDefault && value === undefined && !now && role !== 'update' && !list && !type.create;

/** A field's value in a new row. */
function newValue(field: StoredField, given: unknown, at: Date): unknown {
  if (given !== undefined) return given;
  if (field.default !== undefined) return field.default;
  if (field.now || field.role === 'update') return at;
  if (field.list) return [];
  return (field.hasDefault && field.type.create?.(at)) || null;
}

const newValueSql = (statement: Statement, field: StoredField, value: unknown): string =>
  value instanceof ActiveUser ? activeUserSql(statement, value) : valueSql(statement, field, value);
