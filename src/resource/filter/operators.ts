import type { Context } from '../../context.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { badRequest } from '../../errors.ts';
import { type FieldType, type Operator, readOperandText } from '../../fields/index.ts';
import { messages } from '../../input/index.ts';
import { matchesAll, type Where } from '../definition/model.ts';

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

/** One condition on a field. */
interface FieldCondition {
  readonly field: Pick<ApiField, 'name' | 'required' | 'type'>;
  readonly operator: Operator;
  /** The value, or the values of `in` and `notIn`, in the form of the database's client. */
  readonly operand: unknown;
}

/**
 * Compiles a condition, or its complement. Each row matches exactly one of the two: an unset value matches no operator
 * but `isNull`, and therefore all complements.
 */
export function fieldWhere(condition: FieldCondition, negated: boolean): Where {
  const { field, operator, operand } = condition;
  if (operator === 'ne') return fieldWhere({ ...condition, operator: 'eq' }, !negated);
  if (operator === 'notIn') return fieldWhere({ ...condition, operator: 'in' }, !negated);
  const { name, required } = field;
  const unset = required ? none : { [name]: null };
  if (operator === 'isNull') {
    if (operand !== negated) return unset;
    return required ? {} : { [name]: { not: null } };
  }
  const { members } = field.type.comparison;
  if (members) {
    const matching = members.filter((member) => matchesMember(members, member, operator, operand) !== negated);
    return anyOf([isAnyMember(field, matching, members.length), ...(negated ? [unset] : [])]);
  }
  if (operator === 'in' && (operand as unknown[]).length === 0) return negated ? {} : none;
  return negated ? anyOf([complement(name, operator, operand), unset]) : positive(name, operator, operand);
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
function isAnyMember({ name, required }: FieldCondition['field'], matching: readonly unknown[], count: number): Where {
  if (matching.length === count) return required ? {} : { [name]: { not: null } };
  if (matching.length < 2) return anyOf(matching.map((member) => ({ [name]: member })));
  return { [name]: { in: matching } };
}

/**
 * Reads a text that is compared with stored ones.
 *
 * @throws ServiceError BAD_REQUEST for a text that is too long, or that cannot be stored
 */
export function readText(text: string, path: string): string {
  const read = readOperandText(text);
  if ('error' in read) throw badRequest(read.error, path);
  return read.value;
}

/** What words for times depend on. */
type OperandContext = Pick<Context, 'at' | 'caller'>;

/**
 * Converts a filter's value to the form of the database's client.
 *
 * @param path the value's place in the filter
 * @throws ServiceError BAD_REQUEST
 */
export function readOperand({ comparison }: FieldType, value: unknown, path: string, context: OperandContext): unknown {
  if (value === null) throw badRequest(messages.notNull, path);
  const { at: now = new Date(), caller } = context;
  const read = comparison.read(value, { now, timeZone: caller.timeZone });
  if ('error' in read) throw badRequest(read.error, path);
  return read.value;
}
