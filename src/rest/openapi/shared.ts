import { type ComponentKind, type Part, ref } from './types.ts';

/** A part of the document, and its name as a component. */
export interface Named {
  readonly name: string;
  readonly part: Part;
}

/**
 * Extracts repeated parts into components, so that the document contains each of them once.
 * @param occurrences every occurrence of a part; where parts differ under one name, the most frequent one gets it, and
 *   others that repeat get it with a number
 * @returns the components, and `use`, which returns an occurrence as a reference to its component or unchanged
 */
export function shareRepeated(kind: ComponentKind, occurrences: readonly Named[]) {
  const byName = new Map<string, Map<string, { part: Part; text: string; uses: number }>>();
  for (const { name, part } of occurrences) {
    const counts = byName.get(name) ?? new Map<string, { part: Part; text: string; uses: number }>();
    const text = JSON.stringify(part);
    byName.set(name, counts.set(text, { part, text, uses: (counts.get(text)?.uses ?? 0) + 1 }));
  }
  const components: Record<string, Part> = {};
  const names = new Map<string, string>();
  for (const [name, counts] of byName) {
    const repeated = [...counts.values()].filter(({ uses }) => uses > 1);
    for (const [n, { part, text }] of repeated.toSorted((one, other) => other.uses - one.uses).entries()) {
      const component = n === 0 ? name : `${name}${n + 1}`;
      components[component] = part;
      names.set(`${name} ${text}`, component);
    }
  }
  return {
    components,
    use({ name, part }: Named): Part {
      const component = names.get(`${name} ${JSON.stringify(part)}`);
      return component === undefined ? part : ref(kind, component);
    },
  };
}
