import type { Decimal } from '@prisma/client/runtime/client';
import { bounds, type Checked, equality, type Limits, type Operator, type Rule, type RuleFacts } from './field-type.ts';

/** Numbers must not be negative, except in columns whose rule allows it. */
export const findRuleError = (value: Decimal, rule: Rule | undefined): string | undefined =>
  // The compiler cannot know that the rule of a column of numbers takes numbers.
  rule ? rule(value as never) : value.lt(0) ? 'must not be negative' : undefined;

/** The largest number of GraphQL's integers, which have 32 bits. */
export const maxInteger = 2 ** 31 - 1;

/** The operators of values that have an order. */
export const ordered: readonly Operator[] = [...equality, ...bounds, 'isNull'];

/** Refuses operands that are no numbers. */
export const isInfinite = (operand: unknown): boolean => typeof operand === 'number' && !Number.isFinite(operand);
export const notFinite: Checked = { error: 'must be a number' };

/** The limits of a number in a request body: those of its rule, and otherwise of its column. */
export const numberBounds = (
  facts: RuleFacts | undefined,
  largest: { readonly maximum: number } | { readonly exclusiveMaximum: number },
) => ({ ...(facts ?? { minimum: 0 }), ...(facts?.maximum === undefined && largest) });

/** The digits before the decimal point, as the number that is too large. */
export const limitOf = ({ precision = 0, scale = 0 }: Limits): number => 10 ** (precision - scale);
