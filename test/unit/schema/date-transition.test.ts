import { expect, test } from '@jest/globals';
import { statusToday } from '../../../src/schema/date-transition.ts';

const lease = { from: 'ACTIVE', to: 'EXPIRED' } as const;
type Status = 'ACTIVE' | 'EXPIRED' | 'TERMINATED';

/** The day that is `n` days from today (UTC). */
const day = (n: number) => new Date(Math.floor(Date.now() / 86_400_000 + n) * 86_400_000);

test.each<[Status, Date | null, Status]>([
  ['ACTIVE', day(-1), 'EXPIRED'],
  ['ACTIVE', day(0), 'ACTIVE'],
  ['ACTIVE', day(1), 'ACTIVE'],
  ['ACTIVE', null, 'ACTIVE'],
  ['EXPIRED', day(1), 'EXPIRED'],
  ['TERMINATED', day(-1), 'TERMINATED'],
])('%s with the last day %p is %s', (status, last, expected) => {
  expect(statusToday<Status>(lease, day(0), { status, day: last })).toBe(expected);
});

test.each<[Date | null, Status]>([
  [day(1), 'ACTIVE'],
  [null, 'ACTIVE'],
  [day(-2), 'EXPIRED'],
])('an expired row whose last day moves to %p is %s', (last, expected) => {
  const previous = { status: 'EXPIRED', day: day(-1) } as const;
  expect(statusToday<Status>(lease, day(0), { status: 'EXPIRED', day: last }, previous)).toBe(expected);
});

test('an expired row stays expired until its day changes', () => {
  const row = { status: 'EXPIRED', day: day(-1) } as const;
  expect(statusToday<Status>(lease, day(0), row, row)).toBe('EXPIRED');
});
