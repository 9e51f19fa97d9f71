// The rows that were refused, as a file with the same columns and one more: corrected, it can be imported itself.
import { printCsv } from '../http/csv.ts';
import { textOf } from './cells.ts';
import { errorColumn } from './columns.ts';
import type { RowErrors } from './rows.ts';
import { cellAt, type FileTable } from './table.ts';

/** The header of the file. */
export const errorsHeader = ({ header, detected }: FileTable): string =>
  `\uFEFF${printCsv([[...header, errorColumn]], detected.separator === 'pipe' ? 'comma' : detected.separator)}`;

/** Rows of the file. */
export const errorsRows = ({ header, detected }: FileTable, refused: readonly RowErrors[]): string =>
  printCsv(
    refused.flatMap(({ row, errors }) =>
      [row, ...(row.further ?? [])].map((each) => [
        ...header.map((_, at) => textOf(cellAt(each, at))),
        each === row ? `line ${row.line}: ${errors.join('; ')}` : '',
      ]),
    ),
    detected.separator === 'pipe' ? 'comma' : detected.separator,
  );
