import { expect, test } from '@jest/globals';
import { roundMinutes } from '../../../src/schema/time-clock/rules.ts';

const clockInTime = new Date('2026-03-02T08:00:00Z');
const after = (seconds: number) => new Date(clockInTime.getTime() + seconds * 1000);

test.each([
  [0, 0, 0],
  [29, 1, 0],
  [30, 1, 1],
  [90, 0, 2],
  [7 * 60 + 29, 15, 0],
  [7 * 60 + 30, 15, 15],
  [8 * 3600 + 4 * 60, 15, 480],
  [8 * 3600 + 29 * 60 + 59, 60, 480],
  [8 * 3600 + 30 * 60, 60, 540],
])('%d seconds, rounded to %d minutes, are %d minutes', (seconds, step, minutes) => {
  expect(roundMinutes({ clockInTime, clockOutTime: after(seconds) }, step)).toBe(minutes);
});

test('an open record has none', () => {
  expect(roundMinutes({ clockInTime, clockOutTime: null }, 15)).toBeNull();
  expect(roundMinutes({ clockInTime }, 15)).toBeNull();
});
