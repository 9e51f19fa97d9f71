// Values of a result as people read them, by their form alone.

import { textOf } from '../console/text.ts';
import { formatDate, formatMonth, formatNumber, formatShortMonth, formatTime } from '../format.ts';
import { t } from '../texts/answers.ts';
import { locale } from '../texts/texts.ts';
import type { Column } from './parts.ts';

/** The text of a value of a column. @param isShort whether it has little space */
export type TextOf = (column: Column, value: unknown, isShort?: boolean) => string;

// The 1st of January 2024 was a Monday.
const weekday = (number: number) =>
  new Date(Date.UTC(2024, 0, number)).toLocaleDateString(locale(), { weekday: 'long', timeZone: 'UTC' });

function periodText(period: Column['period'], value: string | number, isShort: boolean): string {
  if (typeof value === 'number') return period === 'weekday' ? weekday(value) : `${value}:00`;
  const year = value.slice(0, 4);
  switch (period) {
    case 'month':
      return isShort ? formatShortMonth(value) : formatMonth(value);
    case 'quarter':
      return `Q${Math.ceil(Number(value.slice(5, 7)) / 3)} ${year}`;
    case 'year':
      return year;
    default:
      return formatDate(value);
  }
}

function listText(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    typeof value === 'object' && value !== null ? Object.values(value).map(textOf).join(' ') : textOf(value),
  );
  return texts.join(', ');
}

/** The text of a value by its form alone. */
export const plainText: TextOf = ({ place, period }, value, isShort = false) => {
  if (value === null || value === undefined || value === '') return place.startsWith('key.') ? t('none') : '–';
  if (period && (typeof value === 'string' || typeof value === 'number')) return periodText(period, value, isShort);
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (Array.isArray(value)) return listText(value);
  const text = textOf(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return formatDate(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? formatTime(text) : text;
};
