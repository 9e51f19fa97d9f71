// Prisma's `where` in SQL.

import { allOf, fieldConditions, isOperators, listOf, unsupported, whereOf } from './field-conditions.ts';
import type { ColumnPath } from './group-query.ts';
import type { ListFigure } from './list-figure.ts';
import { apiFieldOf, fieldSql, joinOf, type SqlJoin, type SqlModel } from './models.ts';
import { noFilter } from './row-access.ts';
import { type ColumnValue, rowValueSql, withComputed } from './row-value.ts';
import type { Statement } from './statement.ts';
import type { Where } from './where.ts';

export { allOf } from './field-conditions.ts';
export type { Where } from './where.ts';

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'FALSE' : `(${conditions.join(' OR ')})`;

/**
 * Translates a condition.
 *
 * @param alias the alias of the model's table
 * @returns SQL conditions, all of which must hold
 * @throws Error for operators of Prisma that nothing here uses
 */
export function conditionsOf(statement: Statement, model: SqlModel, alias: string, where: Where): string[] {
  const conditions: string[] = [];
  const grouped = (inner: unknown) => {
    const all = conditionsOf(statement, model, alias, whereOf(inner));
    return all.length > 1 ? `(${allOf(all)})` : allOf(all);
  };
  for (const [key, value] of Object.entries(where)) {
    if (value === undefined) continue;
    if (key === 'AND')
      for (const each of listOf(value)) conditions.push(...conditionsOf(statement, model, alias, whereOf(each)));
    else if (key === 'OR') conditions.push(anyOf(listOf(value).map(grouped)));
    else if (key === 'NOT') for (const each of listOf(value)) conditions.push(`NOT ${grouped(each)}`);
    else if (key in model.joins) conditions.push(...relationConditions(statement, model, alias, key, value));
    else if (key in model.fields)
      conditions.push(
        ...(isOperators(value) && 'hasText' in value
          ? [`${fieldSql(model, key, alias)} = ANY (ARRAY(${filesWithText(statement, value['hasText'])}))`]
          : fieldConditions(statement, model, alias, key, value)),
      );
    else if (key === 'VALUE') conditions.push(...valueConditions(statement, model, alias, value));
    // The columns of a compound key, as in `{ companyId_id: { companyId, id } }`.
    else conditions.push(...conditionsOf(statement, model, alias, whereOf(value)));
  }
  return conditions;
}

/**
 * The ids of the files whose text has some words. They are found once, so that the column that is compared with them
 * can be found by its index, also beside other conditions of which one must hold.
 */
function filesWithText(statement: Statement, words: unknown): string {
  const pages = statement.modelOf('FilePage');
  const alias = statement.alias(pages);
  const { from, conditions } = open(statement, pages, alias);
  const query = `(SELECT page_query(${statement.companySql}, ${statement.value(words, 'text')}))`;
  const all = allOf([...conditions, `${alias}.terms @@ ${query}`]);
  return `SELECT DISTINCT ${fieldSql(pages, 'fileId', alias)} FROM ${from} WHERE ${all}`;
}

/** A condition on a value that is computed of a row: `VALUE` in a condition. */
export interface ValueCondition {
  readonly of: ColumnValue;
  /** The condition, in which the value has the name `computedName`. */
  readonly is: Where;
}

function valueConditions(statement: Statement, model: SqlModel, alias: string, given: unknown): string[] {
  const { of, is } = given as ValueCondition;
  const fieldAt = ({ joins, column }: ColumnPath) =>
    apiFieldOf(
      joins.reduce((at, join) => statement.modelOf(joinOf(at, join).model), model),
      column,
    );
  const columns = { fieldAt, sqlAt: (path: ColumnPath) => columnSql(statement, model, alias, path) };
  const computed = withComputed(model, () => rowValueSql(statement, of, columns));
  return conditionsOf(statement, computed, alias, is);
}

/** A column of a row, or of the row that relations lead to. */
function columnSql(statement: Statement, model: SqlModel, alias: string, { joins, column }: ColumnPath): string {
  const [next, ...others] = joins;
  if (next === undefined) return fieldSql(model, column, alias);
  const join = joinOf(model, next);
  const target = statement.modelOf(join.model);
  const inner = statement.alias(target);
  const opened = openRelated(statement, model, alias, join, inner);
  const sql = columnSql(statement, target, inner, { joins: others, column });
  return `(SELECT ${sql} FROM ${opened.from} WHERE ${allOf(opened.conditions)})`;
}

