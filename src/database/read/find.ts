// Prisma's `findMany` as one statement: nested selections become JSON, in subqueries of the page's rows.
import { allOf, conditionsOf, type Where } from './conditions.ts';
import { type Decoder, jsonDecoder, jsonSql, textDecoder, textSql } from './decode.ts';
import { columnOf, columnSql, joinSql, modelOf, type SqlJoin, type SqlModel } from './models.ts';
import { Statement } from './statement.ts';

/** A row, as Prisma loads it. */
export type Row = Record<string, unknown>;

/** The arguments of Prisma's `findMany` that can be compiled. */
export interface FindArgs {
  readonly where?: Where;
  readonly orderBy?: unknown;
  readonly take?: number;
  readonly skip?: number;
  readonly select?: Readonly<Record<string, unknown>>;
  /** Whether the rows are locked until the transaction ends; rows that refer to them can still be written. */
  readonly lock?: boolean;
}

/** A statement, and how to read its rows. */
export interface Compiled<Result> {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The tables that it reads. */
  readonly tables: ReadonlySet<string>;
  /** Converts a row of PostgreSQL's text values, in the order of the columns. */
  readonly decode: (values: readonly (string | null)[]) => Result;
}

/** A selected field: its SQL, in which format its value arrives, and how it is converted. */
interface Field {
  readonly name: string;
  readonly sql: string;
  readonly decode: Decoder;
}

/** A row, and the number of all rows that a condition matches. */
export interface CountedRow {
  readonly row: Row;
  readonly total: number;
}

/** Compiles `findMany`. */
export function compileFind(name: string, args: FindArgs): Compiled<Row> {
  const model = modelOf(name);
  const statement = new Statement();
  const { fields, rest } = page(statement, model, args);
  const text = `SELECT ${fields.map(({ sql }) => sql).join(', ') || '1'} ${rest}`;
  return { text, values: statement.values, tables: statement.tables, decode: rowDecoder(fields) };
}

/** Compiles `findMany` and `count` with another condition into one statement. No row, no total. */
export function compileFindWithTotal(name: string, args: FindArgs, counted: Where): Compiled<CountedRow> {
  const model = modelOf(name);
  const statement = new Statement();
  const { fields, rest } = page(statement, model, args);
  const total = countSql(statement, model, counted);
  const text = `SELECT ${[...fields.map(({ sql }) => sql), `(${total})`].join(', ')} ${rest}`;
  const decodeRow = rowDecoder(fields);
  const decode = (values: readonly (string | null)[]) => ({
    row: decodeRow(values),
    total: Number(values[fields.length]),
  });
  return { text, values: statement.values, tables: statement.tables, decode };
}

/** All columns of a written row, in SQL, and how to read them. */
export function allColumns(
  statement: Statement,
  model: SqlModel,
  alias: string,
): { sql: string; decode: Compiled<Row>['decode'] } {
  const { fields } = selectFields(statement, model, alias, undefined, 'text');
  return { sql: fields.map(({ sql }) => sql).join(', '), decode: rowDecoder(fields) };
}

/** Compiles `count`. */
export function compileCount(name: string, where: Where): Compiled<number> {
  const statement = new Statement();
  const text = countSql(statement, modelOf(name), where);
  return { text, values: statement.values, tables: statement.tables, decode: ([count]) => Number(count) };
}

function countSql(statement: Statement, model: SqlModel, where: Where): string {
  const alias = statement.alias(model);
  return `SELECT count(*) FROM "${model.table}" AS ${alias} WHERE ${allOf(conditionsOf(statement, model, alias, where))}`;
}

/** The format in which a field's value arrives: PostgreSQL's text, or inside JSON. */
type Format = 'text' | 'json';

/**
 * The fields of a page, and where they come from. A page with nested selections is a subquery, so that PostgreSQL
 * evaluates those for its rows alone.
 */
function page(statement: Statement, model: SqlModel, args: FindArgs): { fields: Field[]; rest: string } {
  const alias = statement.alias(model);
  const { fields, columns, isNested } = selectFields(statement, model, alias, args.select, 'text');
  const rest = isNested
    ? `FROM (${rowsSql(statement, model, statement.alias(model), args, columns)}) AS ${alias}`
    : rowsOf(statement, model, alias, args);
  return { fields, rest };
}

/** Selects columns of the rows of a page. @param joined conditions besides those of the arguments */
function rowsSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  args: FindArgs,
  columns: ReadonlySet<string>,
  joined: readonly string[] = [],
): string {
  const list = [...columns].map((name) => columnSql(alias, name, columnOf(model, name)));
  return `SELECT ${list.join(', ') || '1'} ${rowsOf(statement, model, alias, args, joined)}`;
}

