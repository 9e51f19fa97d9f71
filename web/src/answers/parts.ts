// The result of a query as tables: one for each list of it, and one for what is outside of lists.

import { inWords } from '../console/text.ts';
import { t } from '../texts/answers.ts';

/** A column of a table. */
export interface Column {
  /** Its place in a row of the response, such as `key.createdAt.month`. */
  readonly place: string;
  readonly label: string;
  /** Whether it is a number that can be drawn. */
  readonly isMeasure: boolean;
  /** The period of a key, such as `month`. */
  readonly period: Period | undefined;
}

type Period = (typeof periods)[number];
type Values = Readonly<Record<string, unknown>>;

/** A table of a result. */
export interface Part {
  /** Its place in the response; empty for values outside of lists. */
  readonly place: string;
  readonly label: string;
  readonly columns: readonly Column[];
  /** Values by the places of columns. */
  readonly rows: readonly Values[];
  /** Whether its rows are groups. */
  readonly isGroups: boolean;
}

const periods = ['day', 'week', 'month', 'quarter', 'year', 'fiscalYear', 'weekday', 'hour'] as const;

/** The periods that follow each other. */
export const isTime = (period: Column['period']): boolean =>
  period !== undefined && period !== 'weekday' && period !== 'hour';

/** What a place is called: `key.building.name` is “Building name”. */
export function labelOf(place: string): string {
  const words = place
    .split('.')
    .filter(
      (name, index, names) =>
        !(name === 'nodes' || name === 'aggregates' || (name === 'key' && index < names.length - 1)),
    )
    .join(' ')
    .trim();
  return words === '' ? t('result') : inWords(words);
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const join = (...names: string[]) => names.filter((name) => name !== '').join('.');

/** The values in an object by their places. @param onList is called with lists of objects instead */
function flatten(
  value: Values,
  onList?: (place: string, rows: readonly Values[]) => void,
  at = '',
): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const place = join(at, name);
    if (name === 'pageInfo' || name === '__typename') return [];
    if (isObject(inner)) return flatten(inner, onList, place);
    if (onList && Array.isArray(inner) && inner.every(isObject)) {
      onList(place, inner);
      return [];
    }
    return [[place, inner]];
  });
}

/** The tables of a result. */
export function partsOf(data: Values): Part[] {
  const lists: Part[] = [];
  const figures = flatten(data, (place, rows) => lists.push(tableOf(place, rows)));
  if (figures.length === 0) return lists;
  return [tableOf('', [Object.fromEntries(figures)]), ...lists];
}

function tableOf(place: string, found: readonly Values[]): Part {
  const rows = found.map((row) => Object.fromEntries(flatten(row)));
  const places = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // A related row that is not there is null as a whole.
  const isWhole = (one: string) => !places.some((other) => other.startsWith(`${one}.`));
  const shown = places.filter(isWhole).filter((each) => each !== 'totalOf');
  const isGroups = rows.length > 0 && shown.some((each) => each.startsWith('key.') || each === 'count');
  return { place, label: labelOf(place), columns: shown.map((each) => columnOf(each, rows)), rows, isGroups };
}

function columnOf(place: string, rows: readonly Values[]): Column {
  const values = rows.map((row) => row[place]).filter((value) => value !== null && value !== undefined);
  const last = place.split('.').at(-1);
  const isKey = place.startsWith('key.');
  return {
    place,
    label: labelOf(place),
    isMeasure: !isKey && values.length > 0 && values.every((value) => typeof value === 'number'),
    period: isKey ? periods.find((name) => name === last) : undefined,
  };
}

/** The columns of numbers, which can be drawn. */
export const measuresOf = ({ columns }: Part): readonly Column[] => columns.filter(({ isMeasure }) => isMeasure);

/** The columns that name a row. */
export const namesOf = ({ columns }: Part): readonly Column[] =>
  columns.filter(({ isMeasure, place }) => !isMeasure && !/(^|\.)id$/.test(place));

/** The keys that a group is a total over. */
export const totalOf = (row: Values): readonly unknown[] => (Array.isArray(row['totalOf']) ? row['totalOf'] : []);
