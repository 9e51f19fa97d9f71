// The schemas of responses that are tables, and of groups.
import { sheetType } from '../../http/send-table.ts';
import { maxGroups } from '../../resource/index.ts';
import type { JsonSchema } from './types.ts';

/** A list as CSV. */
export const csvSchema: JsonSchema = {
  type: 'string',
  contentMediaType: 'text/csv',
  description:
    'CSV (RFC 4180) with a header row of field names. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe. Objects and arrays are JSON.',
  examples: ['id,title,status\r\n019b6f3c-5a1e-7c40-8b21-6d1f0a9e4c33,"Window, second floor",pending\r\n'],
};

/** A list as a spreadsheet. */
export const sheetSchema: JsonSchema = {
  type: 'string',
  format: 'binary',
  contentMediaType: sheetType,
  description:
    "A spreadsheet (XLSX) with a header row of field names. Dates, numbers and booleans are cells of their kind, and times are those of the company's time zone. Objects and arrays are JSON.",
};

/** The groups of a list. */
export const groups: JsonSchema = {
  type: 'array',
  maxItems: maxGroups,
  description: 'The groups, in order.',
  items: {
    type: 'object',
    description: 'A group: each measure has the name that the request gives it.',
    properties: {
      key: { type: 'object', description: 'The keys of `group_by`. Unset ones are null.', additionalProperties: true },
      total_of: {
        type: 'array',
        maxItems: 50,
        items: { type: 'string', maxLength: 250 },
        description: 'The keys that it is a total over. Absent without `subtotals`.',
      },
    },
    additionalProperties: true,
    examples: [{ key: { status: 'pending' }, count: 3 }],
  },
};
