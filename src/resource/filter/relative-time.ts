import { GraphQLScalarType, Kind } from 'graphql';
import { DateTime, type DateTimeUnit } from 'luxon';
import { InvalidValue } from '../../input/index.ts';
import { DateScalar, DateTimeScalar } from '../scalars.ts';

/** The words, each with the unit of time whose start it names. */
const units: Readonly<Record<string, DateTimeUnit>> = {
  today: 'day',
  startOfWeek: 'week',
  startOfMonth: 'month',
  startOfQuarter: 'quarter',
  startOfYear: 'year',
};

// In an address, a plus sign that is not encoded arrives as a space.
const pattern = /^(now|today|startOf(?:Week|Month|Quarter|Year))(?:([+ -])(\d{1,5}))?$/;

/** A time relative to that of the request: the start of a day, week, month, quarter or year, plus or minus days. */
export class RelativeTime {
  constructor(
    private readonly word: string,
    private readonly days: number,
  ) {}

  /** The time it stands for (UTC). Weeks start on Monday. */
  at(now: Date): Date {
    const unit = units[this.word];
    const time = DateTime.fromJSDate(now, { zone: 'utc' });
    return (unit ? time.startOf(unit) : time).plus({ days: this.days }).toJSDate();
  }
}

/** A scalar that takes a date, or a word for one. */
function relativeScalar(name: string, absolute: GraphQLScalarType, description: string, words: readonly string[]) {
  const parse = (value: unknown): unknown => {
    const [, word, sign, days = '0'] = (typeof value === 'string' && pattern.exec(value)) || [];
    if (word && words.includes(word)) return new RelativeTime(word, Number(days) * (sign === '-' ? -1 : 1));
    try {
      return absolute.parseValue(value);
    } catch (error) {
      throw error instanceof InvalidValue
        ? new InvalidValue(`${error.message}, or a word such as today+30 or startOfMonth`)
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
  `A calendar date such as 2026-01-31, or a word for one (UTC): ${list(dayWords)}, also ${offset}.`,
  dayWords,
);

/** A time of a filter. */
export const RelativeDateTimeScalar = relativeScalar(
  'RelativeDateTime',
  DateTimeScalar,
  `An ISO 8601 date-time or date, or a word for a time (UTC): ${list(timeWords)}, also ${offset}.`,
  timeWords,
);
