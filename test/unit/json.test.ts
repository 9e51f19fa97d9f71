import { expect, test } from '@jest/globals';
import { ExactNumber, parseJson, readNumber, stringifyJson } from '../../src/json.ts';

/** Numbers that no double has. */
const inexact = [
  '549755813888.0003',
  '4.75000000000000000000001',
  '1e-400',
  '12345678901234567890',
  '-0.12345678901234567',
  '1e400',
];
/** Other notations of doubles. */
const doubles = ['0', '-0', '1e2', '1E+2', '4.750', '0.30000000000000004', '5.00000000000000000000', '1e21', '1.5e-7'];

test.each(inexact)('%s keeps its digits', (text) => {
  for (const json of [text, `[${text}]`, `{"a":${text}}`, `{"a" : [1, ${text} ]}`]) {
    const parsed = parseJson(json);
    expect(stringifyJson(parsed)).toBe(json.replaceAll(' ', ''));
    expect(JSON.stringify(parsed)).not.toBe(json);
  }
  expect(readNumber(text)).toEqual(new ExactNumber(text));
});

test.each(doubles)('%s is a double', (text) => {
  expect(parseJson(`[${text}]`)).toEqual([Number(text)]);
  expect(readNumber(text)).toBe(Number(text));
});

test('texts are left alone, whatever they contain', () => {
  const texts = [
    '1e-400',
    ': 12345678901234567890',
    '\\": 1e-400,',
    '\\\\',
    '[1e5]',
    '"',
    '\u0000',
    '123e4567-e89b-12d3-a456-426614174000',
  ];
  for (const text of texts) {
    const value = { [text]: text, n: [text, 1] };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(parseJson(`[${JSON.stringify(value)}, 1e-400]`)).toEqual([value, new ExactNumber('1e-400')]);
    expect(JSON.parse(stringifyJson([value, new ExactNumber('1e2')]))).toEqual([value, 100]);
  }
  expect(() => parseJson('[1e-400')).toThrow();
  expect(() => parseJson('[01e-400]')).toThrow();
  expect(Object.keys(parseJson('{"__proto__": 1e-400}') as object)).toEqual(['__proto__']);
});

test('what is long is read in time', () => {
  const long = '1'.repeat(500_000);
  const texts = [
    `[${long}]`,
    `[0.${'0'.repeat(500_000)}1]`,
    `["${'\\"'.repeat(250_000)}", 1e-400]`,
    `[${'1e-400,'.repeat(40_000)}0]`,
  ];
  const start = performance.now();
  for (const text of texts)
    expect(stringifyJson(parseJson(text))).toHaveLength(text.length - (text.includes(', ') ? 1 : 0));
  expect(performance.now() - start).toBeLessThan(3000);
  expect((readNumber(long) as ExactNumber).isTooLong).toBe(true);
});
