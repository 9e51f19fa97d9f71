import type { FieldErrors } from '../../errors.ts';
import { defineType } from '../../resource/index.ts';

/** How a part of a result is drawn, as it is stored. */
export interface SavedChart {
  readonly part: string;
  readonly kind: string;
  readonly labels: string | null;
  readonly values: readonly string[];
  readonly split: string | null;
}

/** Maximum number of charts of a query, of columns that one draws, and of characters of a place in the response. */
const maxCharts = 20;
const maxValues = 10;
const maxPlaceLength = 200;

const kinds = {
  TABLE: 'A table alone.',
  BARS: 'Bars beside each other.',
  STACKED_BARS: 'Bars on top of each other.',
  LINES: 'Lines.',
  NUMBER: 'Each value as a number.',
};

/** A kind of chart. */
export const ChartKind = defineType(({ builder }) =>
  builder.enumType('ChartKind', {
    description: 'How a part of a result is drawn.',
    values: Object.fromEntries(Object.entries(kinds).map(([name, description]) => [name, { description }])),
  }),
);

const words = {
  part: 'The part of the result, by its place in the response: `open.aggregates`; empty for values outside of lists.',
  kind: 'How it is drawn.',
  labels: 'The column along the axis, such as `key.createdAt.month`.',
  values: 'The columns that are drawn, such as `amount.sum`.',
  split: 'The column whose values are drawn apart, such as `key.status`.',
};

/** A chart of a saved query. */
export const SavedChartType = defineType((kit) =>
  kit.builder.objectRef<SavedChart>('SavedChart').implement({
    description: 'How a part of the result of a saved query is drawn.',
    fields: (t) => ({
      part: t.exposeString('part', { description: words.part }),
      kind: t.field({ type: ChartKind(kit), description: words.kind, resolve: ({ kind }) => kind }),
      labels: t.exposeString('labels', { nullable: true, description: words.labels }),
      values: t.stringList({ description: words.values, resolve: ({ values }) => [...values] }),
      split: t.exposeString('split', { nullable: true, description: words.split }),
    }),
  }),
);

/** A chart of a saved query, as clients send it. */
export const SavedChartInput = defineType((kit) =>
  kit.builder.inputType('SavedChartInput', {
    description: 'How a part of the result of a saved query is drawn.',
    fields: (t) => ({
      part: t.string({ required: true, description: words.part }),
      kind: t.field({ type: ChartKind(kit), required: true, description: words.kind }),
      labels: t.string({ description: words.labels }),
      values: t.stringList({ required: true, description: words.values }),
      split: t.string({ description: words.split }),
    }),
  }),
);

/** A chart that a client sent. */
export interface GivenChart {
  readonly part: string;
  readonly kind: string;
  readonly labels?: string | null;
  readonly values: readonly string[];
  readonly split?: string | null;
}

type StoredChart = { kind: string; labels: string | null; values: string[]; split: string | null };

/** Charts as they are stored: by part. */
export const storedCharts = (charts: readonly GivenChart[]): Record<string, StoredChart> =>
  Object.fromEntries(
    charts.map(({ part, kind, labels, values, split }) => [
      part,
      { kind, labels: labels ?? null, values: [...values], split: split ?? null },
    ]),
  );

/** Charts as they are shown. */
export const shownCharts = (stored: Readonly<Record<string, StoredChart>>): SavedChart[] =>
  Object.entries(stored).map(([part, chart]) => ({ part, ...chart }));

/** Whether a text can be a place in a response: names that are joined by dots. */
export const isPlace = (text: string): boolean => text.length <= maxPlaceLength && /^\w+(\.\w+)*$/.test(text);

/** What is wrong with charts. */
export function checkCharts(charts: readonly GivenChart[]): FieldErrors {
  if (charts.length > maxCharts) return { charts: `must be at most ${maxCharts}` };
  if (new Set(charts.map(({ part }) => part)).size < charts.length) return { charts: 'must be one for each part' };
  for (const [index, { part, labels, values, split }] of charts.entries()) {
    const places = { labels, split, ...Object.fromEntries(values.map((value, at) => [`values[${at}]`, value])) };
    const wrong = Object.entries({ ...places, ...(part !== '' && { part }) }).find(
      ([, place]) => place != null && !isPlace(place),
    );
    if (wrong) return { [`charts[${index}].${wrong[0]}`]: 'must be a place in the response, such as key.status' };
    if (values.length > maxValues) return { [`charts[${index}].values`]: `must be at most ${maxValues}` };
  }
  return {};
}
