import type { GivenCondition } from '../../database/read/matches.ts';
import type { Reader } from '../../database/read/reader.ts';
import { type Row, storedField } from '../definition/model.ts';
import type { Filterable } from './filterable.ts';

/**
 * Finds which rows filters match, where the rows are earlier versions from the log of changes, by the database's names
 * of columns. Related rows are not logged with them: those are compared as they are now.
 *
 * @param conditions the compiled filters, which one statement applies
 * @returns for each filter the places of the rows that match
 */
export const matchStored = async (
  rows: Filterable,
  stored: readonly Readonly<Row>[],
  conditions: readonly GivenCondition[],
  reader: Reader,
): Promise<ReadonlySet<number>[]> => {
  const given = stored.map((row) => ({ ...row, ...normalizedColumns(rows, row) }));
  const [found = []] = await reader.matches([{ model: rows.model, rows: given, conditions }]);
  return found;
};

/** The log leaves out generated columns, which are derived from others for comparisons. */
const normalizedColumns = (rows: Filterable, image: Readonly<Row>): Row =>
  Object.fromEntries(
    Object.entries(rows.normalized).map(([name, { field, normalize }]) => {
      const text = storedField(rows, name).inImage(image);
      return [field.column, typeof text === 'string' ? normalize(text) : null];
    }),
  );
