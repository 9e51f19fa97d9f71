// Prisma's `where` in SQL.

import type { StoredField } from '../stored-field.ts';
import { fieldOf, fieldSql, type SqlJoin, type SqlModel, sortableSql } from './models.ts';
import { noFilter } from './row-access.ts';
import { shortPattern } from './short-texts.ts';
import { Slot } from './slot.ts';
import type { Statement } from './statement.ts';
import type { Where } from './where.ts';

export type { Where } from './where.ts';

/** A reference to another column of the same row, such as `prisma.paint.fields.name`. */
interface ColumnReference {
  readonly modelName: string;
  readonly name: string;
}

/** Whether a value refers to another column. */
export const isReference = (value: unknown): value is ColumnReference =>
  typeof value === 'object' && value !== null && 'modelName' in value && 'name' in value;

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Whether a value is an object of operators, rather than a date, a decimal or a reference. */
export const isOperators = (value: unknown): value is Record<string, unknown> =>
  tagOf(value) === '[object Object]' && !isReference(value);

// The types of Prisma's conditions exclude other values.
const whereOf = (value: unknown): Where => (isOperators(value) ? value : unsupported(typeof value));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : unsupported(typeof value));

/** Whether a value is so short a text that `shortPattern` finds it. */
export const isShort = (value: unknown): boolean =>
  value instanceof Slot ? value.isShort : typeof value === 'string' && shortPattern(value) !== undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Joins conditions with AND; TRUE without any. */
export const allOf = (conditions: readonly string[]): string => conditions.join(' AND ') || 'TRUE';

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
    else if (key in model.fields) conditions.push(...fieldConditions(statement, model, alias, key, value));
    // The columns of a compound key, as in `{ companyId_id: { companyId, id } }`.
    else conditions.push(...conditionsOf(statement, model, alias, whereOf(value)));
  }
  return conditions;
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
      default:
        return operand === undefined ? [] : unsupported(operator);
    }
  });
}

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

const comparisons: Readonly<Record<string, string>> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

function fieldConditions(statement: Statement, model: SqlModel, alias: string, name: string, value: unknown): string[] {
  const field = fieldOf(model, name);
  const sql = field.sql(alias);
  if (value === null) return [`${sql} IS NULL`];
  if (!isOperators(value)) return [`${sql} = ${operandSql(statement, model, alias, field, value)}`];
  const { mode, ...operators } = value;
  return Object.entries(operators).flatMap(([operator, operand]) => {
    if (operand === undefined) return [];
    const text = (patternOf: (text: string) => string) =>
      likeSql(statement, sql, operand, patternOf, mode === 'insensitive');
    const operandOf = (each: unknown) => operandSql(statement, model, alias, field, each);
    const valuesSql = () => {
      const { encode, sqlType } = field.itemType;
      return statement.value(operand, `${sqlType}[]`, (given) => listOf(given).map(encode));
    };
    switch (operator) {
      case 'contains':
        if (mode !== 'insensitive' || !isShort(operand)) return text((part) => `%${part}%`);
        return `${sql} ~ ${statement.value(operand, 'text', (given) => shortPattern(textOf(given)))}`;
      case 'startsWith':
        return text((start) => `${start}%`);
      case 'endsWith':
        return text((end) => `%${end}`);
      case 'in':
        return `${sql} = ANY(${valuesSql()})`;
      case 'notIn':
        return `${sql} <> ALL(${valuesSql()})`;
      case 'not':
        if (operand === null) return `${sql} IS NOT NULL`;
        if (!isOperators(operand)) return `${sql} <> ${operandOf(operand)}`;
        return `NOT (${allOf(fieldConditions(statement, model, alias, name, operand))})`;
      case 'equals':
        if (operand === null) return `${sql} IS NULL`;
        if (mode === 'insensitive') return text((whole) => whole);
    }
    const compared = operator === 'equals' ? sql : sortableSql(sql, field);
    return `${compared} ${comparisons[operator] ?? unsupported(operator)} ${operandOf(operand)}`;
  });
}

/**
 * Compares a text with a pattern. Both are folded by the database, so that they are by the same rules; PostgreSQL folds
 * the pattern once.
 */
function likeSql(
  statement: Statement,
  sql: string,
  given: unknown,
  patternOf: (text: string) => string,
  ignoresCase: boolean,
): string {
  const operand = statement.value(given, 'text', (text) => patternOf(textOf(text)));
  return ignoresCase ? `fold_case(${sql}) LIKE fold_case(${operand})` : `${sql} LIKE ${operand}`;
}

/** A value, or another column of the row. */
const operandSql = (
  statement: Statement,
  model: SqlModel,
  alias: string,
  field: StoredField,
  value: unknown,
): string => (isReference(value) ? fieldSql(model, value.name, alias) : valueSql(statement, field, value));

/** A value of a field. */
export function valueSql(statement: Statement, { type: { encode, sqlType } }: StoredField, value: unknown): string {
  return statement.value(value, sqlType, encode);
}

function unsupported(operator: string): never {
  throw new Error(`The operator ${operator} is not supported.`);
}

/** Whether a condition matches all rows. */
export const matchesAll = ({ AND = [], ...others }: Where): boolean =>
  Object.values(others).every((each) => each === undefined) && listOf(AND).every((each) => matchesAll(whereOf(each)));

/**
 * The columns of a row that decide whether it matches a condition, by their names in the database: its own, and those
 * of relations.
 */
export function columnsIn(model: SqlModel, where: Where): string[] {
  return Object.entries(where).flatMap(([key, value]) => {
    const join = model.joins[key];
    if (join) return join.on.map(([mine]) => fieldOf(model, mine).column);
    const field = model.fields[key];
    return field ? [field.column] : listOf(value).flatMap((each) => columnsIn(model, whereOf(each)));
  });
}
