// Rows and their values as people read them, in the reader's language.
import { formatDate, formatNumber, formatTime } from '../format.ts';
import { t } from '../texts/console.ts';
import type { Collection, Field } from './definitions.ts';
import { textOf } from './text.ts';

/** Values of a row by field. */
type Values = Readonly<Record<string, unknown>>;

/** What people call a row. */
export function titleOf({ titleField, label }: Pick<Collection, 'titleField' | 'label'>, row: Values | null): string {
  const title = titleField && row?.[titleField];
  return typeof title === 'string' && title !== '' ? title : label;
}

/** Whether values of a field stand at the end of their cells, digit below digit. */
export const isNumeric = ({ control, isList }: Pick<Field, 'control' | 'isList'>) => control === 'NUMBER' && !isList;

/** Whether a row has nothing in a field. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * A value of a field as text, such as a date as the reader's language writes it.
 *
 * @param label says a value of an enum
 */
export function valueText(field: Field, value: unknown, label: (type: string, value: string) => string): string {
  if (Array.isArray(value)) {
    if (field.control === 'ITEMS') return formatNumber(value.length);
    return value
      .map((each) => (field.control === 'CHOICE' ? label(field.type, textOf(each)) : textOf(each)))
      .join(', ');
  }
  const text = textOf(value);
  switch (field.control) {
    case 'CHOICE':
      return label(field.type, text);
    case 'CHECKBOX':
      return value === true ? t('yes') : t('no');
    case 'NUMBER':
      return formatNumber(Number(value));
    case 'DATE':
      return formatDate(text);
    case 'DATE_TIME':
      return formatTime(text);
    default:
      return text;
  }
}
