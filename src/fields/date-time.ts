import { scalarCells } from './cells.ts';
import type { FieldType } from './field-type.ts';
import { dateParts, plain, same } from './field-type.ts';
import { checkInstant, DateTimeScalar, decodeInstant, encodeInstant, isInstantPosition } from './instants.ts';
import { ordered } from './numbers.ts';
import { RelativeDateTimeScalar, RelativeTime } from './relative-time.ts';
import { dateTimeCell } from './sheet-cells.ts';
import { relativeTime, timestampInput } from './time-schemas.ts';

const zero = '0'.charCodeAt(0);

/** Parses `2026-01-31 10:20:30.123+00` ten times as fast as `Date`, which parses the years that `Date.UTC` misreads. */
function parseTimestamp(text: string): Date {
  const { length } = text;
  if (text < '0100' || text.charCodeAt(4) !== 45 || !text.endsWith('+00'))
    return new Date(`${text.replace(' ', 'T')}:00`);
  const digits = (from: number, to: number) => {
    let number = 0;
    for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - zero;
    return number;
  };
  // The fraction has up to three digits, without zeros at its end.
  const end = length - 3;
  const ms = end > 20 ? digits(20, end) * 10 ** (23 - end) : 0;
  return new Date(
    Date.UTC(digits(0, 4), digits(5, 7) - 1, digits(8, 10), digits(11, 13), digits(14, 16), digits(17, 19), ms),
  );
}

/** Times, in UTC. */
export const dateTime: FieldType = {
  ...plain,
  name: DateTimeScalar.name,
  scalar: DateTimeScalar,
  sqlType: 'timestamptz',
  encode: encodeInstant,
  asText: { sql: same, decode: parseTimestamp },
  asJson: { sql: same, decode: decodeInstant },
  shownSql: (sql) => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  shown: (stored) => (typeof stored === 'string' ? new Date(stored).toISOString() : stored),
  check: (given, _limits, rule) => checkInstant(given, rule),
  control: () => 'DATE_TIME',
  comparison: {
    name: DateTimeScalar.name,
    operators: ordered,
    operand: { scalar: RelativeDateTimeScalar, schema: relativeTime(RelativeDateTimeScalar) },
    read: (operand, { now, timeZone }) => ({
      value: operand instanceof RelativeTime ? operand.at(now, timeZone) : operand,
    }),
  },
  measure: 'DateTime',
  calendar: {
    word: 'time',
    parts: dateParts,
    isCostly: true,
    daySql: (sql, zone) => `day_in(${zone()}, ${sql})`,
    timeSql: same,
    now: ({ now }) => now,
  },
  position: encodeInstant,
  isPosition: isInstantPosition,
  jsonSchema: () => ({ type: 'string', format: 'date-time', maxLength: 24 }),
  inputSchema: { name: 'Timestamp', schema: timestampInput(DateTimeScalar) },
  csv: scalarCells(DateTimeScalar),
  sheet: dateTimeCell,
  example: '2026-03-03T15:40:22.108Z',
};
