import { distance } from 'fastest-levenshtein';

/** Maximum length of a name to compare. */
const maxLength = 100;

/**
 * Finds the known name most similar to a mistyped one. Two in five characters may differ, and one more, as in the
 * suggestions of GraphQL's reference implementation; a name that differs in more is another one.
 */
export function findNear(given: string, known: readonly string[]): string | undefined {
  if (given.length > maxLength) return undefined;
  const near = known
    .map((name) => ({ name, differs: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ differs }) => differs <= Math.floor(given.length * 0.4) + 1);
  return near.toSorted((a, b) => a.differs - b.differs)[0]?.name;
}

/**
 * Suggests the known name most similar to a mistyped one, if one is.
 *
 * @param spelled the given name in the spelling of the known ones
 */
export function suggest(given: string, known: readonly string[], spelled = given): string {
  const near = known.includes(spelled) ? spelled : findNear(given, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
