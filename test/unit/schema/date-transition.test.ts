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
  expect(statusToday<Status>(lease, day(0), status, last).status).toBe(expected);
});

test.each<[Date | null, Status]>([
  [day(1), 'ACTIVE'],
  [null, 'ACTIVE'],
  [day(-2), 'EXPIRED'],
])('an expired row whose last day moves to %p is %s', (last, expected) => {
  const previous = { status: 'EXPIRED', statusKept: false, day: day(-1) } as const;
  expect(statusToday<Status>(lease, day(0), undefined, last, previous)).toEqual({
    status: expected,
    statusKept: false,
  });
});

test.each([day(1), day(9), null, day(-2)])(
  'a row that a client had expired early stays so with the last day %p',
  (last) => {
    const previous = { status: 'EXPIRED', statusKept: true, day: day(5) } as const;
    const kept = { status: 'EXPIRED', statusKept: true };
    expect(statusToday<Status>(lease, day(0), undefined, last, previous)).toEqual(kept);
    // A client that repeats the status changes nothing.
    expect(statusToday<Status>(lease, day(0), 'EXPIRED', last, previous)).toEqual(kept);
    const again = { status: last && last < day(0) ? 'EXPIRED' : 'ACTIVE', statusKept: false };
    expect(statusToday<Status>(lease, day(0), 'ACTIVE', last, previous)).toEqual(again);
  },
);

test('an expired row stays expired until its day changes', () => {
  const row = { status: 'EXPIRED', statusKept: false, day: day(-1) } as const;
  for (const given of [undefined, 'EXPIRED'] as const)
    expect(statusToday<Status>(lease, day(0), given, day(-1), row)).toEqual({ status: 'EXPIRED', statusKept: false });
});
