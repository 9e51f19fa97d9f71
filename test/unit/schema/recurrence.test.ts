import { expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { nextDue } from '../../../src/schema/reminder/recurrence.ts';

type Recurrence = Parameters<typeof nextDue>[0]['recurrence'];

/** The next due date of a reminder completed at `now`. */
const next = (recurrence: Recurrence, dueDate: string | null, now: string) =>
  nextDue({ recurrence, dueDate: dueDate === null ? null : new Date(dueDate) }, DateTime.fromISO(now, { zone: 'utc' }));

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
  ['the next would be after the year 9999', 'MONTHLY', '9999-12-15T00:00:00Z'],
])('a reminder is not due again when %s', (_, recurrence, dueDate) => {
  expect(next(recurrence, dueDate, '2030-01-01T00:00:00Z')).toBeNull();
});
