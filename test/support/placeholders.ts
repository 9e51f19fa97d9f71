/**
 * The values for a statement that is explained: one for each of its parameters, which can stand in several places.
 *
 * @param valueOf the value of a parameter, by the type that the statement converts it to
 */
export function valuesFor(statement: string, valueOf: (type: string) => unknown): unknown[] {
  const types = new Map(
    [...statement.matchAll(/\$(\d+)::(\w+)/g)].map(([, place, type = '']) => [Number(place), type]),
  );
  return [...types].toSorted(([one], [other]) => one - other).map(([, type]) => valueOf(type));
}
