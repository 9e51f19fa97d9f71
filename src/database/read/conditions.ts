// Prisma's `where` in SQL.
import {
  columnOf,
  columnSql,
  enumWords,
  joinSql,
  modelOf,
  type SqlColumn,
  type SqlModel,
  sqlTypeOf,
} from './models.ts';
import type { Statement } from './statement.ts';

/** A condition in Prisma's words. */
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

const listOf = (value: unknown): readonly Where[] => (Array.isArray(value) ? value : [value]) as Where[];

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
  const grouped = (inner: Where) => {
    const all = conditionsOf(statement, model, alias, inner);
    return all.length > 1 ? `(${allOf(all)})` : allOf(all);
  };
  for (const [key, value] of Object.entries(where)) {
    if (value === undefined) continue;
    if (key === 'AND')
      for (const each of listOf(value)) conditions.push(...conditionsOf(statement, model, alias, each));
    else if (key === 'OR') conditions.push(anyOf(listOf(value).map(grouped)));
    else if (key === 'NOT') for (const each of listOf(value)) conditions.push(`NOT ${grouped(each)}`);
    else if (key in model.joins) conditions.push(...relationConditions(statement, model, alias, key, value));
    else if (key in model.columns) conditions.push(...columnConditions(statement, model, alias, key, value));
    // The columns of a compound key, as in `{ companyId_id: { companyId, id } }`.
    else conditions.push(...conditionsOf(statement, model, alias, value as Where));
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
    const conditions = conditionsOf(statement, target, inner, where);
    const matches = negated ? [`NOT (${allOf(conditions)})`] : conditions;
    return `EXISTS (SELECT 1 FROM "${target.table}" AS ${inner} WHERE ${allOf([joinSql(model, alias, join, inner), ...matches])})`;
  };
  if (value === null) return [`NOT ${related({})}`];
  const operators = value as Where;
  if (!join.list && !('is' in operators) && !('isNot' in operators)) return [related(operators)];
  return Object.entries(operators).flatMap(([operator, operand]) => {
    const where = operand as Where | null;
    switch (operator) {
      case 'is':
        return where === null ? `NOT ${related({})}` : related(where);
      case 'isNot':
        return where === null ? related({}) : `NOT ${related(where)}`;
      case 'some':
        return related(where ?? {});
      case 'none':
        return `NOT ${related(where ?? {})}`;
      case 'every':
        return `NOT ${related(where ?? {}, true)}`;
      default:
        return operand === undefined ? [] : unsupported(operator);
    }
  });
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
    const text = (pattern: string) =>
      `${sql} ${mode === 'insensitive' ? 'ILIKE' : 'LIKE'} ${statement.value(pattern, 'text')}`;
    const operandOf = (each: unknown) => operandSql(statement, model, alias, column, each);
    const valuesSql = () =>
      statement.value(
        (operand as unknown[]).map((each) => toDatabase(column, each)),
        `${sqlTypeOf(column)}[]`,
      );
    switch (operator) {
      case 'contains':
        return text(`%${operand as string}%`);
      case 'startsWith':
        return text(`${operand as string}%`);
      case 'endsWith':
        return text(`%${operand as string}`);
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
        if (mode === 'insensitive') return text(operand as string);
    }
    return `${sql} ${comparisons[operator] ?? unsupported(operator)} ${operandOf(operand)}`;
  });
}

/** A value, or another column of the row. */
const operandSql = (statement: Statement, model: SqlModel, alias: string, column: SqlColumn, value: unknown): string =>
  isReference(value)
    ? columnSql(alias, value.name, columnOf(model, value.name))
    : statement.value(toDatabase(column, value), sqlTypeOf(column));

/** A value, or an item of a list, in the form of the database. */
export function toDatabase({ type, enum: isEnum }: SqlColumn, value: unknown): unknown {
  if (isEnum) return enumWords(type)[value as string] ?? value;
  if (tagOf(value) === '[object Date]') return (value as Date).toISOString();
  if (value === null || value instanceof Uint8Array) return value;
  // Of the objects only decimals are left.
  return typeof value === 'object' || typeof value === 'bigint' ? `${value as bigint}` : value;
}

function unsupported(operator: string): never {
  throw new Error(`The operator ${operator} is not supported.`);
}