function rowsOf(
  statement: Statement,
  model: SqlModel,
  alias: string,
  { where = {}, orderBy, take, skip, lock }: FindArgs,
  joined: readonly string[] = [],
): string {
  const keys = (Array.isArray(orderBy) ? orderBy : orderBy === undefined ? [] : [orderBy]) as Row[];
  const joins: string[] = [];
  const order = keys
    .flatMap((key) => Object.entries(key))
    .map((key) => orderKey(statement, model, alias, key, joins).join(' '));
  return [
    `FROM "${model.table}" AS ${alias}`,
    ...joins,
    'WHERE',
    allOf([...joined, ...conditionsOf(statement, model, alias, where)]),
    order.length > 0 && `ORDER BY ${order.join(', ')}`,
    take !== undefined && `LIMIT ${statement.value(take, 'bigint')}`,
    skip && `OFFSET ${statement.value(skip, 'bigint')}`,
    lock && `FOR NO KEY UPDATE OF ${alias}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * A sort key's SQL and direction.
 * @param joins receives the joins of related rows: for a page of many rows they take a tenth of a subquery's time
 */
function orderKey(
  statement: Statement,
  model: SqlModel,
  alias: string,
  [name, direction]: [string, unknown],
  joins: string[],
): [sql: string, direction: string] {
  const join = model.joins[name];
  if (join) {
    const target = modelOf(join.model);
    const inner = statement.alias(target);
    const [key] = Object.entries(direction as Row);
    if (!key) throw new Error(`The sort key ${name} is empty.`);
    joins.push(`LEFT JOIN "${target.table}" AS ${inner} ON ${joinSql(model, alias, join, inner)}`);
    return orderKey(statement, target, inner, key, joins);
  }
  const { sort, nulls } = (typeof direction === 'string' ? { sort: direction } : direction) as Record<string, string>;
  const how = [sort === 'desc' ? 'DESC' : 'ASC', nulls && `NULLS ${nulls.toUpperCase()}`].filter(Boolean).join(' ');
  return [columnSql(alias, name, columnOf(model, name)), how];
}

/** The selected fields, the columns of the table that they need, and whether any is nested. */
function selectFields(
  statement: Statement,
  model: SqlModel,
  alias: string,
  select: FindArgs['select'],
  format: Format,
): { fields: Field[]; columns: Set<string>; isNested: boolean } {
  const columns = new Set<string>();
  let isNested = false;
  const selected = select
    ? Object.entries(select).filter(([, chosen]) => chosen)
    : Object.keys(model.columns).map(plain);
  const fields = selected.map(([name, chosen]): Field => {
    const join = model.joins[name];
    if (name !== '_count' && !join) {
      columns.add(name);
      const column = columnOf(model, name);
      const sql = columnSql(alias, name, column);
      return format === 'text'
        ? { name, sql: textSql(sql, column), decode: textDecoder(column) }
        : { name, sql: jsonSql(sql, column), decode: jsonDecoder(column) };
    }
    isNested = true;
    const args = (chosen === true ? {} : chosen) as FindArgs;
    const { sql, decode } = join
      ? relatedRows(statement, model, alias, join, args, columns)
      : relatedCounts(statement, model, alias, args.select ?? {}, columns);
    return { name, sql, decode: format === 'json' ? decode : (text: string) => decode(JSON.parse(text) as never) };
  });
  return { fields, columns, isNested };
}

const plain = (name: string): [string, true] => [name, true];

/** A nested selection as JSON: an array of values for a row, and an array of those for a list. */
function relatedRows(
  statement: Statement,
  model: SqlModel,
  alias: string,
  join: SqlJoin,
  args: FindArgs,
  needed: Set<string>,
): { sql: string; decode: Decoder } {
  const target = modelOf(join.model);
  const inner = statement.alias(target);
  const { fields, columns } = selectFields(statement, target, inner, args.select, 'json');
  const row = `json_build_array(${fields.map(({ sql }) => sql).join(', ')})`;
  const decode = rowDecoder(fields) as (values: never) => Row;
  for (const [mine] of join.on) needed.add(mine);
  if (!join.list) {
    const sql = `(SELECT ${row} FROM "${target.table}" AS ${inner} WHERE ${joinSql(model, alias, join, inner)})`;
    return { sql, decode };
  }
  const listed = statement.alias(target);
  const rows = rowsSql(statement, target, listed, args, columns, [joinSql(model, alias, join, listed)]);
  return {
    sql: `(SELECT coalesce(json_agg(${row}), '[]') FROM (${rows}) AS ${inner})`,
    decode: (values: never[]) => values.map(decode),
  };
}

/** The numbers of related rows, as in `{ _count: { select: { comments: true } } }`. */
function relatedCounts(
  statement: Statement,
  model: SqlModel,
  alias: string,
  select: NonNullable<FindArgs['select']>,
  needed: Set<string>,
): { sql: string; decode: Decoder } {
  const fields = Object.entries(select).map(([name, chosen]): Field => {
    const join = model.joins[name];
    if (!join) throw new Error(`${model.table} has no relation ${name}.`);
    for (const [mine] of join.on) needed.add(mine);
    const target = modelOf(join.model);
    const inner = statement.alias(target);
    const where = (chosen === true ? {} : (chosen as FindArgs).where) ?? {};
    const conditions = [joinSql(model, alias, join, inner), ...conditionsOf(statement, target, inner, where)];
    const sql = `(SELECT count(*) FROM "${target.table}" AS ${inner} WHERE ${allOf(conditions)})`;
    return { name, sql, decode: (count: number) => count };
  });
  const sql = `json_build_array(${fields.map(({ sql }) => sql).join(', ')})`;
  return { sql, decode: rowDecoder(fields) };
}

/** Creates the function that makes a row of its values; the values of a model's fields are null or have their format. */
function rowDecoder(fields: readonly Field[]): (values: readonly unknown[]) => Row {
  return (values) => {
    const row: Row = {};
    for (let i = 0; i < fields.length; i++) {
      const { name, decode } = fields[i] as Field;
      const value = values[i];
      row[name] = value === null ? null : decode(value as never);
    }
    return row;
  };
}
