import { scalarCells } from './cells.ts';
import { dayIn } from './days.ts';
import { dateParts, type FieldType, plain, same } from './field-type.ts';
import { checkInstant, DateScalar, decodeInstant, encodeInstant, isInstantPosition } from './instants.ts';
import { ordered } from './numbers.ts';
import { RelativeDateScalar, RelativeTime } from './relative-time.ts';
import { dateCell } from './sheet-cells.ts';
import { relativeDate, storedYear } from './time-schemas.ts';

/** Calendar days. */
export const date: FieldType = {
  ...plain,
  name: DateScalar.name,
  scalar: DateScalar,
  sqlType: 'date',
  encode: encodeInstant,
  asText: { sql: same, decode: decodeInstant },
  asJson: { sql: same, decode: decodeInstant },
  check: (given, _limits, rule) => checkInstant(given, rule),
  control: () => 'DATE',
  comparison: {
    name: DateScalar.name,
    operators: ordered,
    operand: { scalar: RelativeDateScalar, schema: relativeDate(RelativeDateScalar) },
    read: (operand, { now, timeZone }) => ({
      value: operand instanceof RelativeTime ? operand.dayAt(now, timeZone) : operand,
    }),
  },
  measure: 'Date',
  calendar: {
    word: 'date',
    parts: dateParts.filter((part) => part !== 'hour'),
    isCostly: false,
    daySql: same,
    timeSql: (sql) => `(${sql}::timestamp AT TIME ZONE 'UTC')`,
    now: ({ now, timeZone }) => dayIn(timeZone, now),
  },
  position: encodeInstant,
  isPosition: isInstantPosition,
  jsonSchema: (direction, limits) => ({
    type: 'string',
    format: 'date',
    maxLength: 10,
    ...(limits && direction === 'input' && { pattern: `^${storedYear}-\\d{2}-\\d{2}$` }),
  }),
  csv: scalarCells(DateScalar),
  sheet: dateCell,
  example: '2026-04-01',
};
