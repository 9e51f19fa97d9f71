import { conflict } from '../../errors.ts';
import { type EnumName, enumFacts } from '../definition/model.ts';

/** The values that may follow each value; a new row has the first, or one that may follow it. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/**
 * Rejects a status change that the transitions do not allow.
 *
 * @param noun what people call the row; with the field of the status
 * @param enumName the enum of the statuses
 * @param previous the status before; undefined for a new row
 * @param next the status after; undefined if the write does not set it
 * @throws ServiceError CONFLICT
 */
export function assertTransition(
  { noun, field, enumName, transitions }: { noun: string; field: string; enumName: EnumName; transitions: Transitions },
  previous: string | undefined,
  next: string | undefined,
): void {
  const from = previous ?? Object.keys(transitions)[0];
  if (from === undefined) throw new Error(`${field} of ${noun} has no statuses.`);
  if (next === undefined || next === from || transitions[from]?.includes(next)) return;
  const { mappedValues } = enumFacts(enumName);
  if (previous === undefined) {
    const starts = [from, ...(transitions[from] ?? [])].map((status) => mappedValues[status]);
    throw conflict(`A new ${noun} cannot be ${mappedValues[next]}; allowed: ${starts.join(', ')}.`, {
      [field]: `cannot be ${mappedValues[next]} at first`,
    });
  }
  const allowed = (transitions[from] ?? []).map((status) => mappedValues[status]);
  const allowedText = allowed.length > 0 ? `allowed: ${allowed.join(', ')}` : 'this status is final';
  throw conflict(`The ${noun} is ${mappedValues[from]} and cannot become ${mappedValues[next]}; ${allowedText}.`, {
    [field]: `cannot change from ${mappedValues[from]} to ${mappedValues[next]}`,
  });
}
