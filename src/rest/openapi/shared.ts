import { type ComponentKind, type Part, ref } from './types.ts';

/** A part of the document, and its name as a component. */
export interface Named {
  readonly name: string;
  readonly part: Part;
}

/**
 * Extracts repeated parts into components, so that the document contains each of them once.
 * @param occurrences every occurrence of a part; where parts differ under one name, the most frequent one gets it
 * @returns the components, and `use`, which returns an occurrence as a reference to its component or unchanged
 */
export function shareRepeated(kind: ComponentKind, occurrences: readonly Named[]) {
  const byName = new Map<string, Map<string, { part: Part; text: string; uses: number }>>();
  for (const { name, part } of occurrences) {
    const counts = byName.get(name) ?? new Map<string, { part: Part; text: string; uses: number }>();
    const text = JSON.stringify(part);
    byName.set(name, counts.set(text, { part, text, uses: (counts.get(text)?.uses ?? 0) + 1 }));
  }
  const shared = new Map(
    [...byName].flatMap(([name, counts]) => {
      const [first] = [...counts.values()].toSorted((one, other) => other.uses - one.uses);
      return first && first.uses > 1 ? [[name, first] as const] : [];
    }),
  );
  return {
    components: Object.fromEntries([...shared].map(([name, { part }]) => [name, part])),
    use: ({ name, part }: Named): Part => (shared.get(name)?.text === JSON.stringify(part) ? ref(kind, name) : part),
  };
}
