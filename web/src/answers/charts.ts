// Which chart fits the shape of a result, and the numbers that it draws.

import type { SavedQueryFragment } from '../api/generated/graphql.ts';
import { formatList } from '../format.ts';
import { t } from '../texts/answers.ts';
import { type Column, isTime, measuresOf, namesOf, type Part, totalOf } from './parts.ts';

/** How a part of a result is drawn. */
export type Chart = SavedQueryFragment['charts'][number];
export type ChartKind = Chart['kind'];

/** The kinds of charts and what people call them. */
export const chartKinds = (): readonly { readonly value: ChartKind; readonly label: string }[] => [
  { value: 'TABLE', label: t('tableAlone') },
  { value: 'BARS', label: t('bars') },
  { value: 'STACKED_BARS', label: t('stackedBars') },
  { value: 'LINES', label: t('lines') },
  { value: 'NUMBER', label: t('numbers') },
];

/** How many rows along the axis, and how many series, can still be told apart. */
const maxLabels = 120;
const maxSeries = 10;
/** How many numbers are shown large. */
const maxNumbers = 12;

/** The chart that fits the shape of a part. */
export function chartFor(part: Part): Chart {
  const values = measuresOf(part);
  const names = namesOf(part);
  const chart = (kind: ChartKind, labels?: Column, split?: Column): Chart => ({
    part: part.place,
    kind,
    labels: labels?.place ?? null,
    values: (split ? values.slice(0, 1) : sameUnit(values)).map(({ place }) => place),
    split: split?.place ?? null,
  });
  if (values.length === 0) return chart('TABLE', names[0]);
  if (part.rows.length === 1) return chart('NUMBER', names[0]);
  const [first, second, third] = names;
  if (!part.isGroups || !first || third) return chart('TABLE', first);
  const time = names.find(({ period }) => isTime(period));
  const other = names.find((column) => column !== time);
  if (second) return chart('STACKED_BARS', time ?? first, time ? other : second);
  return chart(time ? 'LINES' : 'BARS', first);
}

/** The measures that can share an axis: those that are computed alike. */
function sameUnit(values: readonly Column[]): readonly Column[] {
  const kindOf = ({ place }: Column) =>
    /\./.test(place) ? place.replace(/\.(sum|avg|min|max|percentile)$/, '') : 'count';
  const [first] = values;
  return first ? values.filter((column) => kindOf(column) === kindOf(first)).slice(0, maxSeries) : [];
}

/** Reads a chart that was saved: columns that the result does not have are those of the chart that fits. */
export function chartOf(part: Part, saved: readonly Chart[], kind?: ChartKind | null): Chart {
  const fitting = chartFor(part);
  const found = saved.find((chart) => chart.part === part.place) ?? fitting;
  const has = (place: string | null | undefined) => part.columns.some((column) => column.place === place);
  const values = found.values.filter((place) => measuresOf(part).some((column) => column.place === place));
  return {
    part: part.place,
    kind: kind ?? found.kind,
    labels: has(found.labels) ? found.labels : fitting.labels,
    values: values.length > 0 ? values : fitting.values,
    split: has(found.split) ? found.split : null,
  };
}

/** One line, or the bars of one color. */
interface Series {
  /** The key of its values in the points. */
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

/** What a chart draws. */
export interface Drawing {
  readonly points: readonly Readonly<Record<string, string | number>>[];
  readonly series: readonly Series[];
  /** What the table has and the chart leaves out; empty if nothing. */
  readonly leftOut: string;
}

const colors = [
  ...['cyan.7', 'orange.6', 'grape.6', 'lime.8', 'pink.6', 'indigo.5', 'yellow.7', 'teal.7', 'red.7', 'gray.6'],
] as const;

/** Whether the measure of several groups together is the sum of theirs: `count` or `amount.sum`. */
const isAdditive = (place: string) => !place.includes('.') || place.endsWith('.sum');

/** @param textOf the text of a value of a column */
export function drawingOf(part: Part, chart: Chart, textOf: (column: Column, value: unknown) => string): Drawing {
  const columnAt = (place: string | null | undefined) => part.columns.find((column) => column.place === place);
  const [labels, split] = [columnAt(chart.labels), columnAt(chart.split)];
  const rows = part.rows.filter((row) => totalOf(row).length === 0);
  const points = new Map<string, Record<string, string | number>>();
  const series = new Map<string, string>();
  let [isCut, isCutSeries, isMixed] = [false, false, false];
  for (const [index, row] of rows.entries()) {
    const label = labels ? textOf(labels, row[labels.place]) : String(index + 1);
    // Rows of the same name are one only where their values are split.
    const key = split ? label : `${label} ${index}`;
    if (!points.has(key) && points.size === maxLabels) {
      isCut = true;
      continue;
    }
    const point = points.get(key) ?? { label };
    points.set(key, point);
    for (const place of chart.values) {
      const column = columnAt(place);
      const value = row[place];
      if (!column || typeof value !== 'number') continue;
      const name = split ? textOf(split, row[split.place]) : column.label;
      if (!series.has(name) && series.size === maxSeries) {
        isCutSeries = true;
        continue;
      }
      // Names of columns have dots, which the library reads as paths.
      const known = series.get(name) ?? `s${series.size}`;
      series.set(name, known);
      // Several rows in one place: sums and counts add up, averages do not.
      if (known in point && !isAdditive(place)) isMixed = true;
      point[known] = Number(point[known] ?? 0) + value;
    }
  }
  // A wrong figure is worse than none.
  if (isMixed) return { points: [], series: [], leftOut: t('thatHaveSeveralValuesInOne') };
  return {
    points: [...points.values()],
    series: [...series].map(([label, name], index) => ({ name, label, color: colors[index] ?? 'gray.6' })),
    leftOut: formatList([
      ...(isCut ? [t('afterTheFirstMaxLabels', { maxLabels })] : []),
      ...(isCutSeries ? [t('beyondMaxSeriesColors', { maxSeries })] : []),
    ]),
  };
}

/** A number that is shown large. */
export interface Figure {
  readonly label: string;
  readonly column: Column;
  readonly row: Part['rows'][number];
}

/** The numbers of a part, as far as they are few. */
export function figuresOf(
  part: Part,
  { values, labels }: Chart,
  textOf: (column: Column, value: unknown) => string,
): Figure[] {
  const naming = part.rows.length > 1 ? part.columns.find(({ place }) => place === labels) : undefined;
  return part.rows
    .flatMap((row) =>
      part.columns
        .filter(({ place }) => values.includes(place))
        .map((column) => ({
          column,
          row,
          label: naming ? `${textOf(naming, row[naming.place])}: ${column.label}` : column.label,
        })),
    )
    .slice(0, maxNumbers);
}
