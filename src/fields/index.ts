// The types of values: a file each.
import { boolean } from './boolean.ts';
import { date } from './date.ts';
import { dateTime } from './date-time.ts';
import { decimal } from './decimal.ts';
import type { FieldType } from './field-type.ts';
import { integer } from './integer.ts';
import { text } from './text.ts';
import { uuid } from './uuid.ts';

export { boolean, date, dateTime, decimal, integer, text, uuid };

/** The types of fields, by Prisma's scalars; `Uuid` and `Date` stand for those native types. */
export const fieldTypes: Readonly<Record<string, FieldType>> = {
  Uuid: uuid,
  String: text,
  Int: integer,
  Decimal: decimal,
  Boolean: boolean,
  Date: date,
  DateTime: dateTime,
};

const byScalar = new Map(Object.values(fieldTypes).map((type) => [type.name, type]));

/** The type whose values a GraphQL scalar has. */
export const typeOfScalar = (name: string): FieldType | undefined => byScalar.get(name);

export { parseCell } from './cells.ts';
export { addDays, dayIn, inDays, isoDay, startOfDay } from './days.ts';
export { keepDigits } from './decimal.ts';
export { enumeration } from './enumeration.ts';
export {
  type Calendar,
  type Checked,
  type Control,
  controls,
  type DatePart,
  type Direction,
  defaultMaxLength,
  type EnumSpelling,
  type FieldType,
  type JsonSchema,
  type Limits,
  type Operator,
  type Rule,
  type RuleFacts,
  type SheetCell,
  type StoredType,
} from './field-type.ts';
export { itemsOf, listOf, maxListItems, storedList } from './list.ts';
export { RelativeTime } from './relative-time.ts';
export { sheetCell } from './sheet-cells.ts';
export { storedTypes } from './stored.ts';
export { readOperandText, textOrder } from './text.ts';
export { isInBounds } from './years.ts';
