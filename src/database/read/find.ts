// Prisma's `findMany` as one statement: nested selections become JSON, in subqueries of the page's rows.
import { allOf, companyOf, conditionsOf, joinConditions, type Where } from './conditions.ts';
import { type Decoder, jsonDecoder, jsonSql, listOf, parsed, textDecoder, textSql } from './decode.ts';
import { type JsonRow, jsonRowSql } from './json.ts';
import {
  columnOf,
  columnSql,
  joinOf,
  joinSql,
  modelOf,
  type SqlColumn,
  type SqlJoin,
  type SqlModel,
} from './models.ts';
import { type PageArgs, type Row, rowsOf, rowsSql } from './rows.ts';
import { Statement } from './statement.ts';

export type { Row } from './rows.ts';

/** The arguments of Prisma's `findMany` that can be compiled. */
export interface FindArgs extends PageArgs {
  readonly select?: Readonly<Record<string, unknown>>;
  /** The JSON of each row, in its field `json`, besides the selected ones. */
  readonly json?: JsonRow;
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

/** A selected field: its SQL, and how its value is converted, which arrives as text or inside JSON. */
interface Field<Value> {
  readonly name: string;
  readonly sql: string;
  readonly decode: Decoder<Value>;
}

/** A row, and the number of all rows that a condition matches. */
interface CountedRow {
  readonly row: Row;
  readonly total: number;
}

/** Compiles `findMany`. */
export function compileFind(name: string, args: FindArgs): Compiled<Row> {
  const model = modelOf(name);
  const statement = new Statement(companyOf(args.where ?? {}));
  const { fields, rest } = page(statement, model, args);
  const text = `SELECT ${fields.map(({ sql }) => sql).join(', ') || '1'} ${rest}`;
  return { text, values: statement.values, tables: statement.tables, decode: rowDecoder(fields) };
}

/** Compiles `findMany` and `count` with another condition into one statement. Without a row there is no total. */
export function compileFindWithTotal(name: string, args: FindArgs, counted: Where): Compiled<CountedRow> {
  const model = modelOf(name);
  const statement = new Statement(companyOf(args.where ?? {}));
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
  const { fields } = selectFields(statement, model, alias, undefined, inText);
  return { sql: fields.map(({ sql }) => sql).join(', '), decode: rowDecoder(fields) };
}

/** Compiles `count`. */
export function compileCount(name: string, where: Where): Compiled<number> {
  const statement = new Statement();
  const text = countSql(statement, modelOf(name), where);
  return { text, values: statement.values, tables: statement.tables, decode: ([count]) => Number(count) };
}

/**
 * Compiles a condition on given rows, in the database's JSON. Related rows are read from the database.
 *
 * @returns the places of the rows that match, from 0
 */
export function compileMatches(name: string, rows: readonly Row[], where: Where): Compiled<number> {
  const model = modelOf(name);
  const statement = new Statement();
  const given = statement.value(JSON.stringify(rows), 'jsonb');
  const alias = statement.alias(model);
  const text = `SELECT given.place - 1 FROM jsonb_array_elements(${given}) WITH ORDINALITY AS given (stored, place)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::"${model.table}", given.stored) AS ${alias}
    WHERE ${allOf(conditionsOf(statement, model, alias, where))}`;
  return { text, values: statement.values, tables: statement.tables, decode: ([place]) => Number(place) };
}

function countSql(statement: Statement, model: SqlModel, where: Where): string {
  const alias = statement.alias(model);
  return `SELECT count(*) FROM "${model.table}" AS ${alias} WHERE ${allOf(conditionsOf(statement, model, alias, where))}`;
}

/** The format in which the values of fields arrive. */
interface Format<Value> {
  readonly sql: (sql: string, column: SqlColumn) => string;
  readonly decoder: (column: SqlColumn) => Decoder<Value>;
  /** The decoder of a value that is JSON itself. */
  readonly ofJson: (decode: Decoder) => Decoder<Value>;
}

/** PostgreSQL's text format. */
const inText: Format<string> = { sql: textSql, decoder: textDecoder, ofJson: parsed };

/** Inside JSON. */
const inJson: Format<unknown> = { sql: jsonSql, decoder: jsonDecoder, ofJson: (decode) => decode };

/**
 * The fields of a page, and where they come from. A page with nested selections is a subquery, so that PostgreSQL
 * evaluates those for its rows alone.
 */
function page(statement: Statement, model: SqlModel, args: FindArgs): { fields: Field<string>[]; rest: string } {
  const alias = statement.alias(model);
  const { fields, columns, isNested } = selectFields(statement, model, alias, args.select, inText);
  if (args.json) {
    const sql = jsonRowSql(statement, model, alias, args.json, columns);
    fields.push({ name: 'json', sql, decode: (text) => text });
  }
  const rest =
    isNested || args.json
      ? `FROM (${rowsSql(statement, model, statement.alias(model), args, columns)}) AS ${alias}`
      : rowsOf(statement, model, alias, args);
  return { fields, rest };
}

/** The selected fields, the columns of the table that they need, and whether any is nested. */
function selectFields<Value>(
  statement: Statement,
  model: SqlModel,
  alias: string,
  select: FindArgs['select'],
  format: Format<Value>,
): { fields: Field<Value>[]; columns: Set<string>; isNested: boolean } {
  const columns = new Set<string>();
  let isNested = false;
  const selected = select
    ? Object.entries(select).filter(([, chosen]) => chosen)
    : Object.keys(model.columns).map(plain);
  const fields = selected.map(([name, chosen]): Field<Value> => {
    const join = model.joins[name];
    if (name !== '_count' && !join) {
      columns.add(name);
      const column = columnOf(model, name);
      return { name, sql: format.sql(columnSql(alias, name, column), column), decode: format.decoder(column) };
    }
    isNested = true;
    const args = argsOf(chosen);
    const { sql, decode } = join
      ? relatedRows(statement, model, alias, join, args, columns)
      : relatedCounts(statement, model, alias, args.select ?? {}, columns);
    return { name, sql, decode: format.ofJson(decode) };
  });
  return { fields, columns, isNested };
}

const plain = (name: string): [string, true] => [name, true];

/** The arguments of a nested selection; `true` selects without any. */
const argsOf = (chosen: unknown): FindArgs => (typeof chosen === 'object' && chosen !== null ? chosen : {});

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
  const { fields, columns } = selectFields(statement, target, inner, args.select, inJson);
  const row = `json_build_array(${fields.map(({ sql }) => sql).join(', ')})`;
  const decodeRow = rowDecoder(fields);
  const decode: Decoder = (values) => decodeRow(listOf(values));
  for (const [mine] of join.on) needed.add(mine);
  if (!join.list) {
    const sql = `(SELECT ${row} FROM "${target.table}" AS ${inner} WHERE ${joinSql(model, alias, join, inner)})`;
    return { sql, decode };
  }
  const listed = statement.alias(target);
  const rows = rowsSql(statement, target, listed, args, columns, joinConditions(statement, model, alias, join, listed));
  return {
    sql: `(SELECT coalesce(json_agg(${row}), '[]') FROM (${rows}) AS ${inner})`,
    decode: (rows) => listOf(rows).map(decode),
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
  const fields = Object.entries(select).map(([name, chosen]): Field<unknown> => {
    const join = joinOf(model, name);
    for (const [mine] of join.on) needed.add(mine);
    const target = modelOf(join.model);
    const inner = statement.alias(target);
    const { where = {} } = argsOf(chosen);
    const conditions = [
      ...joinConditions(statement, model, alias, join, inner),
      ...conditionsOf(statement, target, inner, where),
    ];
    const sql = `(SELECT count(*) FROM "${target.table}" AS ${inner} WHERE ${allOf(conditions)})`;
    return { name, sql, decode: (count) => count };
  });
  const sql = `json_build_array(${fields.map(({ sql }) => sql).join(', ')})`;
  const decodeCounts = rowDecoder(fields);
  return { sql, decode: (counts) => decodeCounts(listOf(counts)) };
}

/** Creates the function that makes a row of the values of its fields. */
function rowDecoder<Value>(fields: readonly Field<Value>[]): (values: readonly (Value | null)[]) => Row {
  return (values) => {
    const row: Row = {};
    let n = 0;
    for (const { name, decode } of fields) {
      const value = values[n++] ?? null;
      row[name] = value === null ? null : decode(value);
    }
    return row;
  };
}
