// The JSON of rows as clients get it, built by PostgreSQL: the service neither parses nor builds it again.
import { joinConditions } from './conditions.ts';
import {
  columnOf,
  columnSql,
  joinOf,
  joinSql,
  mappedValuesOf,
  modelOf,
  type SqlColumn,
  type SqlModel,
} from './models.ts';
import { orderKeys, type PageArgs, rowsSql } from './rows.ts';
import type { Statement } from './statement.ts';

/** The JSON of a row: its members in order. */
export type JsonRow = readonly JsonMember[];

/** A member of a row's JSON. */
export type JsonMember =
  | { readonly key: string; readonly text: string }
  | { readonly key: string; readonly column: string; readonly spelling: EnumSpelling }
  | { readonly key: string; readonly relation: string; readonly row: JsonRow }
  | { readonly key: string; readonly list: JsonList };

/** How enums are spelled: as GraphQL's members, or as the values that REST and the database have. */
export type EnumSpelling = 'member' | 'mapped';

/** A page of related rows, as an object that has them, possibly several times or not at all. */
export interface JsonList {
  readonly relation: string;
  readonly args: PageArgs;
  /** The relation from a join table to the rows. */
  readonly to?: string;
  readonly members: readonly (
    | { readonly key: string; readonly text: string }
    | { readonly key: string; readonly nodes: JsonRow }
  )[];
}

/** PostgreSQL's functions take up to 100 arguments, two for each member. */
export const maxMembers = 50;

/**
 * The SQL of a row's JSON.
 *
 * @param needed receives the columns of the row that it needs
 */
export function jsonRowSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  row: JsonRow,
  needed: Set<string>,
): string {
  const valueOf = (member: JsonMember): string => {
    if ('text' in member) return `'${member.text}'`;
    if ('column' in member) {
      needed.add(member.column);
      const column = columnOf(model, member.column);
      return valueSql(columnSql(alias, member.column, column), column, member.spelling);
    }
    if ('list' in member) return listSql(statement, model, alias, member.list, needed);
    return relatedSql(statement, model, alias, member.relation, member.row, needed);
  };
  return objectSql(row.map((member) => [member.key, valueOf(member)]));
}

/** @param members keys are names in GraphQL or REST, without quotes */
const objectSql = (members: readonly (readonly [key: string, sql: string])[]): string =>
  `json_build_object(${members.map(([key, sql]) => `'${key}', ${sql}`).join(', ')})`;

/** A value in the form of the API: what `JSON.stringify` writes of what its scalar serializes. */
function valueSql(sql: string, { type, enum: isEnum }: SqlColumn, spelling: EnumSpelling): string {
  if (type === 'DateTime') return `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  if (type === 'Decimal') return `trim_scale(${sql})`;
  if (!isEnum || spelling === 'mapped') return sql;
  const members = Object.entries(mappedValuesOf(type)).map(([member, value]) => `WHEN '${value}' THEN '${member}'`);
  return `CASE ${sql} ${members.join(' ')} END`;
}

/** Whether the JSON of a column's values is known here. */
export const hasJson = ({ type, enum: isEnum, list }: SqlColumn): boolean =>
  isEnum ? !list : type === 'String' || (!list && plainTypes.includes(type));

const plainTypes = ['Uuid', 'Int', 'Decimal', 'Boolean', 'Date', 'DateTime'];

function relatedSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  relation: string,
  row: JsonRow,
  needed: Set<string>,
): string {
  const join = joinOf(model, relation);
  const target = modelOf(join.model);
  const inner = statement.alias(target);
  for (const [mine] of join.on) needed.add(mine);
  const object = jsonRowSql(statement, target, inner, row, new Set());
  return `(SELECT ${object} FROM "${target.table}" AS ${inner} WHERE ${joinSql(model, alias, join, inner)})`;
}

function listSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  { relation, args, to, members }: JsonList,
  needed: Set<string>,
): string {
  const join = joinOf(model, relation);
  for (const [mine] of join.on) needed.add(mine);
  const target = modelOf(join.model);
  // Where the order joins the rows anyway, their columns come from there.
  const shown = orderKeys(args).some(([name]) => name === to) ? to : undefined;
  const rowModel = shown === undefined ? target : modelOf(joinOf(target, shown).model);
  const inner = statement.alias(rowModel);
  const columns = new Set<string>();
  const sqls = members.map((member): [string, string] => {
    if ('text' in member) return [member.key, `'${member.text}'`];
    const row =
      to === undefined || shown !== undefined
        ? jsonRowSql(statement, rowModel, inner, member.nodes, columns)
        : relatedSql(statement, target, inner, to, member.nodes, columns);
    return [member.key, `coalesce(json_agg(${row}), '[]')`];
  });
  const listed = statement.alias(target);
  const within = joinConditions(statement, model, alias, join, listed);
  const rows = rowsSql(statement, target, listed, args, columns, within, shown);
  return `(SELECT ${objectSql(sqls)} FROM (${rows}) AS ${inner})`;
}
