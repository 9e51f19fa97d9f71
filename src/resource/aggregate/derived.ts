// What a query computes of the measures of groups.
import { type Derived, isPeriod } from '../../database/read/derived.ts';
import { badRequest } from '../../errors.ts';
import { type GroupPlan, mustBe, type Named, type Planned, placeOf } from './places.ts';

/** A field of `derived` that a query selects. */
export interface SelectedDerived {
  readonly path: readonly string[];
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The most periods between a group and the one that it is compared with. */
const maxPeriods = 1000;

/** Reads what is computed of measures, which the query selects too. @throws ServiceError BAD_REQUEST */
export function readDerived(
  selected: readonly SelectedDerived[],
  { keys, measures }: Pick<GroupPlan, 'keys' | 'measures'>,
): Planned<Derived>[] {
  return selected.map(({ path, name, args }) => {
    const at = path.join('.');
    const measureAt = (argument: string): number => {
      const place = placeOf(measures, String(args[argument]));
      const numbers = measures.filter(({ isNumber }) => isNumber);
      if (!measures[place]?.isNumber) throw badRequest(mustBe('a selected number', numbers), `${at}.${argument}`);
      return place;
    };
    return { path, what: derivedOf(name, measureAt, args, keys, at) };
  });
}

function derivedOf(
  name: string,
  measureAt: (argument: string) => number,
  args: SelectedDerived['args'],
  keys: GroupPlan['keys'],
  at: string,
): Derived {
  const measure = measureAt('of');
  switch (name) {
    case 'ratio':
      return { of: name, measure, by: measureAt('to') };
    case 'difference':
      return { of: name, measure, by: measureAt('minus') };
    case 'share':
      return { of: name, measure, within: readKeys(keys, (args['within'] ?? []) as string[], `${at}.within`) };
    case 'running':
      return { of: name, measure, period: periodOf(keys, at) };
    default: {
      const periods = Number(args['periods'] ?? 1);
      if (periods < 1 || periods > maxPeriods) throw badRequest(`must be between 1 and ${maxPeriods}`, `${at}.periods`);
      return { of: 'change', measure, period: periodOf(keys, at), periods };
    }
  }
}

/** The places of keys by their paths in the response. @throws ServiceError BAD_REQUEST */
export const readKeys = (keys: readonly Named[], paths: readonly string[], argument: string): number[] =>
  paths.map((path) => {
    const place = placeOf(keys, path);
    if (place < 0) throw badRequest(mustBe('a selected key', keys), argument);
    return place;
  });

/** The only key that is a period. @throws ServiceError BAD_REQUEST */
function periodOf(keys: GroupPlan['keys'], at: string): number {
  const periods = keys.flatMap(({ what: { part } }, place) => (isPeriod(part) ? [place] : []));
  const [period] = periods;
  if (period === undefined || periods.length > 1)
    throw badRequest('requires exactly one key that is a day, week, month, quarter or year', at);
  return period;
}
