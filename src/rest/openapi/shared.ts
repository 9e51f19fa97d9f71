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
  const byName = new Map<string, Map<string, number>>();
  for (const { name, part } of occurrences) {
    const counts = byName.get(name) ?? new Map<string, number>();
    const text = JSON.stringify(part);
    byName.set(name, counts.set(text, (counts.get(text) ?? 0) + 1));
  }
  const texts = new Map<string, string>();
  for (const [name, counts] of byName) {
    const [text = '', uses = 0] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
    if (uses > 1) texts.set(name, text);
  }
  return {
    components: Object.fromEntries([...texts].map(([name, text]) => [name, JSON.parse(text) as Part])),
    use: ({ name, part }: Named): Part => (texts.get(name) === JSON.stringify(part) ? ref(kind, name) : part),
  };
}
