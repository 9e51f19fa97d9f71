import type { Context } from '../../context.ts';
import type { Where } from './model.ts';

/** Text that a search of rows reads, which is not their own, such as that of their files. */
export interface SearchedContent {
  /** What it is called in descriptions. */
  readonly words: string;
  /** The condition of the rows whose text has the words of a search. */
  where(search: string): Where;
  /**
   * Finds where the text of rows that the caller can access has the words.
   *
   * @param ids those of the rows of a page
   * @returns one place of each row whose text has them, in any order
   */
  find(search: string, ids: readonly string[], context: Context): Promise<SearchMatch[]>;
}

/** Where the text of a row has the words of a search. */
export interface SearchMatch {
  /** The id of the row. */
  readonly id: string;
  /** The number of the page; null where the text has no pages. */
  readonly page: number | null;
  /** The words, with some around them. */
  readonly text: string;
}
