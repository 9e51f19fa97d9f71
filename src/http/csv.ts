import { type Options, stringify } from 'csv-stringify/sync';
import { badRequest, ServiceError } from '../errors.ts';
import { text } from '../fields/index.ts';
import { oneOf } from '../input/index.ts';
import { ExactNumber, stringifyJson } from '../json.ts';
import type { TableColumn, TablePrinter } from './table.ts';

/** The media type of CSV with a line of names. */
export const csvType = 'text/csv; charset=utf-8; header=present';

/** What separates cells, by the values of the parameter `csv_separator`. */
export const csvSeparators = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** How CSV is written where a client says it. */
export interface CsvDialect {
  readonly separator?: keyof typeof csvSeparators;
  /** Whether a byte-order mark comes first, by which spreadsheets know UTF-8. */
  readonly bom?: boolean;
}

const isSeparator = (text: string): text is keyof typeof csvSeparators => Object.hasOwn(csvSeparators, text);

/** Reads the parameters of CSV, each from its text. They throw a ServiceError BAD_REQUEST. */
export const csvParameters: ReadonlyMap<string, (text: string) => CsvDialect> = new Map([
  [
    'csv_separator',
    (text: string): CsvDialect => {
      if (!isSeparator(text)) throw badRequest(`must be ${oneOf(Object.keys(csvSeparators))}`);
      return { separator: text };
    },
  ],
  [
    'csv_bom',
    (text: string): CsvDialect => {
      if (text !== 'true' && text !== 'false') throw badRequest('must be true or false');
      return { bom: text === 'true' };
    },
  ],
]);

/**
 * Reads the parameters of CSV that are in the query of a URL, among others.
 *
 * @throws ServiceError BAD_REQUEST that names the parameter
 */
export function readCsvParameters(url: string): CsvDialect {
  const query = new URLSearchParams(url.split('?').slice(1).join('?'));
  let dialect: CsvDialect = {};
  for (const [name, read] of csvParameters) {
    const [text, another] = query.getAll(name);
    if (text === undefined) continue;
    if (another !== undefined) throw badRequest(`${name}: must be given once`);
    try {
      dialect = { ...dialect, ...read(text) };
    } catch (error) {
      throw error instanceof ServiceError ? badRequest(`${name}: ${error.reason}`) : error;
    }
  }
  return dialect;
}

/** What is wrong with a parameter of CSV where the response is none. */
export const onlyForCsv = 'is for CSV alone; send Accept: text/csv';

/**
 * RFC 4180. Values are printed by the kind that they have in JSON, as their types in `src/fields/` print them; objects
 * are JSON.
 */
const csvFormat: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  cast: {
    boolean: String,
    string: text.csv.print,
    object: (value) => (value instanceof ExactNumber ? value.text : stringifyJson(value)),
  },
};

/** Prints rows of cells. */
export const printCsv = (rows: readonly (readonly unknown[])[], separator: CsvDialect['separator'] = 'comma'): string =>
  stringify([...rows], { ...csvFormat, delimiter: csvSeparators[separator] });

/** Creates the printer of a table as CSV. */
export function csvPrinter(columns: readonly TableColumn[], { separator, bom = false }: CsvDialect): TablePrinter {
  const part = (text: string) => ({ sheet: 1, text });
  const names = columns.map(({ name }) => name);
  return {
    start: () => part((bom ? '\uFEFF' : '') + printCsv([names], separator)),
    print: (rows) => [part(printCsv(rows, separator))],
    end: () => part(''),
  };
}
