import { conflict } from '../errors.ts';
import { words } from '../names.ts';
import { enumFacts } from './model.ts';

/** Which statuses may follow each; the first is where a new row begins (spec §3). */
export type Moves = Readonly<Record<string, readonly string[]>>;

/**
 * Refuses a move that the family does not allow. A new row may begin with its first move made.
 * @param enumName the enum of the statuses
 * @param previous the status before; undefined for a new row
 * @throws ServiceError CONFLICT
 */
export function checkMove(
  type: string,
  enumName: string,
  moves: Moves,
  previous: string | undefined,
  next: unknown,
): void {
  const from = previous ?? Object.keys(moves)[0] ?? '';
  if (typeof next !== 'string' || next === from || moves[from]?.includes(next)) return;
  const { words: wordOf } = enumFacts(enumName);
  const possible = (moves[from] ?? []).map((status) => wordOf[status]);
  const instead = possible.length > 0 ? `only ${possible.join(' or ')}` : 'nor anything else';
  throw conflict(`The ${words(type)} is ${wordOf[from]} and cannot become ${wordOf[next]}, ${instead}.`, {
    status: `cannot follow ${wordOf[from]}`,
  });
}
