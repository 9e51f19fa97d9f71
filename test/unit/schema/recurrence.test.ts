import { expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { nextDue } from '../../../src/schema/reminder/recurrence.ts';

type Recurrence = Parameters<typeof nextDue>[0]['recurrence'];

/** The next due date of a reminder completed at `now`. */
const next = (recurrence: Recurrence, dueDate: string | null, now: string) =>
  nextDue(
    { recurrence, dueDate: dueDate === null ? null : new Date(dueDate), seriesStart: null },
    DateTime.fromISO(now, { zone: 'utc' }),
  );

test.each<[string, Recurrence, string | null, string, string]>([
  ['a day later', 'DAILY', '2040-01-31T09:30:00Z', '2040-01-01T00:00:00Z', '2040-02-01T09:30:00.000Z'],
  ['a week later', 'WEEKLY', '2040-02-27T09:30:00Z', '2040-01-01T00:00:00Z', '2040-03-05T09:30:00.000Z'],
  ['a month later', 'MONTHLY', '2040-04-15T09:30:00Z', '2040-01-01T00:00:00Z', '2040-05-15T09:30:00.000Z'],
  ["at a leap month's end", 'MONTHLY', '2040-01-31T09:30:00Z', '2040-01-01T00:00:00Z', '2040-02-29T09:30:00.000Z'],
  ["at a short month's end", 'MONTHLY', '2041-01-29T09:30:00Z', '2040-01-01T00:00:00Z', '2041-02-28T09:30:00.000Z'],
  ['days late', 'DAILY', '2030-01-01T09:30:00Z', '2030-01-10T09:00:00Z', '2030-01-10T09:30:00.000Z'],
  ['days late, later that day', 'DAILY', '2030-01-01T09:30:00Z', '2030-01-10T10:00:00Z', '2030-01-11T09:30:00.000Z'],
  ['at the very time', 'WEEKLY', '2030-01-01T09:30:00Z', '2030-01-08T09:30:00Z', '2030-01-15T09:30:00.000Z'],
  ['years late', 'WEEKLY', '2000-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '2030-01-05T00:00:00.000Z'],
  ['past a short month', 'MONTHLY', '2030-01-31T09:30:00Z', '2030-02-28T10:00:00Z', '2030-03-31T09:30:00.000Z'],
  ['without a due date', 'DAILY', null, '2030-01-31T10:15:00Z', '2030-02-01T10:15:00.000Z'],
  ["without one, at a month's end", 'MONTHLY', null, '2030-01-31T10:15:00Z', '2030-02-28T10:15:00.000Z'],
])('a reminder is due again %s', (_, recurrence, dueDate, now, expected) => {
  expect(next(recurrence, dueDate, now)?.toISOString()).toBe(expected);
});

test.each<[string, Recurrence, string | null]>([
  ['it does not recur', 'NONE', '2040-01-01T00:00:00Z'],
  ['it does not recur and has no due date', 'NONE', null],
  ['the next would be after the year 2199', 'MONTHLY', '2199-12-15T00:00:00Z'],
])('a reminder is not due again when %s', (_, recurrence, dueDate) => {
  expect(next(recurrence, dueDate, '2030-01-01T00:00:00Z')).toBeNull();
});

/** The due dates of a series, each of which is completed a minute late, in the clocks of its zone. */
function series(recurrence: Recurrence, start: string, zone: string, count: number): string[] {
  const seriesStart = DateTime.fromISO(start, { zone });
  const dates: string[] = [];
  for (let due: DateTime | undefined = seriesStart; due && dates.length < count; ) {
    dates.push(due.toFormat('yyyy-MM-dd HH:mm'));
    const of = { recurrence, dueDate: due.toJSDate(), seriesStart: dates.length > 1 ? seriesStart.toJSDate() : null };
    const next = nextDue(of, due.plus({ minutes: 1 }));
    due = next ? DateTime.fromJSDate(next, { zone }) : undefined;
  }
  return dates;
}

test.each<[string, Recurrence, string, string, string[]]>([
  ...(['29', '30', '31'] as const).map((day): [string, Recurrence, string, string, string[]] => [
    `on the ${day}`,
    'MONTHLY',
    `2027-01-${day}T09:00`,
    'Europe/Berlin',
    ['01', '02', '03', '04', '05', '06'].map((month) => {
      const last = { '02': '28', '04': '30', '06': '30' }[month] ?? '31';
      return `2027-${month}-${day < last ? day : last} 09:00`;
    }),
  ]),
  [
    'at an hour that a day leaves out',
    'DAILY',
    '2026-03-27T02:15',
    'Europe/Berlin',
    ['2026-03-27 02:15', '2026-03-28 02:15', '2026-03-29 03:15', '2026-03-30 02:15', '2026-03-31 02:15'],
  ],
  [
    'at an hour that a week leaves out',
    'WEEKLY',
    '2026-03-01T02:15',
    'America/New_York',
    ['2026-03-01 02:15', '2026-03-08 03:15', '2026-03-15 02:15', '2026-03-22 02:15'],
  ],
  [
    'at an hour that a day has twice',
    'DAILY',
    '2026-10-24T02:15',
    'Europe/Berlin',
    ['2026-10-24 02:15', '2026-10-25 02:15', '2026-10-26 02:15'],
  ],
])('a series keeps its day and hour: %s', (_, recurrence, start, zone, expected) => {
  expect(series(recurrence, start, zone, expected.length)).toEqual(expected);
});

test('a series goes on a day after the last due date in another time zone', () => {
  const berlin = '2026-03-01T08:00:00Z';
  const of = { recurrence: 'DAILY', dueDate: new Date('2026-04-01T07:00:00Z'), seriesStart: new Date(berlin) } as const;
  const next = nextDue(of, DateTime.fromISO('2026-04-01T06:00:00Z', { zone: 'Asia/Tokyo' }));
  expect(next?.toISOString()).toBe('2026-04-02T08:00:00.000Z');
});
