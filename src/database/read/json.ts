// The JSON of rows as clients get it, built by PostgreSQL: the service neither parses nor builds it again.
import type { EnumSpelling } from '../../fields/index.ts';
import { allOf, conditionsOf, openRelated, type Where } from './conditions.ts';
import { apiFieldOf, joinOf, type SqlModel } from './models.ts';
import { orderKeys, type PageArgs, rowsSql } from './rows.ts';
import type { Statement } from './statement.ts';

/** The JSON of a row: its members in order. */
export type JsonRow = readonly JsonMember[];

/** A member of a row's JSON. */
export type JsonMember =
  | { readonly key: string; readonly text: string | null }
  | { readonly key: string; readonly column: string; readonly spelling: EnumSpelling }
  | { readonly key: string; readonly relation: string; readonly row: JsonRow }
  | { readonly key: string; readonly relation: string; readonly items: JsonRow; readonly orderBy: PageArgs['orderBy'] }
  | { readonly key: string; readonly list: JsonList };

/** A list of related rows, as an object that shows a page of it. */
export interface JsonList {
  readonly relation: string;
  /** The relation from a join table to the rows. */
  readonly to?: string;
  /** The place of its page among those of the whole row. */
  readonly page: number;
  readonly members: readonly (
    | { readonly key: string; readonly text: string }
    | { readonly key: string; readonly nodes: JsonRow }
    | { readonly key: string; readonly total: true }
  )[];
}

/** A page of a list inside a row. */
export interface JsonPage {
  readonly args: PageArgs & { readonly take: number };
  /** The condition of all rows of the list. */
  readonly counted: Where;
  /** Whether the list can have rows before the page. */
  readonly isLater: boolean;
}

/** PostgreSQL's functions take up to 100 arguments, two for each member. */
export const maxMembers = 50;

/**
 * The SQL of a row's JSON.
 *
 * @param pages those of its lists
 * @param needed receives the columns of the row that it needs
 */
export function jsonRowSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  row: JsonRow,
  pages: readonly JsonPage[],
  needed: Set<string>,
): string {
  const valueOf = (member: JsonMember): string => {
    if ('text' in member) return textSql(member.text);
    if ('column' in member) {
      needed.add(member.column);
      const { sql, type } = apiFieldOf(model, member.column);
      const { shownSql } = type;
      if (!shownSql) throw new Error(`PostgreSQL cannot write ${model.table}.${member.column} as clients get it.`);
      return shownSql(sql(alias), member.spelling);
    }
    if ('list' in member) return listSql(statement, model, alias, member.list, pages, needed);
    if ('items' in member) return itemsSql(statement, model, alias, member, pages, needed);
    return relatedSql(statement, model, alias, member.relation, member.row, pages, needed);
  };
  return objectSql(row.map((member) => [member.key, valueOf(member)]));
}

/** @param text a name in GraphQL, without quotes */
const textSql = (text: string | null): string => (text === null ? 'NULL' : `'${text}'`);

const arrayOf = (row: string): string => `coalesce(json_agg(${row}), '[]')`;

/** @param members keys are names in GraphQL or REST, without quotes */
const objectSql = (members: readonly (readonly [key: string, sql: string])[]): string =>
  `json_build_object(${members.map(([key, sql]) => `'${key}', ${sql}`).join(', ')})`;

function relatedSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  relation: string,
  row: JsonRow,
  pages: readonly JsonPage[],
  needed: Set<string>,
): string {
  const join = joinOf(model, relation);
  const target = statement.modelOf(join.model);
  const inner = statement.alias(target);
  for (const [mine] of join.onWithinCompany) needed.add(mine);
  const object = jsonRowSql(statement, target, inner, row, pages, new Set());
  const { from, conditions } = openRelated(statement, model, alias, join, inner);
  return `(SELECT ${object} FROM ${from} WHERE ${allOf(conditions)})`;
}

/** The SQL of all rows of a relation, such as line items. */
function itemsSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  { relation, items, orderBy }: Extract<JsonMember, { readonly items: JsonRow }>,
  pages: readonly JsonPage[],
  needed: Set<string>,
): string {
  const join = joinOf(model, relation);
  for (const [mine] of join.onWithinCompany) needed.add(mine);
  const target = statement.modelOf(join.model);
  const inner = statement.alias(target);
  const columns = new Set<string>();
  const row = jsonRowSql(statement, target, inner, items, pages, columns);
  const listed = statement.alias(target);
  const opened = openRelated(statement, model, alias, join, listed);
  return `(SELECT ${arrayOf(row)} FROM (${rowsSql(statement, target, listed, { orderBy }, columns, opened)}) AS ${inner})`;
}

function listSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  { relation, to, page, members }: JsonList,
  pages: readonly JsonPage[],
  needed: Set<string>,
): string {
  const { args, counted, isLater } = pageAt(pages, page);
  const join = joinOf(model, relation);
  for (const [mine] of join.onWithinCompany) needed.add(mine);
  const target = statement.modelOf(join.model);
  // Where the order joins the rows anyway, their columns come from there.
  const shown = orderKeys(args).some(([name]) => name === to) ? to : undefined;
  const rowModel = shown === undefined ? target : statement.modelOf(joinOf(target, shown).model);
  const inner = statement.alias(rowModel);
  const columns = new Set<string>();
  const nodesSql = (nodes: JsonRow): string =>
    arrayOf(
      to === undefined || shown !== undefined
        ? jsonRowSql(statement, rowModel, inner, nodes, pages, columns)
        : relatedSql(statement, target, inner, to, nodes, pages, columns),
    );
  const totalSql = (): string => {
    const other = statement.alias(target);
    const { from, conditions } = openRelated(statement, model, alias, join, other, args.as);
    const all = allOf([...conditions, ...conditionsOf(statement, target, other, counted)]);
    const total = `(SELECT count(*) FROM ${from} WHERE ${all})`;
    // Most lists fit on their page.
    return isLater ? total : `CASE WHEN count(*) < ${args.take} THEN count(*) ELSE ${total} END`;
  };
  const object = objectSql(
    members.map((member) => {
      if ('text' in member) return [member.key, textSql(member.text)];
      return [member.key, 'total' in member ? totalSql() : nodesSql(member.nodes)];
    }),
  );
  const listed = statement.alias(target);
  const opened = openRelated(statement, model, alias, join, listed, args.as);
  const rows = rowsSql(statement, target, listed, args, columns, opened, shown);
  // One row, also where nothing above aggregates.
  return `(SELECT ${object} FROM (${rows}) AS ${inner} HAVING TRUE)`;
}

function pageAt(pages: readonly JsonPage[], place: number): JsonPage {
  const page = pages[place];
  if (!page) throw new Error(`The list ${place} has no page.`);
  return page;
}
