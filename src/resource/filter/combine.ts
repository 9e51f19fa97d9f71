// How the parts of a filter are put together.
import { and, type Where } from '../definition/model.ts';
import { anyOf } from './operators.ts';

/** What a part of a filter compiles to: nothing where it has no condition, so that it is left out, negated or not. */
export type Compiled = Where | undefined;

/** Combines parts that must all hold, or negated parts; nothing where none has a condition. */
export function allOf(parts: readonly Compiled[], negated: boolean): Compiled {
  const conditions = parts.filter((part) => part !== undefined);
  if (conditions.length === 0) return undefined;
  return negated ? anyOf(conditions) : and(conditions);
}

/** Combines parts of which one must hold, or negated parts. A part without a condition holds, and so do all with it. */
export function someOf(parts: readonly Compiled[], negated: boolean): Compiled {
  const conditions = parts.filter((part) => part !== undefined);
  if (conditions.length < parts.length) return undefined;
  return negated ? and(conditions) : anyOf(conditions);
}
