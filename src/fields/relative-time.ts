import { GraphQLScalarType, Kind } from 'graphql';
import { DateTime, type DurationLike } from 'luxon';
import { addDays, dayIn, startOfDay, withinYears } from './days.ts';
import { DateScalar, DateTimeScalar } from './instants.ts';

/** The periods whose start or end a word names. */
const periods = ['day', 'week', 'month', 'quarter', 'year'] as const;
type Period = (typeof periods)[number];

/** A word for a day: the first or the last one of a period. */
interface DayWord {
  readonly period: Period;
  readonly isEnd: boolean;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const dayWords: ReadonlyMap<string, DayWord> = new Map<string, DayWord>([
  ...periods.map(
    (period) => [period === 'day' ? 'today' : `startOf${capitalize(period)}`, { period, isEnd: false }] as const,
  ),
  ...periods.map((period) => [`endOf${capitalize(period)}`, { period, isEnd: true }] as const),
]);

/** The most that can be added or subtracted: no farther than years that dates can have. */
const most = (unit: Period): number => (unit === 'day' ? 99_999 : 999);

// In a URL, a plus sign that is not encoded is read as a space.
const pattern = new RegExp(`^(now|${[...dayWords.keys()].join('|')})(?:([+ -])(\\d+)(?:(${periods.join('|')})s?)?)?$`);

/**
 * A time that depends on the company's time zone: that of the request, or the start or end of its day, week, month,
 * quarter or year, or the start of a given day; plus or minus a number of days, weeks, months, quarters or years.
 */
export class RelativeTime {
  /**
   * @param base one of the words, or a day such as `2026-01-31`
   * @param offset what is added to it. Where a month is too short for the day, its last day is meant
   */
  constructor(
    private readonly base: string,
    private readonly offset: DurationLike,
  ) {}

  /** The time it stands for, of an end the last millisecond. Weeks start on Monday. */
  at(now: Date, timeZone: string): Date {
    if (this.base === 'now')
      return withinYears(DateTime.fromJSDate(now, { zone: timeZone }).plus(this.offset).toMillis());
    const day = this.dayAt(now, timeZone);
    if (!dayWords.get(this.base)?.isEnd) return startOfDay(day, timeZone);
    return new Date(startOfDay(addDays(day, 1), timeZone).getTime() - 1);
  }

  /** The calendar day it stands for. */
  dayAt(now: Date, timeZone: string): Date {
    const word = dayWords.get(this.base);
    if (!word) return DateTime.fromISO(this.base, { zone: 'utc' }).plus(this.offset).toJSDate();
    const start = DateTime.fromJSDate(dayIn(timeZone, now), { zone: 'utc' }).startOf(word.period);
    if (!word.isEnd) return start.plus(this.offset).toJSDate();
    // The start of the next period is moved, so that the end of a month stays one: the 28th of February, less a month,
    // is the 31st of January.
    return addDays(
      start
        .plus({ [word.period]: 1 })
        .plus(this.offset)
        .toJSDate(),
      -1,
    );
  }
}

/** Reads a word, with what is added to it. @returns undefined when the text is none @throws TypeError for too much */
function parseWord(text: string, words: readonly string[]): RelativeTime | undefined {
  const [, word, sign, digits = '0', unit = 'day'] = pattern.exec(text) ?? [];
  if (!word || !words.includes(word)) return undefined;
  const limit = most(unit as Period);
  if (Number(digits) > limit)
    throw new TypeError(`must add or subtract at most ${limit.toLocaleString('en')} ${unit}s to ${word}`);
  return new RelativeTime(word, { [unit]: Number(digits) * (sign === '-' ? -1 : 1) });
}

/** A scalar that takes a date, or a word for one. */
function relativeScalar(name: string, absolute: GraphQLScalarType, description: string, words: readonly string[]) {
  const parse = (value: unknown): unknown => {
    // REST's parameters that stand for a period.
    if (value instanceof RelativeTime) return value;
    const relative = typeof value === 'string' ? parseWord(value, words) : undefined;
    if (relative) return relative;
    try {
      return absolute.parseValue(value);
    } catch (error) {
      // What scalars throw for a value that they cannot read.
      throw error instanceof TypeError
        ? new TypeError(`${error.message}, or a word such as today+30 or startOfMonth-1month`)
        : error;
    }
  };
  return new GraphQLScalarType({
    name,
    description,
    parseValue: parse,
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
  });
}

const list = (words: readonly string[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(words.map((word) => `\`${word}\``));

const namesOfDays = [...dayWords.keys()];
const namesOfTimes = ['now', ...namesOfDays];

const offset =
  'with days, weeks, months, quarters or years added or subtracted, as in `today+90`, `startOfMonth-1month` and ' +
  '`endOfQuarter+2quarters`. Weeks start on Monday';

/** A calendar date of a filter. */
export const RelativeDateScalar = relativeScalar(
  'RelativeDate',
  DateScalar,
  `A calendar date such as 2026-01-31, or a word for one in the company's time zone: ${list(namesOfDays)}, also ${offset}.`,
  namesOfDays,
);

/** A time of a filter. */
export const RelativeDateTimeScalar = relativeScalar(
  'RelativeDateTime',
  DateTimeScalar,
  `An ISO 8601 date-time or date, or a word for a time in the company's time zone: ${list(namesOfTimes)}, also ${offset}. An end is its last millisecond.`,
  namesOfTimes,
);