function relationConditions(
  statement: Statement,
  model: SqlModel,
  alias: string,
  relation: string,
  value: unknown,
): string[] {
  const join = model.joins[relation];
  if (!join) return [];
  const target = statement.modelOf(join.model);
  const { as, ...operators } = value === null ? { is: null } : whereOf(value);
  const type = as as string | undefined;
  const related = (where: Where, negated = false): string => {
    const inner = statement.alias(target);
    const joined = openRelated(statement, model, alias, join, inner, type);
    const conditions = statement.inside(() => conditionsOf(statement, target, inner, where));
    const matches = negated ? [`NOT (${allOf(conditions)})`] : conditions;
    return `EXISTS (SELECT 1 FROM ${joined.from} WHERE ${allOf([...joined.conditions, ...matches])})`;
  };
  if (!join.list && !('is' in operators) && !('isNot' in operators)) return [related(operators)];
  return Object.entries(operators).flatMap(([operator, operand]) => {
    const where = () => whereOf(operand ?? {});
    switch (operator) {
      case 'is':
        return operand === null ? `NOT ${related({})}` : related(where());
      case 'isNot':
        return operand === null ? related({}) : `NOT ${related(where())}`;
      case 'some':
        return someOfNested(statement, model, alias, join, where(), type) ?? related(where());
      case 'none':
        return `NOT ${related(where())}`;
      case 'every':
        return `NOT ${related(where(), true)}`;
      case 'measured':
        return measuredConditions(statement, model, alias, { ...(operand as MeasuredList), relation, as: type });
      default:
        return operand === undefined ? [] : unsupported(operator);
    }
  });
}

/** A condition on what is computed of the rows of a list: `measured` of a relation. */
export type MeasuredList = Pick<ListFigure, 'measure' | 'through' | 'where'> & {
  /** The condition, in which the result has the name `computedName`. */
  readonly is: Where;
};

const measuredConditions = (
  statement: Statement,
  model: SqlModel,
  alias: string,
  { is, ...figure }: MeasuredList & Pick<ListFigure, 'relation' | 'as'>,
): string[] =>
  conditionsOf(
    statement,
    withComputed(model, () => {
      const joined = statement.joinedFigures.get(alias);
      return joined ? joined(figure) : listFigureSql(statement, model, alias, figure);
    }),
    alias,
    is,
  );

/** The SQL of a figure of the list of one row: a subquery. */
export function listFigureSql(statement: Statement, model: SqlModel, alias: string, figure: ListFigure): string {
  const { relation, measure, through, where = {}, as } = figure;
  const join = joinOf(model, relation);
  const list = statement.modelOf(join.model);
  const next = through && joinOf(list, through.to);
  const target = next ? statement.modelOf(next.model) : list;
  const inner = statement.alias(target);
  const link = next ? statement.alias(list) : inner;
  const opened = openRelated(statement, model, alias, join, link, as);
  const rows = next ? open(statement, target, inner, through?.as) : opened;
  const linked = next ? [...opened.conditions, ...relationSql(statement, list, link, next, inner)] : [];
  const exists = next ? [`EXISTS (SELECT 1 FROM ${opened.from} WHERE ${allOf(linked)})`] : [];
  const matching = statement.inside(() => conditionsOf(statement, target, inner, where));
  const all = allOf([...rows.conditions, ...exists, ...matching]);
  return `(SELECT ${listMeasureSql(target, inner, measure)} FROM ${rows.from} WHERE ${all})`;
}

/** The SQL of what is computed of the rows of a list. */
export const listMeasureSql = (model: SqlModel, alias: string, measure: ListFigure['measure']): string =>
  measure === 'count' ? 'count(*)' : `${measure.of}(${fieldSql(model, measure.column, alias)})`;

/**
 * The condition that some rows of a list within another relation match. PostgreSQL would search the list again for each
 * row in the order of the page: 10 s for 150,000 rows if none matches. The matching rows are therefore found once, by a
 * subquery.
 */
