import type { Options } from 'csv-stringify/sync';

/** The media type of CSV with a line of names. */
export const csvType = 'text/csv; charset=utf-8; header=present';

/**
 * RFC 4180. Text that a spreadsheet would read as a formula is prefixed with an apostrophe; numbers are unchanged, and
 * objects and arrays are JSON.
 */
export const csvFormat: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  escape_formulas: true,
  cast: { boolean: String },
};
