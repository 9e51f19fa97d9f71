import { expect, test } from '@jest/globals';
import { Prisma } from '../../../src/database/generated/client/client.ts';
import { resolveTotal, validateTotal } from '../../../src/schema/procurement/total.ts';

const { Decimal } = Prisma;
const line = (quantity?: string, unitPrice?: string) => ({
  quantity: quantity === undefined ? null : new Decimal(quantity),
  unitPrice: unitPrice === undefined ? null : new Decimal(unitPrice),
});
const stored = async () => [line('2', '1.10')];
const total = (amount: string) => ({ totalAmount: new Decimal(amount) });

test.each([
  ['the sum of the lines', { lineItems: [line('3', '0.10'), line('1', '0.05')] }, '0.35'],
  ['the sum of the stored lines, when it is cleared', { totalAmount: null }, '2.2'],
  ['rounded to four decimals', { lineItems: [line('0.333', '0.111')] }, '0.037'],
  ['of the lines with a price alone', { lineItems: [line('3', '0.10'), line('1')] }, '0.3'],
  ['as given', { ...total('7'), lineItems: [line('1')] }, '7'],
])('a total is %s', async (_, data, expected) => {
  expect(await resolveTotal<Parameters<typeof resolveTotal>[0]>(data, stored)).toMatchObject(total(expected));
});

test('a total is unknown while no line has a price', async () => {
  expect(await resolveTotal({ lineItems: [line('1')] }, stored)).toMatchObject({ totalAmount: null });
});

test('a write of neither total nor lines changes no total', async () => {
  expect(await resolveTotal({}, stored)).toEqual({});
});

test.each([
  [{ ...total('2.2') }, {}],
  [{ ...total('2.21') }, { totalAmount: 'differs from the sum of the lines, 2.2' }],
  [{ ...total('2.21'), lineItems: [line('2', '1.10'), line('1')] }, {}],
  [
    { lineItems: [line('10000000000', '100')] },
    { totalAmount: 'would be 1000000000000, the sum of the lines, and must be less than 1000000000000' },
  ],
])('a total must be the sum of lines that all have a price: %#', async (data, errors) => {
  expect(await validateTotal(data, stored, {}, true)).toEqual(errors);
});

test('a total that differs from stored lines does not tell their sum to those who may not read them', async () => {
  expect(await validateTotal(total('2.21'), stored, {}, false)).toEqual({
    totalAmount: 'differs from the sum of the lines',
  });
});

test('a total is not checked if a line is invalid', async () => {
  expect(await validateTotal(total('9'), stored, { 'lineItems.0.quantity': 'must be positive' }, true)).toEqual({});
});
