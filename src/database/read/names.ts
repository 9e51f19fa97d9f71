import { createHash } from 'node:crypto';

/** How many statements are remembered at a time, named or not. */
const maxNames = 500;

/** What searches compare texts with. */
const searches = /fold_case\(| ~ \$/;

/**
 * Names statements so that each connection parses and plans them once. A name is the hash of its text, which determines
 * the types of its parameters too, as none are sent with it: behind a pooler, instances and versions of the service
 * share sessions, and with them the names. Most statements are sent once, so one is named on its second use; if there
 * are too many, the least recently used lose their names. The server keeps a named statement for the life of its
 * connection, which therefore ends when it has too many (`RequestClient`). Searches stay unnamed: the best plan depends
 * on how many rows have the text; a plan for any text would read a million rows by an index.
 */
export class StatementNames {
  private readonly names = new Map<string, string | undefined>();

  /** @param isOff whether no statement is named */
  constructor(private readonly isOff = false) {}

  /** The name of a statement; none at its first use, and for searches. */
  nameOf(text: string): string | undefined {
    if (this.isOff || searches.test(text)) return undefined;
    const isKnown = this.names.has(text);
    const name = isKnown ? (this.names.get(text) ?? hashOf(text)) : undefined;
    // The last in the map is the most recently used.
    this.names.delete(text);
    this.names.set(text, name);
    // A map that is too large has a first key.
    if (this.names.size > maxNames) this.names.delete(this.names.keys().next().value as string);
    return name;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
