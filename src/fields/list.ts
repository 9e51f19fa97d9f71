import { messages } from '../input/index.ts';
import { listCells } from './cells.ts';
import { type Checked, type FieldType, type Limits, type Rule, type StoredType, same } from './field-type.ts';
import { maxItemLength, text } from './text.ts';
import { uuid } from './uuid.ts';

/** Maximum number of items of a list. */
export const maxListItems = 500;

/** The items of an array in JSON. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** How lists of a type are stored: as an array of PostgreSQL, which arrives as JSON. */
export function storedList(item: StoredType): StoredType {
  const decode = item.asJson.decode === same ? same : (values: unknown) => itemsOf(values).map(item.asJson.decode);
  return {
    sqlType: `${item.sqlType}[]`,
    encode: (values) => itemsOf(values).map(item.encode),
    asText: { sql: (sql) => `to_json(${sql})`, decode: (text) => decode(JSON.parse(text) as unknown) },
    asJson: { sql: same, decode },
  };
}

/** Lists of a type, which are never unset. */
export function listOf(item: FieldType): FieldType {
  // Items are sorted and created, and lists are not.
  const { collation: _collation, create: _create, ...others } = item;
  const check = (given: unknown, limits: Limits, rule: Rule | undefined): Checked => {
    if (!Array.isArray(given)) return item.check(given, limits, rule);
    if (given.length > maxListItems) return { value: [], errors: { '': messages.tooManyValues(maxListItems) } };
    const ofItem = { ...limits, list: false, required: true, maxLength: limits.maxLength ?? maxItemLength };
    const errors: Record<string, string> = {};
    const value = given.map((each: unknown, place) => {
      // The reader of input has reported an error for a value that it could not read.
      if (each === undefined) return each;
      const checked = each === null ? { error: messages.notNull } : item.check(each, ofItem, rule);
      if (!('error' in checked)) return checked.value;
      errors[place] = checked.error;
      return each;
    });
    return { value, errors };
  };
  return {
    ...others,
    ...storedList(item),
    // The items of a list of text or ids are shown as they are stored.
    shownSql: item === text || item === uuid ? same : undefined,
    shown: same,
    csv: listCells,
    check,
  };
}
