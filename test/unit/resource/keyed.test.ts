// The condition that finds rows by many keys at once.
import { expect, test } from '@jest/globals';
import { hasAnyKey } from '../../../src/resource/index.ts';

test('keys of one column are a list of its values', () => {
  expect(hasAnyKey([{ sku: 'A' }, { sku: 'B' }])).toEqual({ OR: [{ sku: { in: ['A', 'B'] } }] });
});

test('keys of several columns are a list of the one that has most values, for each of the others', () => {
  const keys = [
    { externalSource: 'sap', externalId: '1' },
    { externalSource: 'crm', externalId: '1' },
    { externalSource: 'sap', externalId: '2' },
    { externalSource: 'sap', externalId: '3' },
  ];
  expect(hasAnyKey(keys)).toEqual({
    OR: [
      { externalSource: 'sap', externalId: { in: ['1', '2', '3'] } },
      { externalSource: 'crm', externalId: { in: ['1'] } },
    ],
  });
});

test('keys of different columns are apart, and days are compared as days', () => {
  const days = ['2026-01-01', '2026-01-02'].map((day) => new Date(day));
  const keys = [{ id: 'a' }, { place: 1, day: days[0] }, { place: 2, day: days[0] }, { place: 2, day: days[1] }];
  expect(hasAnyKey(keys)).toEqual({
    OR: [{ id: { in: ['a'] } }, { day: days[0], place: { in: [1, 2] } }, { day: days[1], place: { in: [2] } }],
  });
});

test('no keys have no rows', () => {
  expect(hasAnyKey([])).toEqual({ OR: [] });
});
