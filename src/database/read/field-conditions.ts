// Conditions on the fields of a row, in SQL.
import type { StoredField } from '../stored-field.ts';
import { fieldOf, fieldSql, type SqlModel, sortableSql } from './models.ts';
import { shortPattern } from './short-texts.ts';
import { Slot } from './slot.ts';
import type { Statement } from './statement.ts';
import type { Where } from './where.ts';

/** A reference to another column of the same row, such as `prisma.paint.fields.name`. */
interface ColumnReference {
  readonly modelName: string;
  readonly name: string;
  /** The digits of a factor. */
  readonly times?: string;
}

/** Whether a value refers to another column. */
export const isReference = (value: unknown): value is ColumnReference =>
  typeof value === 'object' && value !== null && 'modelName' in value && 'name' in value;

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Whether a value is an object of operators, rather than a date, a decimal or a reference. */
export const isOperators = (value: unknown): value is Record<string, unknown> =>
  tagOf(value) === '[object Object]' && !isReference(value);

// The types of Prisma's conditions exclude other values.
export const whereOf = (value: unknown): Where => (isOperators(value) ? value : unsupported(typeof value));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : unsupported(typeof value));

/** Whether a value is so short a text that `shortPattern` finds it. */
export const isShort = (value: unknown): boolean =>
  value instanceof Slot ? value.isShort : typeof value === 'string' && shortPattern(value) !== undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Joins conditions with AND; TRUE without any. */
export const allOf = (conditions: readonly string[]): string => conditions.join(' AND ') || 'TRUE';

const comparisons: Readonly<Record<string, string>> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** Translates the condition on a field. @throws Error for operators of Prisma that nothing here uses */
export function fieldConditions(
  statement: Statement,
  model: SqlModel,
  alias: string,
  name: string,
  value: unknown,
): string[] {
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
): string => {
  if (!isReference(value)) return valueSql(statement, field, value);
  const sql = fieldSql(model, value.name, alias);
  return value.times === undefined ? sql : `(${sql} * ${statement.value(value.times, 'numeric')})`;
};

/** A value of a field. */
export function valueSql(statement: Statement, { type: { encode, sqlType } }: StoredField, value: unknown): string {
  return statement.value(value, sqlType, encode);
}

/** @throws Error */
export function unsupported(operator: string): never {
  throw new Error(`The operator ${operator} is not supported.`);
}
