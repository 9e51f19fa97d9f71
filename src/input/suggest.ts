import { closest } from 'fastest-levenshtein';

/** Maximum length of a name to compare. */
const maxLength = 100;

/**
 * Suggests the known name most similar to a mistyped one.
 *
 * @param spelled the given name in the spelling of the known ones
 */
export function suggest(given: string, known: readonly string[], spelled = given): string {
  if (known.length === 0 || given.length > maxLength) return '';
  return `; did you mean ${known.includes(spelled) ? spelled : closest(given, known)}?`;
}
