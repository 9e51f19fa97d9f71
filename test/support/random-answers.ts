// What is computed of random groups, which totals they have and which of them are asked for, and an interpreter of it.

import { DateTime } from 'luxon';
import type { Row } from './client.ts';
import type { FilterModel, TypeOf } from './filter-model.ts';
import type { Random } from './random.ts';
import { groupRows, type RandomGroup, selectionOf } from './random-groups.ts';

/** A figure that is computed of measures, which it names by their places in the response. */
interface Figure {
  readonly name: string;
  readonly of: 'ratio' | 'difference' | 'share' | 'running' | 'change';
  readonly measure: string;
  readonly other: string;
  /** The keys within which shares are. */
  readonly within: readonly number[];
  readonly periods: number;
}

/** Groups with totals and computed figures, some of which are asked for. */
export interface RandomAnswer {
  readonly group: RandomGroup;
  /** The keys of each level of totals. */
  readonly subtotals: readonly (readonly number[])[];
  readonly figures: readonly Figure[];
  readonly having?: { readonly field: string; readonly operator: 'gt' | 'lt'; readonly operand: number } | undefined;
  readonly best?:
    | { readonly field: string; readonly direction: 'ASC' | 'DESC'; readonly first: number; readonly per: number[] }
    | undefined;
}

const units: Readonly<Record<string, object>> = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { quarters: 1 },
  year: { years: 1 },
  fiscalYear: { years: 1 },
};

/** A key's place in the response, without arguments. */
const placeOf = ({ keys }: RandomGroup, n: number) =>
  [`k${n}`, ...(keys[n] ?? [])].map((step) => step.replace(/\(.*/, '')).join('.');
const at = (group: Row, place: string): unknown =>
  place.split('.').reduce<unknown>((inner, name) => (inner as Row | null)?.[name] ?? null, group);
const numberAt = (group: Row, place: string): number | null => {
  const value = at(group, place);
  return value === null ? null : Number(value);
};

/** Draws what is asked of groups. */
export function drawAnswer(random: Random, group: RandomGroup): RandomAnswer {
  const places = group.keys.map((_, n) => n);
  const measures = [
    'count',
    ...group.measures.flatMap(({ name, of, isNumber }) =>
      isNumber ? [of === 'count' || of === 'countDistinct' ? name : `${name}.value`] : [],
    ),
  ];
  const periods = places.filter((n) => (group.keys[n]?.at(-1) ?? '') in units);
  const kinds = ['ratio', 'difference', 'share', ...(periods.length === 1 ? ['running', 'change'] : [])] as const;
  const figures = Array.from({ length: random.integer(4) }, (_, n): Figure => {
    const [measure, other] = [random.pick(measures), random.pick(measures)];
    const of = random.pick(kinds as readonly Figure['of'][]);
    return { name: `d${n}`, of, measure, other, within: random.some(places, 2), periods: 1 + random.integer(3) };
  });
  const levels = places.length > 0 && random.chance(0.5) ? [places.slice(1), ...(places.length > 1 ? [[]] : [])] : [];
  const fields = [...measures, ...figures.map(({ name }) => `derived.${name}`)];
  return {
    group,
    subtotals: levels.map((level) => [...level].sort()),
    figures,
    ...(random.chance(0.4) && {
      having: { field: random.pick(fields), operator: random.pick(['gt', 'lt']), operand: random.integer(4) + 0.5 },
    }),
    ...(places.length > 0 &&
      random.chance(0.4) && {
        best: {
          field: random.pick(fields),
          direction: random.pick(['ASC', 'DESC']),
          first: 1 + random.integer(3),
          per: random.some(places, 1),
        },
      }),
  };
}

/** The aggregates of a list as GraphQL asks for them. */
export function aggregatesOf({ group, subtotals, figures, having, best }: RandomAnswer): string {
  const names = (places: readonly number[]) => JSON.stringify(places.map((n) => placeOf(group, n)));
  const args = [
    `timeZone: "${group.timeZone}"`,
    ...(subtotals.length > 0 ? [`subtotals: [${subtotals.map(names).join(', ')}]`] : []),
    ...(having ? [`having: [{ field: "${having.field}", ${having.operator}: ${having.operand} }]`] : []),
    ...(best ? [`orderBy: [{ field: "${best.field}", direction: ${best.direction} }], first: ${best.first}`] : []),
    ...(best && best.per.length > 0 ? [`per: ${names(best.per)}`] : []),
  ];
  const computed = figures.map(({ name, of, measure, other, within, periods }) => {
    const further = {
      ratio: `, to: "${other}"`,
      difference: `, minus: "${other}"`,
      share: within.length > 0 ? `, within: ${names(within)}` : '',
      running: '',
      change: `, periods: ${periods}`,
    };
    return `${name}: ${of}(of: "${measure}"${further[of]})`;
  });
  const derived = computed.length > 0 ? ` derived { ${computed.join(' ')} }` : '';
  return `aggregates(${args.join(', ')}) ${selectionOf(group).replace(/}$/, `totalOf${derived} }`)}`;
}

