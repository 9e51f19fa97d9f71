import type { Where } from './where.ts';

/** A figure of a list. */
export interface ListFigure {
  /** The relation to its rows. */
  readonly relation: string;
  readonly measure: 'count' | { readonly of: 'sum' | 'avg' | 'min' | 'max'; readonly column: string };
  /** Where the relation leads to the rows of a join table: from there to those that are measured, each once. */
  readonly through?: { readonly to: string; readonly as?: string | undefined } | undefined;
  /** As which type the rows are read, where their model has several. */
  readonly as?: string | undefined;
  /** Which of the rows. */
  readonly where?: Where | undefined;
}
