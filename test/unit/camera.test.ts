// Which codes that a camera sees are scans.
import { expect, test } from '@jest/globals';
import { CodeFilter } from '../../web/src/places/mailroom/camera.ts';

test('a code is scanned once it was seen twice in a row, and again when it has been out of sight', () => {
  const filter = new CodeFilter();
  expect(filter.take(['A'], 0)).toEqual([]);
  expect(filter.take([], 100)).toEqual([]);
  expect(filter.take(['A'], 200)).toEqual([]);
  expect(filter.take(['A', ' '], 300)).toEqual(['A']);
  for (let now = 400; now < 9000; now += 100) expect(filter.take(['A'], now)).toEqual([]);
  // Another one beside it.
  expect(filter.take(['A', 'B'], 9000)).toEqual([]);
  expect(filter.take(['B'], 9100)).toEqual(['B']);
  expect(filter.take(['A'], 13_000)).toEqual([]);
  expect(filter.take(['A'], 13_100)).toEqual(['A']);
});
