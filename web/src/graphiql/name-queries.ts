import type { Tab } from './download.ts';

/** The part of the editor's interface that this module uses: https://microsoft.github.io/monaco-editor/ */
interface Monaco {
  readonly editor: { getModels(): readonly Model[] };
}

interface Model {
  getValue(): string;
  getFullModelRange(): object;
  pushEditOperations(before: [], edits: readonly { range: object; text: string }[], after: () => null): void;
}

declare global {
  /** Where the editor looks for its settings. */
  var MonacoEnvironment: {
    getWorkerUrl(module: string, label: string): string | undefined;
    /** Whether it sets `monaco`. */
    globalAPI: boolean;
  };
  var monaco: Monaco | undefined;
}

/** What GraphiQL's explorer calls operations, up to their first field. */
const unnamed =
  /\b(query|mutation|subscription) My(?:Query|Mutation|Subscription)\d*( *(?:\([^)]*\))? *\{\s*(?:\w+: *)?([a-z]\w*))/g;

/** Names the operations of a text that GraphiQL's explorer named, after their first fields. */
export function nameOperations(text: string): string {
  const taken = new Set([...text.matchAll(/\b(?:query|mutation|subscription) (\w+)/g)].map(([, name]) => name));
  return text.replaceAll(unnamed, (_, type: string, rest: string, field: string) => {
    const base = field.charAt(0).toUpperCase() + field.slice(1);
    let name = base;
    for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
    taken.add(name);
    return `${type} ${name}${rest}`;
  });
}

/**
 * Names the operations that the explorer has just added to a tab. Names that somebody types appear before their fields,
 * and stay.
 */
export function nameAdded(before: Tab, { query }: Tab): void {
  const text = query ?? '';
  if (/ My(Query|Mutation|Subscription)/.test(before.query ?? '')) return;
  const named = nameOperations(text);
  if (named === text) return;
  const model = globalThis.monaco?.editor.getModels().find((each) => each.getValue() === text);
  model?.pushEditOperations([], [{ range: model.getFullModelRange(), text: named }], () => null);
}
