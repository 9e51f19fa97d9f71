// Prisma's `where` in SQL.
import {
  columnOf,
  columnSql,
  joinSql,
  mappedValuesOf,
  modelOf,
  type SqlColumn,
  type SqlJoin,
  type SqlModel,
  sqlTypeOf,
} from './models.ts';
import type { Statement } from './statement.ts';

/** A condition as Prisma's arguments. */
export type Where = Readonly<Record<string, unknown>>;

/** A reference to another column of the same row, such as `prisma.paint.fields.name`. */
interface ColumnReference {
  readonly modelName: string;
  readonly name: string;
}

const isReference = (value: unknown): value is ColumnReference =>
  typeof value === 'object' && value !== null && 'modelName' in value && 'name' in value;

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Whether a value is an object of operators, rather than a date, a decimal or a reference. */
const isOperators = (value: unknown): value is Record<string, unknown> =>
  tagOf(value) === '[object Object]' && !isReference(value);

const isDate = (value: unknown): value is Date => tagOf(value) === '[object Date]';

// The types of Prisma's conditions exclude other values.
const whereOf = (value: unknown): Where => (isOperators(value) ? value : unsupported(typeof value));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : unsupported(typeof value));

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
    else if (key in model.columns) conditions.push(...columnConditions(statement, model, alias, key, value));
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
  const target = modelOf(join.model);
  const related = (where: Where, negated = false): string => {
    const inner = statement.alias(target);
    const conditions = statement.inside(() => conditionsOf(statement, target, inner, where));
    const matches = negated ? [`NOT (${allOf(conditions)})`] : conditions;
    return `EXISTS (SELECT 1 FROM "${target.table}" AS ${inner} WHERE ${allOf([joinSql(model, alias, join, inner), ...matches])})`;
  };
  if (value === null) return [`NOT ${related({})}`];
  const operators = whereOf(value);
  if (!join.list && !('is' in operators) && !('isNot' in operators)) return [related(operators)];
  return Object.entries(operators).flatMap(([operator, operand]) => {
    const where = () => whereOf(operand ?? {});
    switch (operator) {
      case 'is':
        return operand === null ? `NOT ${related({})}` : related(where());
      case 'isNot':
        return operand === null ? related({}) : `NOT ${related(where())}`;
      case 'some':
        return someOfNested(statement, model, alias, join, where()) ?? related(where());
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
 * The condition that some rows of a list within another relation match, where the company is known. PostgreSQL would
 * search the list again for each row in the order of the page: 10 s for 150,000 rows if none matches. The matching rows
 * are therefore found once, by a subquery.
 */
function someOfNested(
  statement: Statement,
  model: SqlModel,
  alias: string,
  join: SqlJoin,
  where: Where,
): string | undefined {
  const { companyId, isInside } = statement;
  const [pair, ...others] = join.on.filter(([mine, theirs]) => mine !== 'companyId' || theirs !== 'companyId');
  if (!isInside || companyId === undefined || !pair || others.length > 0 || join.on.length === 1) return undefined;
  const target = modelOf(join.model);
  const inner = statement.alias(target);
  const found = columnSql(inner, pair[1], columnOf(target, pair[1]));
  const conditions = [
    ...conditionsOf(statement, target, inner, { companyId }),
    ...statement.inside(() => conditionsOf(statement, target, inner, where)),
    `${found} IS NOT NULL`,
  ];
  // Without OFFSET it would be joined as EXISTS is.
  const rows = `SELECT ${found} FROM "${target.table}" AS ${inner} WHERE ${allOf(conditions)} OFFSET 0`;
  return `${columnSql(alias, pair[0], columnOf(model, pair[0]))} IN (${rows})`;
}

/**
 * The conditions of a relation. The company of the related rows is compared with the statement's, where it has one:
 * PostgreSQL then compares it once rather than for each row, and evaluates subqueries that depend only on the company
 * once.
 */
export function joinConditions(
  statement: Statement,
  model: SqlModel,
  alias: string,
  join: SqlJoin,
  otherAlias: string,
): string[] {
  const on = join.on.filter(([mine, others]) => mine !== 'companyId' || others !== 'companyId');
  const { companyId } = statement;
  if (companyId === undefined || on.length === join.on.length) return [joinSql(model, alias, join, otherAlias)];
  const isOfCompany = conditionsOf(statement, modelOf(join.model), otherAlias, { companyId });
  return [...isOfCompany, ...(on.length > 0 ? [joinSql(model, alias, { ...join, on }, otherAlias)] : [])];
}

const comparisons: Readonly<Record<string, string>> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

function columnConditions(
  statement: Statement,
  model: SqlModel,
  alias: string,
  name: string,
  value: unknown,
): string[] {
  const column = columnOf(model, name);
  const sql = columnSql(alias, name, column);
  if (value === null) return [`${sql} IS NULL`];
  if (!isOperators(value)) return [`${sql} = ${operandSql(statement, model, alias, column, value)}`];
  const { mode, ...operators } = value;
  return Object.entries(operators).flatMap(([operator, operand]) => {
    if (operand === undefined) return [];
    const text = (pattern: string) => likeSql(statement, sql, mode === 'insensitive' ? 'ILIKE' : 'LIKE', pattern);
    const operandOf = (each: unknown) => operandSql(statement, model, alias, column, each);
    const valuesSql = () =>
      statement.value(
        listOf(operand).map((each) => toDatabase(column, each)),
        `${sqlTypeOf(column)}[]`,
      );
    switch (operator) {
      case 'contains':
        return text(`%${textOf(operand)}%`);
      case 'startsWith':
        return text(`${textOf(operand)}%`);
      case 'endsWith':
        return text(`%${textOf(operand)}`);
      case 'in':
        return `${sql} = ANY(${valuesSql()})`;
      case 'notIn':
        return `${sql} <> ALL(${valuesSql()})`;
      case 'not':
        if (operand === null) return `${sql} IS NOT NULL`;
        if (!isOperators(operand)) return `${sql} <> ${operandOf(operand)}`;
        return `NOT (${allOf(columnConditions(statement, model, alias, name, operand))})`;
      case 'equals':
        if (operand === null) return `${sql} IS NULL`;
        if (mode === 'insensitive') return text(textOf(operand));
    }
    return `${sql} ${comparisons[operator] ?? unsupported(operator)} ${operandOf(operand)}`;
  });
}

/** The number of characters above which a pattern counts as long. */
const longPattern = 200;

/**
 * Compares a text with a pattern. PostgreSQL converts the pattern to lower case again for each row: 10 s for 150,000
 * rows and 20,000 characters. A long pattern is therefore compared only with texts that match its beginning and are
 * long enough. A text can be half as long as the pattern, because lower case can have twice as many characters.
 */
function likeSql(statement: Statement, sql: string, operator: 'LIKE' | 'ILIKE', pattern: string): string {
  const whole = () => `${sql} ${operator} ${statement.value(pattern, 'text')}`;
  if (pattern.length <= longPattern) return whole();
  // A backslash and what it escapes stay together, as do the halves of a character.
  const characters = pattern.match(/\\.|[^\\]/gsu) ?? [];
  const begins = `${sql} ${operator} ${statement.value(`${characters.slice(0, longPattern).join('')}%`, 'text')}`;
  const isLongEnough = `length(${sql}) >= ${statement.value(Math.floor((characters.length - 2) / 2), 'integer')}`;
  return `(${begins} AND CASE WHEN ${isLongEnough} THEN ${whole()} ELSE FALSE END)`;
}

/** A value, or another column of the row. */
const operandSql = (statement: Statement, model: SqlModel, alias: string, column: SqlColumn, value: unknown): string =>
  isReference(value)
    ? columnSql(alias, value.name, columnOf(model, value.name))
    : statement.value(toDatabase(column, value), sqlTypeOf(column));

/** A value, or an item of a list, in the form of the database. */
export function toDatabase({ type, enum: isEnum }: SqlColumn, value: unknown): unknown {
  if (isEnum) return mappedValuesOf(type)[String(value)] ?? value;
  if (isDate(value)) return value.toISOString();
  if (value === null || value instanceof Uint8Array) return value;
  // Of the objects only decimals are left.
  return typeof value === 'object' || typeof value === 'bigint' ? `${value as bigint}` : value;
}

function unsupported(operator: string): never {
  throw new Error(`The operator ${operator} is not supported.`);
}

/** The company whose rows a condition matches, where it says so. */
export function companyOf({ companyId, AND = [] }: Where): string | undefined {
  if (typeof companyId === 'string') return companyId;
  return listOf(AND)
    .map((each) => companyOf(whereOf(each)))
    .find((found) => found !== undefined);
}

/** Whether a condition matches all rows of a company. */
export const isWholeCompany = ({ companyId, AND = [], ...others }: Where): boolean =>
  Object.values(others).every((each) => each === undefined) &&
  listOf(AND).every((each) => isWholeCompany(whereOf(each)));
