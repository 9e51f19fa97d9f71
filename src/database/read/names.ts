/** How many statements are remembered at a time, named or not. */
const maxNames = 500;

/**
 * Names statements so that each connection parses and plans them once. Most are sent once, so a statement is named on
 * its second use; if there are too many, the least recently used lose their names. The server keeps a named statement
 * for the life of its connection, which therefore ends when it has too many (`RequestClient`). Searches stay unnamed:
 * the best plan depends on how many rows have the text; a plan for any text would read a million rows by an index.
 */
export class StatementNames {
  private readonly names = new Map<string, string | undefined>();
  private next = 0;

  /** The name of a statement; none at its first use, and for searches. */
  nameOf(text: string): string | undefined {
    if (text.includes(' ILIKE ')) return undefined;
    const isKnown = this.names.has(text);
    const name = isKnown ? (this.names.get(text) ?? `statement_${this.next++}`) : undefined;
    // The last in the map is the most recently used.
    this.names.delete(text);
    this.names.set(text, name);
    // A map that is too large has a first key.
    if (this.names.size > maxNames) this.names.delete(this.names.keys().next().value as string);
    return name;
  }
}