/**
 * The groups that rows make.
 *
 * @returns them in no order; undefined where groups with equal figures decide which are the best
 */
export function answerRows(
  model: FilterModel,
  type: string,
  rows: readonly Row[],
  { group, subtotals, figures, having, best }: RandomAnswer,
  typeOf: TypeOf,
): Row[] | undefined {
  const all = group.keys.map((_, n) => n);
  const levels = [all, ...subtotals].map((level) => {
    const groups = [...groupRows(model, type, rows, group, typeOf, level).values()];
    const totalOf = all.filter((n) => !level.includes(n)).map((n) => placeOf(group, n));
    return groups.map((each): Row => {
      const computed = figures.map((figure) => [figure.name, figureOf(figure, each, groups, group)]);
      return { ...each, totalOf, ...(computed.length > 0 && { derived: Object.fromEntries(computed) }) };
    });
  });
  const found = levels.flat().filter((each) => {
    if (!having) return true;
    const value = numberAt(each, having.field);
    return value !== null && (having.operator === 'gt' ? value > having.operand : value < having.operand);
  });
  return best ? bestOf(found, best, group) : found;
}

function bestOf(
  found: readonly Row[],
  { field, direction, first, per }: NonNullable<RandomAnswer['best']>,
  group: RandomGroup,
): Row[] | undefined {
  const sign = direction === 'ASC' ? 1 : -1;
  const rank = (each: Row) => {
    const value = numberAt(each, field);
    return value === null ? Number.POSITIVE_INFINITY : sign * value;
  };
  const parts = new Map<string, Row[]>();
  for (const each of found) {
    const name = JSON.stringify(per.map((n) => at(each, placeOf(group, n))));
    parts.set(name, [...(parts.get(name) ?? []), each]);
  }
  const chosen: Row[] = [];
  for (const part of parts.values()) {
    const sorted = part.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
    const [last, next] = [sorted[first - 1], sorted[first]];
    if (last && next && (rank(last) === rank(next) || Math.abs(rank(last) - rank(next)) < 1e-6)) return undefined;
    chosen.push(...sorted.slice(0, first));
  }
  return chosen;
}

/** A figure of a group beside the others of its level. */
function figureOf(figure: Figure, own: Row, groups: readonly Row[], group: RandomGroup): number | null {
  const value = numberAt(own, figure.measure);
  const isSame = (other: Row, places: readonly number[]) =>
    places.every((n) => JSON.stringify(at(own, placeOf(group, n))) === JSON.stringify(at(other, placeOf(group, n))));
  const sumOf = (some: readonly Row[]) => {
    const values = some.map((each) => numberAt(each, figure.measure)).filter((each) => each !== null);
    return values.length > 0 ? values.reduce((sum, each) => sum + each, 0) : null;
  };
  const divided = (by: number | null) => (value === null || by === null || by === 0 ? null : value / by);
  switch (figure.of) {
    case 'ratio':
      return divided(numberAt(own, figure.other));
    case 'difference': {
      const other = numberAt(own, figure.other);
      return value === null || other === null ? null : value - other;
    }
    case 'share':
      return divided(sumOf(groups.filter((each) => isSame(each, figure.within))));
    default: {
      const period = group.keys.findIndex((path) => (path.at(-1) ?? '') in units);
      const others = group.keys.flatMap((_, n) => (n === period ? [] : [n]));
      const part = group.keys[period]?.at(-1) ?? '';
      const start = at(own, placeOf(group, period)) as string | null;
      // What has no period is neither before nor after any.
      if (start === null) return null;
      const beside = groups.filter((each) => isSame(each, others));
      const startOf = (each: Row) => at(each, placeOf(group, period)) as string | null;
      if (figure.of === 'running')
        return sumOf(beside.filter((each) => startOf(each) !== null && String(startOf(each)) <= start));
      const unit = units[part] ?? {};
      let before = DateTime.fromISO(start, { zone: 'utc' });
      for (let n = 0; n < figure.periods; n++) before = before.minus(unit);
      const earlier = beside.find((each) => startOf(each) === before.toISODate());
      const former = earlier ? numberAt(earlier, figure.measure) : null;
      return value === null || former === null ? null : value - former;
    }
  }
}
