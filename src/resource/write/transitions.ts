import { conflict } from '../../errors.ts';
import type { FieldType } from '../../fields/index.ts';

/** The values that may follow each value; a new row has the first, or one that may follow it. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/**
 * Rejects a status change that the transitions do not allow.
 *
 * @param noun what people call the row; with the field of the status
 * @param type the type of the statuses
 * @param previous the status before; undefined for a new row
 * @param next the status after; undefined if the write does not set it
 * @throws ServiceError CONFLICT
 */
export function assertTransition(
  { noun, field, type, transitions }: { noun: string; field: string; type: FieldType; transitions: Transitions },
  previous: string | undefined,
  next: string | undefined,
): void {
  const from = previous ?? Object.keys(transitions)[0];
  if (from === undefined) throw new Error(`${field} of ${noun} has no statuses.`);
  if (next === undefined || next === from || transitions[from]?.includes(next)) return;
  const wordOf = (status: string) => String(type.encode(status));
  if (previous === undefined) {
    const starts = [from, ...(transitions[from] ?? [])].map(wordOf);
    throw conflict(`A new ${noun} cannot be ${wordOf(next)}; allowed: ${starts.join(', ')}.`, {
      [field]: `cannot be ${wordOf(next)} at first`,
    });
  }
  const allowed = (transitions[from] ?? []).map(wordOf);
  const allowedText = allowed.length > 0 ? `allowed: ${allowed.join(', ')}` : 'this status is final';
  throw conflict(`The ${noun} is ${wordOf(from)} and cannot become ${wordOf(next)}; ${allowedText}.`, {
    [field]: `cannot change from ${wordOf(from)} to ${wordOf(next)}`,
  });
}
