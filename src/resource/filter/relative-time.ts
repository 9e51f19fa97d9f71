import { GraphQLScalarType, Kind } from 'graphql';
import { DateTime, type DateTimeUnit } from 'luxon';
import { DateScalar, DateTimeScalar } from '../scalars.ts';
import { withinYears } from '../time.ts';

/** The words, each with the unit of time whose start it names. */
const units: Readonly<Record<string, DateTimeUnit>> = {
  today: 'day',
  startOfWeek: 'week',
  startOfMonth: 'month',
  startOfQuarter: 'quarter',
  startOfYear: 'year',
};

// In a URL, a plus sign that is not encoded is read as a space.
const pattern = /^(now|today|startOf(?:Week|Month|Quarter|Year))(?:([+ -])(\d{1,5}))?$/;

/**
 * A time that depends on the company's time zone: that of the request, or the start of its day, week, month, quarter or
 * year, or the start of a given day, plus or minus days.
 */
export class RelativeTime {
  /** @param base one of the words, or a day such as `2026-01-31` */
  constructor(
    private readonly base: string,
    private readonly days: number,
  ) {}

  /** The time it stands for. Weeks start on Monday. */
  at(now: Date, timeZone: string): Date {
    return withinYears(this.in(now, timeZone));
  }

  /** The calendar day it stands for. */
  dayAt(now: Date, timeZone: string): Date {
    return this.in(now, timeZone).setZone('utc', { keepLocalTime: true }).startOf('day').toJSDate();
  }

  private in(now: Date, zone: string): DateTime {
    const unit = units[this.base];
    const time = DateTime.fromJSDate(now, { zone });
    const start = unit ? time.startOf(unit) : this.base === 'now' ? time : DateTime.fromISO(this.base, { zone });
    // Where daylight saving time begins at midnight, the day has no 00:00.
    const moved = start.plus({ days: this.days });
    return this.base === 'now' ? moved : moved.startOf('day');
  }
}

/** A scalar that takes a date, or a word for one. */
function relativeScalar(name: string, absolute: GraphQLScalarType, description: string, words: readonly string[]) {
  const parse = (value: unknown): unknown => {
    // REST's parameters that stand for a period.
    if (value instanceof RelativeTime) return value;
    const [, word, sign, days = '0'] = (typeof value === 'string' && pattern.exec(value)) || [];
    if (word && words.includes(word)) return new RelativeTime(word, Number(days) * (sign === '-' ? -1 : 1));
    try {
      return absolute.parseValue(value);
    } catch (error) {
      // What scalars throw for a value that they cannot read.
      throw error instanceof TypeError
        ? new TypeError(`${error.message}, or a word such as today+30 or startOfMonth`)
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

const dayWords = Object.keys(units);
const timeWords = ['now', ...dayWords];

const offset =
  'with a number of days added or subtracted, as in `today+90` and `startOfMonth-1`. Weeks start on Monday';

/** A calendar date of a filter. */
export const RelativeDateScalar = relativeScalar(
  'RelativeDate',
  DateScalar,
  `A calendar date such as 2026-01-31, or a word for one in the company's time zone: ${list(dayWords)}, also ${offset}.`,
  dayWords,
);

/** A time of a filter. */
export const RelativeDateTimeScalar = relativeScalar(
  'RelativeDateTime',
  DateTimeScalar,
  `An ISO 8601 date-time or date, or a word for a time in the company's time zone: ${list(timeWords)}, also ${offset}.`,
  timeWords,
);
