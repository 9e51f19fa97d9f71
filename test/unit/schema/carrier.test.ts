import { expect, test } from '@jest/globals';
import { detectCarrier } from '../../../src/schema/mailroom/carrier.ts';

// Examples published by the carriers, with valid check digits.
test.each([
  ['1Z5R89390357567127', 'UPS'],
  ['1z5r89390357567127', 'UPS'],
  ['1Z 5R8 939 03 5756 7127', 'UPS'],
  ['986578788855', 'FedEx'],
  ['9400111202555842332669', 'USPS'],
  ['3318810025', 'DHL'],
  ['C11031500001879', 'OnTrac'],
  ['TBA010000000000', 'Amazon'],
  ['RB123456785US', 'USPS'],
  ['RB123456785GB', 'Royal Mail Group plc'],
])('%s is a number of %s', (number, carrier) => {
  expect(detectCarrier(number)).toBe(carrier);
});

test.each([
  ['a wrong check digit of UPS', '1Z5R89390357567128'],
  ['a wrong check digit of FedEx', '986578788856'],
  ['a wrong check digit of the postal union', 'RB123456786US'],
  ['words', 'Box 7'],
  ['a part of a number', '1Z'],
  ['a long text', 'x'.repeat(500)],
  ['an empty text', ''],
  ['null', null],
  ['nothing', undefined],
])('%s is the number of no known carrier', (_, number) => {
  expect(detectCarrier(number)).toBeNull();
});
