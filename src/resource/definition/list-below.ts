import type { Resource } from './resource.ts';

/** A list of a row whose rows can be created together with it. */
export interface ListBelow {
  /** The relation of the row to them, which is the name of the list. */
  readonly relation: string;
  /** The resource of these rows. */
  readonly resource: Resource;
  /** Their column that refers to the row. */
  readonly column: string;
}

/** Finds the lists of the rows of a resource. */
export type ListsBelow = (resource: Pick<Resource, 'type'>) => readonly ListBelow[];

/** The columns of a list's rows that say below which rows they are; no input sets them. */
export const linksOf = ({ column, resource: { parent } }: ListBelow): readonly string[] =>
  parent && parent.column !== column ? [column, parent.column] : [column];
