// Prisma's `findMany` as one statement: nested selections become JSON, in subqueries of the page's rows.
import { decimal, itemsOf, type StoredType } from '../../fields/index.ts';
import { allOf, conditionsOf, listFigureSql, open, openRelated, type Where } from './conditions.ts';
import { type JsonPage, type JsonRow, jsonRowSql } from './json.ts';
import type { ListFigure } from './list-figure.ts';
import { joinFigures, ListValues } from './list-figures.ts';
import { fieldOf, joinOf, type SqlJoin, type SqlModel } from './models.ts';
import type { StatementAccess } from './row-access.ts';
import { type PageArgs, type Row, rowsOf, rowsSql } from './rows.ts';
import { Statement } from './statement.ts';

export type { Row } from './rows.ts';

/** The arguments of Prisma's `findMany` that can be compiled. */
export interface FindArgs extends PageArgs {
  readonly select?: Readonly<Record<string, unknown>>;
  /** The JSON of each row, in its field `json`, besides the selected ones. */
  readonly json?: JsonRow;
  /** The pages of the lists in that JSON. */
  readonly pages?: readonly JsonPage[];
  /** What stands for `json`, and for `select` where it is that: its statements are kept for further reads. */
  readonly plan?: object;
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
export interface CountedRow {
  readonly row: Row;
  readonly total: number;
}

/** Compiles `findMany`. */
export function compileFind(access: StatementAccess, name: string, args: FindArgs): Compiled<Row> {
  const statement = new Statement(access);
  const model = statement.modelOf(name);
  const { fields, rest } = page(statement, model, args);
  const text = `SELECT ${fields.map(({ sql }) => sql).join(', ') || '1'} ${rest}`;
  return { text, values: statement.values, tables: statement.tables, decode: rowDecoder(fields) };
}

/** Compiles `findMany` and `count` with another condition into one statement. Without a row there is no total. */
export function compileFindWithTotal(
  access: StatementAccess,
  name: string,
  args: FindArgs,
  counted: Where,
): Compiled<CountedRow> {
  const statement = new Statement(access);
  const model = statement.modelOf(name);
  const { fields, rest } = page(statement, model, args);
  const total = countSql(statement, model, counted, args.as);
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

/** Compiles the ids of a page's rows, in their order and in 16 bytes each, to one value. */
export function compileIds(access: StatementAccess, name: string, args: PageArgs): Compiled<Buffer> {
  const statement = new Statement(access);
  const model = statement.modelOf(name);
  const rows = rowsSql(statement, model, statement.alias(model), args, new Set(['id']));
  const text = `SELECT string_agg(uuid_send(sorted.id), ''::bytea) FROM (${rows}) AS sorted`;
  const decode = ([hex]: readonly (string | null)[]) => Buffer.from(hex?.slice('\\x'.length) ?? '', 'hex');
  return { text, values: statement.values, tables: statement.tables, decode };
}

/** Compiles `count`. */
export function compileCount(
  access: StatementAccess,
  name: string,
  where: Where,
  as?: string | null,
): Compiled<number> {
  const statement = new Statement(access);
  const text = countSql(statement, statement.modelOf(name), where, as);
  return { text, values: statement.values, tables: statement.tables, decode: ([count]) => Number(count) };
}

function countSql(statement: Statement, model: SqlModel, where: Where, as?: string | null): string {
  const alias = statement.alias(model);
  const { from, conditions } = open(statement, model, alias, as);
  const joins: string[] = [];
  joinFigures(statement, { model, alias }, where, as, new ListValues(statement), joins);
  const all = allOf([...conditions, ...conditionsOf(statement, model, alias, where)]);
  return `SELECT count(*) FROM ${[from, ...joins].join(' ')} WHERE ${all}`;
}

/** Converts a value that is not null: a text of PostgreSQL, or by default anything that JSON can hold. */
export type Decoder<Value = unknown> = (value: Value) => unknown;

/** The format in which the values of fields arrive. */
interface Format<Value> {
  readonly of: (type: StoredType) => { readonly sql: (sql: string) => string; readonly decode: Decoder<Value> };
  /** The decoder of a value that is JSON itself. */
  readonly ofJson: (decode: Decoder) => Decoder<Value>;
}

/** A decoder of JSON for its text. */
const parsed =
  (decode: Decoder): Decoder<string> =>
  (text) =>
    decode(JSON.parse(text));

/** PostgreSQL's text format. */
const inText: Format<string> = { of: ({ asText }) => asText, ofJson: parsed };

/** Inside JSON. */
const inJson: Format<unknown> = { of: ({ asJson }) => asJson, ofJson: (decode) => decode };

/**
 * The fields of a page, and where they come from. A page with nested selections is a subquery, so that PostgreSQL
 * evaluates those for its rows alone.
 */
function page(statement: Statement, model: SqlModel, args: FindArgs): { fields: Field<string>[]; rest: string } {
  const alias = statement.alias(model);
  const { fields, columns, isNested } = selectFields(statement, model, alias, args.select, inText);
  if (args.json) {
    const sql = jsonRowSql(statement, model, alias, args.json, args.pages ?? [], columns);
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
    : Object.keys(model.fields).map(plain);
  const fields = selected.map(([name, chosen]): Field<Value> => {
    const join = model.joins[name];
    if (name !== '_count' && !join) {
      columns.add(name);
      const field = fieldOf(model, name);
      const { sql, decode } = format.of(field.type);
      return { name, sql: sql(field.sql(alias)), decode };
    }
    isNested = true;
    const args = argsOf(chosen);
    const { sql, decode } = join
      ? relatedRows(statement, model, alias, join, args, columns)
      : listFigures(statement, model, alias, args.select ?? {}, columns);
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
  const target = statement.modelOf(join.model);
  const inner = statement.alias(target);
  const { fields, columns } = selectFields(statement, target, inner, args.select, inJson);
  const row = `json_build_array(${fields.map(({ sql }) => sql).join(', ')})`;
  const decodeRow = rowDecoder(fields);
  const decode: Decoder = (values) => decodeRow(itemsOf(values));
  for (const [mine] of join.onWithinCompany) needed.add(mine);
  if (!join.list) {
    const { from, conditions } = openRelated(statement, model, alias, join, inner);
    return { sql: `(SELECT ${row} FROM ${from} WHERE ${allOf(conditions)})`, decode };
  }
  const listed = statement.alias(target);
  const opened = openRelated(statement, model, alias, join, listed, args.as);
  const rows = rowsSql(statement, target, listed, args, columns, opened);
  return {
    sql: `(SELECT coalesce(json_agg(${row}), '[]') FROM (${rows}) AS ${inner})`,
    decode: (rows) => itemsOf(rows).map(decode),
  };
}

/** What is computed of lists of a row, each by its name: `{ _count: { select: { 'invoices.count': … } } }`. */
function listFigures(
  statement: Statement,
  model: SqlModel,
  alias: string,
  select: NonNullable<FindArgs['select']>,
  needed: Set<string>,
): { sql: string; decode: Decoder } {
  const { sql: inJson, decode } = decimal.asJson;
  const fields = Object.entries(select).map(([name, chosen]): Field<unknown> => {
    // Nothing else is selected of `_count`.
    const figure = chosen as ListFigure;
    for (const [mine] of joinOf(model, figure.relation).onWithinCompany) needed.add(mine);
    return { name, sql: inJson(listFigureSql(statement, model, alias, figure)), decode };
  });
  const sql = `json_build_array(${fields.map(({ sql }) => sql).join(', ')})`;
  const decodeFigures = rowDecoder(fields);
  return { sql, decode: (figures) => decodeFigures(itemsOf(figures)) };
}

/** Creates the function that makes a row of the values of its fields. */
function rowDecoder<Value>(fields: readonly Field<Value>[]): (values: readonly (Value | null)[]) => Row {
  // Without their SQL, as decoders are kept.
  const decoders = fields.map(({ name, decode }) => ({ name, decode }));
  return (values) => {
    const row: Row = {};
    let n = 0;
    for (const { name, decode } of decoders) {
      const value = values[n++] ?? null;
      row[name] = value === null ? null : decode(value);
    }
    return row;
  };
}
