// The rows that a new row brings along: those of its lists, and of theirs.
import { accessError, permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import type { FieldErrors } from '../../errors.ts';
import { assertAllowed, decide } from '../access/decide.ts';
import { type ListBelow, type ListsBelow, linksOf } from '../definition/list-below.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { maxWrites } from './nested-items.ts';

/** Maximum number of levels of rows below a new row: a building, its assets, their warranties. */
export const maxLevels = 2;

/** A new row whose input is valid by itself, with the rows that it brings along. */
export interface CheckedNew {
  readonly action: 'create';
  readonly data: Row;
  readonly id?: undefined;
  readonly below?: readonly RowsBelow[] | undefined;
}

/** The rows of one list that a new row brings along. */
export interface RowsBelow {
  readonly list: ListBelow;
  readonly rows: readonly PlacedNew[];
}

/** A new row, with its place in the input: `comments.1`, from the row above or from the whole of the input. */
export interface PlacedNew {
  readonly place: string;
  readonly write: CheckedNew;
}

/** What is brought along: how many rows, and the errors of lists that are too long or too deep. */
export interface Brought {
  readonly count: number;
  readonly errors: FieldErrors;
}

/** The input of a new row, with its place. */
interface PlacedInput {
  readonly place: string;
  readonly input: Readonly<Row> | undefined;
}

/** The name of a part of what is at a place. */
export const at = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`);

/** The rows of a list in an input; undefined for those that its reader could not read. */
export const rowsIn = (
  input: Readonly<Row>,
  { relation }: ListBelow,
): readonly (Readonly<Row> | undefined)[] | undefined =>
  // The reader has checked that it is a list of objects.
  (input[relation] ?? undefined) as readonly (Readonly<Row> | undefined)[] | undefined;

/**
 * Looks through the lists of new rows, before any work.
 *
 * @param others how many rows the request writes besides them
 * @throws ServiceError INSUFFICIENT_SCOPE for a list whose rows the caller may not create, even if it is empty
 */
export function inspectBelow(
  resource: Pick<Resource, 'type'>,
  inputs: readonly PlacedInput[],
  others: number,
  { context, listsBelow }: { readonly context: Context; readonly listsBelow?: ListsBelow | undefined },
): Brought {
  const errors: FieldErrors = {};
  const needed = new Set<Resource>();
  let count = 0;
  const look = (of: Pick<Resource, 'type'>, { place, input }: PlacedInput, level: number): void => {
    for (const list of (input && listsBelow?.(of)) ?? []) {
      const rows = input && rowsIn(input, list);
      if (!rows) continue;
      const name = at(place, list.relation);
      needed.add(list.resource);
      count += rows.length;
      if (level > maxLevels) errors[name] = `is nested too deeply: at most ${maxLevels} levels of rows below a row`;
      else if (count + others > maxWrites) errors[name] ??= `brings the request to more than ${maxWrites} rows`;
      // What is too deep or too much is not looked at.
      else for (const [n, row] of rows.entries()) look(list.resource, { place: `${name}.${n}`, input: row }, level + 1);
    }
  };
  for (const input of inputs) look(resource, input, 1);
  for (const { scope, type, policies } of needed) {
    const access = `${scope}:write` as const;
    if (!permits(context.caller, access)) throw accessError(context.caller, access);
    assertAllowed(decide(context, { type, policies, action: 'create' }));
  }
  return { count, errors };
}

/** The rows below several rows, those of each list together, by their places in the whole input. */
export function gatherBelow(
  rows: readonly { readonly place: string; readonly below?: readonly RowsBelow[] | undefined }[],
): RowsBelow[] {
  const lists = new Map<ListBelow, PlacedNew[]>();
  for (const { place, below = [] } of rows)
    for (const { list, rows: found } of below) {
      const placed = found.map((row) => ({ ...row, place: at(place, row.place) }));
      lists.set(list, [...(lists.get(list) ?? []), ...placed]);
    }
  return [...lists].map(([list, found]) => ({ list, rows: found }));
}

/** The data of a list's rows without what says below which rows they are. */
export const withoutLinks = (list: ListBelow, rows: readonly PlacedNew[]): Row[] => {
  const links = linksOf(list);
  return rows.map(({ write }) =>
    Object.fromEntries(Object.entries(write.data).filter(([column]) => !links.includes(column))),
  );
};

/** A constraint that rows of a list have violated. */
export class BelowError extends Error {
  constructor(
    override readonly cause: unknown,
    readonly below: RowsBelow,
  ) {
    super(`Rows of ${below.list.relation} cannot be stored.`);
  }
}
