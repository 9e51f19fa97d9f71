import { expect, test } from '@jest/globals';
import { type GivenRange, readRange as readRangeOn } from '../../../src/schema/dashboard/range.ts';

const date = (day: string) => new Date(`${day}T00:00:00Z`);
const today = date('2026-02-14');
const readRange = (given: GivenRange) => readRangeOn(given, today);
const daysBefore = (day: Date, n: number) => new Date(day.getTime() - n * 86_400_000);

test('is today and the 29 days before it, unless given', () => {
  expect(readRange({})).toEqual({ start: daysBefore(today, 29), finish: today });
  expect(readRange({ startDate: null, endDate: null })).toEqual({ start: daysBefore(today, 29), finish: today });
});

test('ends today, or starts 29 days before its end', () => {
  const startDate = daysBefore(today, 100);
  expect(readRange({ startDate })).toEqual({ start: startDate, finish: today });
  expect(readRange({ endDate: date('2026-03-30') })).toEqual({
    start: date('2026-03-01'),
    finish: date('2026-03-30'),
  });
});

test('takes the last date there is', () => {
  const last = date('9999-12-31');
  expect(readRange({ startDate: last, endDate: last })).toEqual({ start: last, finish: last });
});

test('starts no earlier than the first date there is', () => {
  const first = date('0001-01-01');
  expect(readRange({ endDate: first })).toEqual({ start: first, finish: first });
});

const endDate = date('2025-12-31');
test('has at most 3,653 days', () => {
  const startDate = daysBefore(endDate, 3652);
  expect(readRange({ startDate, endDate })).toEqual({ start: startDate, finish: endDate });
  expect(() => readRange({ startDate: daysBefore(endDate, 3653), endDate })).toThrow(
    'startDate: must be at most 3652 days before endDate',
  );
});

test('does not end before it starts', () => {
  expect(() => readRange({ startDate: date('2026-01-01'), endDate })).toThrow(
    'endDate: must be on or after the start date',
  );
});
