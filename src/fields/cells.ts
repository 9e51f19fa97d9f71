// Cells of CSV: how values are printed, and read again as the body of a request has them.
import type { GraphQLScalarType } from 'graphql';
import { ServiceError } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { readLeaf } from '../input/index.ts';
import { stringifyJson } from '../json.ts';
import type { Cells, Checked, FieldType } from './field-type.ts';

/** Matches what spreadsheets read as the beginning of a formula. */
const formulaStart = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Text, which has an apostrophe before what a spreadsheet would read as a formula. */
export const textCells: Cells = {
  print(shown) {
    const text = String(shown);
    return formulaStart.test(text) ? `'${text}` : text;
  },
  // A text that itself begins so loses its apostrophe: its cell looks the same.
  parse: (cell) => ({ value: cell.startsWith("'") && formulaStart.test(cell.slice(1)) ? cell.slice(1) : cell }),
};

/** Values of a scalar, which are read as those of the query of a URL: as text of a known type. */
export const scalarCells = (scalar: GraphQLScalarType): Cells => ({
  print: String,
  parse(cell) {
    try {
      return { value: readLeaf(scalar, cell, 'text', isUuid) };
    } catch (error) {
      if (error instanceof ServiceError) return { error: error.reason };
      throw error;
    }
  },
});

/** Lists, as JSON. What their items are is checked where a body is read. */
export const listCells: Cells = {
  print: (shown) => stringifyJson(shown),
  parse(cell) {
    let value: unknown;
    try {
      value = JSON.parse(cell);
    } catch {
      // Not JSON at all.
    }
    return Array.isArray(value) ? { value } : { error: 'must be an array' };
  },
};

/** Reads the cell of a field. An empty one has no value. @returns the value as REST has it in JSON, or what is wrong */
export const parseCell = ({ csv }: Pick<FieldType, 'csv'>, cell: string): Checked =>
  cell === '' ? { value: null } : csv.parse(cell);