function someOfNested(
  statement: Statement,
  model: SqlModel,
  alias: string,
  join: SqlJoin,
  where: Where,
  type: string | undefined,
): string | undefined {
  const [pair, ...others] = join.onWithinCompany;
  if (!statement.isInside || !pair || others.length > 0 || join.on.length === 1) return undefined;
  const target = statement.modelOf(join.model);
  const inner = statement.alias(target);
  const found = fieldSql(target, pair[1], inner);
  const opened = open(statement, target, inner, type);
  const conditions = [
    ...opened.conditions,
    ...statement.inside(() => conditionsOf(statement, target, inner, where)),
    `${found} IS NOT NULL`,
  ];
  // Without OFFSET it would be joined as EXISTS is.
  const rows = `SELECT ${found} FROM ${opened.from} WHERE ${allOf(conditions)} OFFSET 0`;
  return `${fieldSql(model, pair[0], alias)} IN (${rows})`;
}

/** A table that a statement reads: how FROM or JOIN names it, and the conditions of the rows that may be read. */
export interface Opened {
  readonly from: string;
  readonly conditions: readonly string[];
}

/**
 * Opens a table, for which every part of a statement that reads one calls this: its rows are those of the company of
 * the statement, and of those the ones that meet the row filter. The company is one value of the whole statement:
 * PostgreSQL compares it once rather than for each row, and evaluates subqueries that depend only on it once.
 *
 * @param type as which type of the API its rows are read, where the model has several; null reads those that the row
 *   filter excludes too
 */
export function open(statement: Statement, model: SqlModel, alias: string, type?: string | null): Opened {
  const from = `"${model.table}" AS ${alias}`;
  const company = companyCondition(statement, model, alias);
  const filter = type === null ? undefined : statement.rowFilter(model, type);
  if (!filter) return { from, conditions: [company] };
  // What limits the rows is the definition's: the rows that it compares with are all of the company.
  const filtered = statement.filteredBy(noFilter, () => conditionsOf(statement, model, alias, filter));
  return { from, conditions: [company, ...filtered] };
}

/** The condition that rows are of the company of the statement. */
function companyCondition(statement: Statement, model: SqlModel, alias: string): string {
  const { company, key } = model.roles;
  if (company) return `${company.sql(alias)} = ${statement.companySql}`;
  if (model.name !== 'Company' || !key) throw new Error(`${model.name} has no company.`);
  const { memberId } = statement;
  const sql = key.sql(alias);
  return memberId === undefined
    ? `${sql} = ${statement.companySql}`
    : `${sql} IN (${membershipsSql(statement, memberId)})`;
}

/** The companies that a person belongs to: of all tables, only memberships are read in all companies. */
function membershipsSql(statement: Statement, memberId: unknown): string {
  const users = statement.modelOf('User');
  const alias = statement.alias(users);
  const column = (name: string) => fieldSql(users, name, alias);
  return `SELECT ${column('companyId')} FROM "${users.table}" AS ${alias} WHERE ${column('id')} = ${statement.value(memberId, 'uuid')}`;
}

/** Opens the table of related rows, with the conditions of the relation. */
export function openRelated(
  statement: Statement,
  model: SqlModel,
  alias: string,
  join: SqlJoin,
  otherAlias: string,
  type?: string | null,
): Opened {
  const { from, conditions } = open(statement, statement.modelOf(join.model), otherAlias, type);
  return { from, conditions: [...conditions, ...relationSql(statement, model, alias, join, otherAlias)] };
}

/** The conditions of a relation between two tables that a statement has opened: both have its company. */
export function relationSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  join: SqlJoin,
  otherAlias: string,
): string[] {
  const other = statement.modelOf(join.model);
  return join.onWithinCompany.map(
    ([mine, others]) => `${fieldSql(other, others, otherAlias)} = ${fieldSql(model, mine, alias)}`,
  );
}

/** Whether a condition compares nothing but what is computed of lists, so that all rows have to be read for it. */
export const comparesFigures = (model: SqlModel, where: Where): boolean =>
  Object.entries(where).every(([key, value]) => {
    if (value === undefined) return true;
    if (key === 'AND') return listOf(value).every((each) => comparesFigures(model, whereOf(each)));
    const operators = model.joins[key]?.list ? Object.keys(whereOf(value)) : [];
    return operators.includes('measured') && operators.every((name) => name === 'measured' || name === 'as');
  });

/** Whether a condition matches all rows. */
export const matchesAll = ({ AND = [], ...others }: Where): boolean =>
  Object.values(others).every((each) => each === undefined) && listOf(AND).every((each) => matchesAll(whereOf(each)));
