import type { GraphQLSchema } from 'graphql';
import { getOrCreate } from '../../resource/index.ts';
import type { LoggedType } from '../changes/change-view.ts';

/**
 * The most characters of texts whose results are kept: those of a thousand usual webhooks, or of 25 with the longest
 * texts. What a text is parsed to takes 40 to 90 times as many bytes.
 */
const maxCharacters = 100_000;

/** Reads a text that is about rows of a type, such as a filter. */
type ReadText<Result> = (text: string, rowType: LoggedType, schema: GraphQLSchema) => Result;

/**
 * Lets each text be read once for all messages of webhooks that have it: reading parses and validates it. The results
 * that were not used for the longest time are forgotten.
 *
 * @param read depends on its arguments alone
 */
export function readOnce<Result>(read: ReadText<Result>): ReadText<Result> {
  const bySchema = new WeakMap<GraphQLSchema, KeptResults<Result>>();
  return (text, rowType, schema) =>
    getOrCreate(bySchema, schema, () => new KeptResults<Result>()).find(`${rowType.type} ${text}`, () =>
      read(text, rowType, schema),
    );
}

class KeptResults<Result> {
  /** The last is the most recently used. */
  private readonly results = new Map<string, { readonly result: Result }>();
  private characters = 0;

  find(key: string, read: () => Result): Result {
    const kept = this.results.get(key) ?? { result: read() };
    if (!this.results.delete(key)) this.characters += key.length;
    this.results.set(key, kept);
    for (const oldest of this.results.keys()) {
      if (this.characters <= maxCharacters) break;
      this.results.delete(oldest);
      this.characters -= oldest.length;
    }
    return kept.result;
  }
}
