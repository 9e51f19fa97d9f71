import type { Context } from '../../context.ts';
import type { Row, Where } from '../model.ts';
import { databaseName } from '../row-image.ts';
import type { Filterable } from './filterable.ts';

/**
 * Finds which rows a filter matches, where the rows are earlier versions from the log of changes, by the database's
 * names of columns. Related rows are not logged with them: those are compared as they are now.
 *
 * @param where the compiled filter
 * @returns the places of the rows that match
 */
export const matchStored = (
  rows: Filterable,
  stored: readonly Readonly<Row>[],
  where: Where,
  { reader }: Pick<Context, 'reader'>,
): Promise<ReadonlySet<number>> =>
  reader.matches(
    rows.model,
    stored.map((row) => ({ ...row, ...normalizedColumns(rows, row) })),
    where,
  );

/** The log leaves out generated columns, which are derived from others for comparisons. */
const normalizedColumns = ({ model, normalized }: Filterable, stored: Readonly<Row>): Row =>
  Object.fromEntries(
    Object.entries(normalized).map(([name, { column, normalize }]) => {
      const text = stored[databaseName(model, name)];
      return [databaseName(model, column), typeof text === 'string' ? normalize(text) : null];
    }),
  );
