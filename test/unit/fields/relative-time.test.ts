import { describe, expect, test } from '@jest/globals';
import type { RelativeTime } from '../../../src/fields/index.ts';
import { RelativeDateScalar, RelativeDateTimeScalar } from '../../../src/fields/relative-time.ts';

const dayOf = (word: string, now: string, zone = 'UTC') =>
  (RelativeDateScalar.parseValue(word) as RelativeTime).dayAt(new Date(now), zone).toISOString().slice(0, 10);
const timeOf = (word: string, now: string, zone = 'UTC') =>
  (RelativeDateTimeScalar.parseValue(word) as RelativeTime).at(new Date(now), zone).toISOString();

// Looked up in a calendar. The 31st of January 2026 is a Saturday.
const noon = '2026-01-31T12:00:00.000Z';
test.each([
  ['today', '2026-01-31', '2026-02-01', '2026-02-07', '2026-02-28', '2026-04-30', '2027-01-31'],
  ['startOfWeek', '2026-01-26', '2026-01-27', '2026-02-02', '2026-02-26', '2026-04-26', '2027-01-26'],
  ['startOfMonth', '2026-01-01', '2026-01-02', '2026-01-08', '2026-02-01', '2026-04-01', '2027-01-01'],
  ['startOfQuarter', '2026-01-01', '2026-01-02', '2026-01-08', '2026-02-01', '2026-04-01', '2027-01-01'],
  ['startOfYear', '2026-01-01', '2026-01-02', '2026-01-08', '2026-02-01', '2026-04-01', '2027-01-01'],
  ['endOfDay', '2026-01-31', '2026-02-01', '2026-02-07', '2026-02-28', '2026-04-30', '2027-01-31'],
  ['endOfWeek', '2026-02-01', '2026-02-02', '2026-02-08', '2026-03-01', '2026-05-01', '2027-02-01'],
  ['endOfMonth', '2026-01-31', '2026-02-01', '2026-02-07', '2026-02-28', '2026-04-30', '2027-01-31'],
  ['endOfQuarter', '2026-03-31', '2026-04-01', '2026-04-07', '2026-04-30', '2026-06-30', '2027-03-31'],
  ['endOfYear', '2026-12-31', '2027-01-01', '2027-01-07', '2027-01-31', '2027-03-31', '2027-12-31'],
])('%s with nothing, a day, a week, a month, a quarter and a year added', (word, ...days) => {
  const offsets = ['', '+1day', '+1week', '+1month', '+1quarter', '+1year'];
  expect(offsets.map((offset) => dayOf(word + offset, noon))).toEqual(days);
  // What is added without a unit is days, a unit may be in the plural, and a URL turns a plus sign into a space.
  expect([dayOf(`${word}+7`, noon), dayOf(`${word} 7days`, noon)]).toEqual([days[2], days[2]]);
});

test.each([
  // Where the month is too short, its last day.
  ['today-1month', '2026-03-31T12:00:00Z', '2026-02-28'],
  ['today-1year', '2028-02-29T12:00:00Z', '2027-02-28'],
  // The end of a period stays one.
  ['endOfMonth-1month', '2026-02-28T12:00:00Z', '2026-01-31'],
  ['endOfMonth-1month', '2026-03-15T12:00:00Z', '2026-02-28'],
  ['endOfQuarter-1quarter', '2026-05-15T12:00:00Z', '2026-03-31'],
  ['endOfYear-1year', '2026-05-15T12:00:00Z', '2025-12-31'],
  ['startOfMonth-1month', '2026-03-31T12:00:00Z', '2026-02-01'],
  ['startOfQuarter+1quarter', '2026-11-30T12:00:00Z', '2027-01-01'],
])('%s at %s', (word, now, day) => {
  expect(dayOf(word, now)).toBe(day);
});

describe('times are those of the company', () => {
  test.each([
    // The clocks of Havana show midnight twice on the 1st of November 2026: the day starts with the first.
    ['America/Havana', 'startOfMonth', '2026-11-15T12:00:00Z', '2026-11-01T04:00:00.000Z'],
    ['America/Havana', 'startOfMonth-1month', '2026-12-15T12:00:00Z', '2026-11-01T04:00:00.000Z'],
    ['America/Havana', 'endOfMonth-1month', '2026-11-15T12:00:00Z', '2026-11-01T03:59:59.999Z'],
    // Those of Cairo show no midnight on the 24th of April 2026: the day starts when they are put forward.
    ['Africa/Cairo', 'today-1month', '2026-05-24T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    ['Africa/Cairo', 'endOfDay-1day', '2026-04-24T12:00:00Z', '2026-04-23T21:59:59.999Z'],
    // It is still January there.
    ['America/New_York', 'startOfMonth', '2026-02-01T04:59:59.999Z', '2026-01-01T05:00:00.000Z'],
    ['America/New_York', 'now-1month', '2026-03-31T12:00:00.000Z', '2026-02-28T13:00:00.000Z'],
  ])('%s, %s at %s', (zone, word, now, time) => {
    expect(timeOf(word, now, zone)).toBe(time);
  });
});

test.each([
  ['today+100000', 'must add or subtract at most 99,999 days to today'],
  ['startOfMonth-1000months', 'must add or subtract at most 999 months to startOfMonth'],
  ['endOfYear+99999999999999999999years', 'must add or subtract at most 999 years to endOfYear'],
  ['startOfMonth-1fortnight', 'or a word such as'],
  ['startOfDay', 'or a word such as'],
  ['now-1month', 'or a word such as'],
])('%s is no date', (word, message) => {
  expect(() => RelativeDateScalar.parseValue(word)).toThrow(message);
});

test('the farthest are dates that can be written', () => {
  for (const unit of ['week', 'month', 'quarter', 'year'])
    for (const sign of '+-') expect(dayOf(`endOfYear${sign}999${unit}`, noon)).toMatch(/^[0-9]{4}-/);
});
