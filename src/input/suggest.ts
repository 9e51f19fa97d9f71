import { closest } from 'fastest-levenshtein';

/** The longest name that is compared with others. */
const maxLength = 100;

/**
 * Suggests the nearest name there is, for whoever mistyped one.
 * @param spelled the given name in the spelling of the known ones
 */
export function suggest(given: string, known: readonly string[], spelled = given): string {
  if (known.length === 0 || given.length > maxLength) return '';
  return `; did you mean ${known.includes(spelled) ? spelled : closest(given, known)}?`;
}
