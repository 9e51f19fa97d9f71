import { expect, test } from '@jest/globals';
import { stockAfter } from '../../../src/schema/inventory/stock.ts';

/** Maximum quantity of an item. */
const most = 2_147_483_647;

test.each([
  [10, 'ADDITION', 5, 15],
  [15, 'REMOVAL', 12, 3],
  [3, 'CORRECTION', 7, 7],
  [7, 'REMOVAL', 7, 0],
  [7, 'CORRECTION', 0, 0],
  [7, 'ADDITION', 0, 7],
  [most - 1, 'ADDITION', 1, most],
  [0, 'CORRECTION', most, most],
] as const)('a stock of %d after %s of %d is %d', (stock, type, quantity, after) => {
  expect(stockAfter(stock, { type, quantity })).toBe(after);
});

/** A conflict that names these fields. */
const conflict = (details: Record<string, string>) =>
  expect.objectContaining({ extensions: { code: 'CONFLICT', status: 409, details } });

test.each([
  [3, 'REMOVAL', 4, 'is more than the 3 in stock'],
  [0, 'REMOVAL', 1, 'is more than the 0 in stock'],
  [most, 'ADDITION', 1, `would make the stock more than ${most}`],
] as const)('a stock of %d refuses %s of %d', (stock, type, quantity, detail) => {
  const adjust = (field?: string) => () => stockAfter(stock, { type, quantity }, field);
  expect(adjust()).toThrow(conflict({ quantity: detail }));
  expect(adjust('lineItems')).toThrow(conflict({ lineItems: detail }));
});
