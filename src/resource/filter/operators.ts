import type { Context } from '../../context.ts';
import { badRequest } from '../../errors.ts';
import { findCharacterError, isUuid } from '../../formats.ts';
import { messages } from '../../input/index.ts';
import { columnFacts, enumFacts, type ModelName, matchesAll, type Where } from '../model.ts';
import { RelativeTime } from './relative-time.ts';

/** The operators of all filters; each type has those that suit it. */
export type Operator =
  | 'eq'
  | 'ne'
  | 'in'
  | 'notIn'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'contains'
  | 'startsWith'
  | 'isNull';

/** Maximum number of values in one list; PostgreSQL limits a statement's parameters. */
export const maxFilterValues = 1000;

/** Matches no row. An empty `OR` would too, but Prisma drops it inside an `AND`. */
export const none: Where = { id: { in: [] } };

/** Combines conditions with OR; without any, no row matches. */
export function anyOf(conditions: readonly Where[]): Where {
  if (conditions.some(matchesAll)) return {};
  const some = conditions.filter((condition) => condition !== none);
  return some.length > 1 ? { OR: some } : (some[0] ?? none);
}

/** Escapes a text for Prisma's `insensitive` mode, which is a LIKE pattern. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

const opposites = { lt: 'gte', gte: 'lt', gt: 'lte', lte: 'gt' } as const;

const isBound = (operator: Operator): operator is keyof typeof opposites => operator in opposites;

/** One condition on a column. */
interface ColumnCondition {
  readonly model: ModelName;
  readonly column: string;
  readonly operator: Operator;
  /** The value, or the values of `in` and `notIn`, in the form of the database's client. */
  readonly operand: unknown;
}

/**
 * Compiles a condition, or its complement. Each row matches exactly one of the two: an unset value matches no operator
 * but `isNull`, and therefore all complements.
 */
export function columnWhere(condition: ColumnCondition, negated: boolean): Where {
  const { model, column, operator, operand } = condition;
  if (operator === 'ne') return columnWhere({ ...condition, operator: 'eq' }, !negated);
  if (operator === 'notIn') return columnWhere({ ...condition, operator: 'in' }, !negated);
  const { required } = columnFacts(model, column);
  const unset = required ? none : { [column]: null };
  if (operator === 'isNull') {
    if (operand !== negated) return unset;
    return required ? {} : { [column]: { not: null } };
  }
  const members = membersOf(model, column);
  if (members) {
    const matching = members.filter((member) => matchesMember(members, member, operator, operand) !== negated);
    return anyOf([isAnyMember(model, column, matching, members.length), ...(negated ? [unset] : [])]);
  }
  if (operator === 'in' && (operand as unknown[]).length === 0) return negated ? {} : none;
  return negated ? anyOf([complement(column, operator, operand), unset]) : positive(column, operator, operand);
}

function positive(column: string, operator: Operator, operand: unknown): Where {
  switch (operator) {
    case 'eq':
      return { [column]: operand };
    case 'contains':
    case 'startsWith':
      return { [column]: { [operator]: escapeLike(String(operand)), mode: 'insensitive' } };
    default:
      return { [column]: { [operator]: operand } };
  }
}

/** The complement for rows whose value is set. */
function complement(column: string, operator: Operator, operand: unknown): Where {
  if (operator === 'eq') return { [column]: { not: operand } };
  if (operator === 'in') return { [column]: { notIn: operand } };
  if (isBound(operator)) return { [column]: { [opposites[operator]]: operand } };
  return { NOT: positive(column, operator, operand) };
}

/** The values of an enum or boolean, in order: Prisma cannot compare these types. */
function membersOf(model: ModelName, column: string): unknown[] | undefined {
  const { type, enum: isEnum } = columnFacts(model, column);
  return isEnum ? Object.keys(enumFacts(type).mappedValues) : type === 'Boolean' ? [false, true] : undefined;
}

function matchesMember(members: readonly unknown[], member: unknown, operator: Operator, operand: unknown): boolean {
  if (operator === 'in') return (operand as unknown[]).includes(member);
  const [place, bound] = [members.indexOf(member), members.indexOf(operand)];
  switch (operator) {
    case 'lt':
      return place < bound;
    case 'lte':
      return place <= bound;
    case 'gt':
      return place > bound;
    case 'gte':
      return place >= bound;
    default:
      return place === bound;
  }
}

/** Matches any of several members of an enum or boolean. Prisma has no list condition for booleans. */
function isAnyMember(model: ModelName, column: string, matching: readonly unknown[], count: number): Where {
  const { type, required } = columnFacts(model, column);
  if (matching.length === count) return required ? {} : { [column]: { not: null } };
  if (type === 'Boolean' || matching.length < 2) return anyOf(matching.map((member) => ({ [column]: member })));
  return { [column]: { in: matching } };
}

/** The longest text of a filter or search, in characters: the longest that fits into a request line of REST. */
const maxTextLength = 65_536;

/** @throws ServiceError BAD_REQUEST for a text that is too long, or that cannot be stored */
export function checkText(text: string, path: string): void {
  if (text.length > maxTextLength) throw badRequest(`must be at most ${maxTextLength} characters`, path);
  const error = findCharacterError(text);
  if (error !== undefined) throw badRequest(error, path);
}

/** What words for times depend on. */
type OperandContext = Pick<Context, 'at' | 'caller'>;

/**
 * Converts a filter's value to the form of the database's client.
 *
 * @param path the value's place in the filter
 * @throws ServiceError BAD_REQUEST
 */
export function readOperand(type: string, value: unknown, path: string, context: OperandContext): unknown {
  if (value === null) throw badRequest(messages.notNull, path);
  if (type === 'Uuid' && !isUuid(value)) throw badRequest(messages.uuid, path);
  if (typeof value === 'string') checkText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) throw badRequest('must be a number', path);
  if (value instanceof RelativeTime) {
    const { at = new Date(), caller } = context;
    return type === 'Date' ? value.dayAt(at, caller.timeZone) : value.at(at, caller.timeZone);
  }
  // Numbers would be compared as binary floats, which differ from 99.99.
  return type === 'Decimal' && typeof value === 'number' ? String(value) : value;
}
