// What to do when somebody else has changed a row while a person was changing it.

type Values = Readonly<Record<string, unknown>>;

/** A field that both have changed, to different values. */
export interface Conflict {
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** What remains to be written, and what the person decides. */
export interface Merge {
  readonly input: Values;
  readonly conflicts: readonly Conflict[];
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * Merges changes into a row that has changed meanwhile, field by field.
 *
 * @param base the row as the person saw it first
 * @param mine the fields that they have changed
 * @param latest the row as it is now
 */
export function mergeChanges(base: Values, mine: Values, latest: Values): Merge {
  const changed = Object.entries(mine).filter(([name, value]) => !isSame(value, latest[name]));
  const isOnlyMine = ([name]: [string, unknown]) => isSame(base[name], latest[name]);
  return {
    input: Object.fromEntries(changed.filter(isOnlyMine)),
    conflicts: changed
      .filter((entry) => !isOnlyMine(entry))
      .map(([name, value]) => ({ name, mine: value, theirs: latest[name] ?? null })),
  };
}
