import { describe, expect, test } from '@jest/globals';
import { Prisma } from '../../../src/database/generated/client/client.ts';
import { columnField, type StoredField } from '../../../src/database/stored-field.ts';
import { boolean, decimal, type FieldType, type Limits, type Rule, text, uuid } from '../../../src/fields/index.ts';
import { isUuid } from '../../../src/formats.ts';
import { checkValue, rules } from '../../../src/resource/index.ts';

const fault = (rule: Rule, value: unknown) => rule(value as never);

describe('an email address', () => {
  test.each([
    'a@example.com',
    'ann.lee+desk@mail.example.co.uk',
    "o'neil@example.com",
    'A@EXAMPLE.COM',
    '1@2.example',
    'a@ex-ample.com',
  ])('may be %s', (text) => expect(fault(rules.email, text)).toBeUndefined());

  test.each([
    '',
    'a',
    'a@',
    '@example.com',
    'a@localhost',
    'a@example.',
    'a@.com',
    'a..b@example.com',
    '.a@example.com',
    'a b@example.com',
    'a@exa mple.com',
    'a@-example.com',
    'ä@example.com',
    'a@exämple.com',
    'a@example.com,b@example.com',
    'Ann <a@example.com>',
    'a@example.com\n',
  ])('may not be %j', (text) => expect(fault(rules.email, text)).toBe('must be an email address'));

  test('has at most 64 characters before the @', () => {
    expect(fault(rules.email, `${'a'.repeat(64)}@b.example`)).toBeUndefined();
    expect(fault(rules.email, `${'a'.repeat(65)}@b.example`)).toBe('must have at most 64 characters before the @');
  });
});

describe('a URL', () => {
  test.each([
    'http://example.com',
    'https://example.com/a?b=c#d',
    'HTTPS://EXAMPLE.COM',
    'http://localhost:8080/',
    'https://ann:secret@example.com/',
    'http://[::1]:3000/x',
    'https://bücher.example/ä',
    'https://example.com/{id}|"x"',
  ])('may be %s', (text) => expect(fault(rules.url, text)).toBeUndefined());

  test.each([
    '',
    'example.com',
    'ftp://example.com/1',
    'javascript:alert(1)',
    'http:/example.com',
    'http://',
    'https:///path',
    'https://example.com/a b',
    'https://exa mple.com',
    'https://example.com:123456',
    ' https://example.com',
    'https://example.com/\u0000',
    'x https://example.com',
  ])('may not be %j', (text) => expect(fault(rules.url, text)).toBe('must be an http or https URL'));
});

describe('an IP address', () => {
  test.each(['10.0.0.1', '255.255.255.255', '::1', '2001:db8::8a2e:370:7334', '::ffff:10.0.0.1'])('may be %s', (text) =>
    expect(fault(rules.ip, text)).toBeUndefined(),
  );

  test.each(['', '10.0.0', '10.0.0.256', '10.0.0.1/8', ':::1', '2001:db8::g', 'localhost'])('may not be %j', (text) =>
    expect(fault(rules.ip, text)).toBe('must be an IP address'),
  );
});

describe('a color', () => {
  test.each(['#0a8', '#00AA88'])('may be %s', (text) => expect(fault(rules.color, text)).toBeUndefined());
  test.each(['', '0a8', '#0a', '#0a88', '#00aa8', '#00aa881', '#ggg', 'red', '#0a8 '])('may not be %j', (text) =>
    expect(fault(rules.color, text)).toMatch(/^must be a hex color/),
  );
});

test('between includes both limits', () => {
  const rule = rules.between(-90, 90);
  for (const value of [-90, 0, 90]) expect(fault(rule, new Prisma.Decimal(value))).toBeUndefined();
  // The nearest double of the last one is the limit.
  for (const value of ['-90.0001', '90.0001', '90.000000000000000000001'])
    expect(fault(rule, new Prisma.Decimal(value))).toBe('must be between -90 and 90');
});

test('over excludes the lower limit', () => {
  const rule = rules.over(0, 24);
  for (const value of ['1e-400', '24']) expect(fault(rule, new Prisma.Decimal(value))).toBeUndefined();
  for (const value of ['0', '-1', '24.000000000000000000001'])
    expect(fault(rule, new Prisma.Decimal(value))).toBe('must be over 0 and at most 24');
});

test('a uuid has dashes, and letters in any case', () => {
  for (const text of ['01890000-0000-7000-8000-00000000abcd', '01890000-0000-7000-8000-00000000ABCD'])
    expect(isUuid(text)).toBe(true);
  for (const value of [
    '',
    '0189000000007000800000000000abcd',
    '{01890000-0000-7000-8000-00000000abcd}',
    '01890000-0000-7000-8000-00000000abcg',
    '01890000-0000-7000-8000-00000000abcd\n',
    7,
    null,
    undefined,
  ])
    expect([value, isUuid(value)]).toEqual([value, false]);
});

describe('a value of a column', () => {
  const column = ({ type = text, ...limits }: { type?: FieldType } & Partial<Limits>): StoredField =>
    columnField(
      {
        ...{ model: 'Paint', name: 'column', type, itemType: type },
        ...{ list: false, required: false, hasDefault: false },
        ...limits,
      },
      'column',
    );
  const name = column({ maxLength: 5 });
  const required = column({ required: true });
  const hours = column({ type: decimal, precision: 6, scale: 4 });
  const id = column({ type: uuid });

  test.each<[string, unknown, StoredField, unknown]>([
    ['text without the spaces around it', ' \n\tabc ', name, 'abc'],
    ['unset text as null', '  ', name, null],
    ['null as null', null, name, null],
    ['text as long as it may be', 'xxxxx', name, 'xxxxx'],
    ['characters outside the basic plane as one each', '𝄞𝄞𝄞𝄞𝄞', name, '𝄞𝄞𝄞𝄞𝄞'],
    [
      "a uuid in the database's spelling",
      ' 01890000-0000-7000-8000-00000000ABCD',
      id,
      `01890000-0000-7000-8000-00000000abcd`,
    ],
    ['a boolean', false, column({ type: boolean }), false],
  ])('is %s', (_, given, facts, value) => {
    expect(checkValue(given, facts)).toEqual({ value });
  });

  test.each([
    [1.2345, '1.2345'],
    [0.1 + 0.2, '0.3'],
    [99.9999, '99.9999'],
  ])('is a decimal without the error of a binary fraction: %d is %s', (given, expected) => {
    const checked = checkValue(given, hours);
    expect('value' in checked && String(checked.value)).toBe(expected);
  });

  test.each<[string, unknown, StoredField, string]>([
    ['null where it must be set', null, required, 'must not be null'],
    ['spaces where it must be set', ' \t ', required, 'must not be empty'],
    ['longer text', 'xxxxxx', name, 'must be at most 5 characters'],
    ['more characters outside the basic plane', '𝄞𝄞𝄞𝄞𝄞𝄞', name, 'must be at most 5 characters'],
    ['long text', 'x'.repeat(20_001), column({}), 'must be at most 20000 characters'],
    ['NUL', 'a\0b', name, 'must not contain NUL'],
    ['half a surrogate pair', 'a\ud800b', name, 'must be well-formed Unicode'],
    ['another text for a uuid', 'x', id, 'must be a uuid'],
    ['a negative number', -1, hours, 'must not be negative'],
    ['more decimal places', 1.23456, hours, 'must have at most 4 decimal places'],
    [
      'decimal places as small as the error of a binary fraction',
      549755813888.0001,
      column({ type: decimal, precision: 14, scale: 2 }),
      'must have at most 2 decimal places',
    ],
    ['more digits', 100, hours, 'must be less than 100'],
  ])('may not be %s', (_, given, facts, message) => {
    expect(checkValue(given, facts)).toEqual({ error: message });
  });

  test('is checked by its rule rather than its sign, before its size', () => {
    const latitude = rules.between(-90, 90);
    expect(checkValue(-33.5, hours, latitude)).toHaveProperty('value');
    expect(checkValue(1000, hours, latitude)).toEqual({ error: 'must be between -90 and 90' });
    expect(checkValue('a\0', name, rules.color)).toEqual({ error: 'must not contain NUL' });
    expect(checkValue(' ', name, rules.color)).toEqual({ value: null });
  });
});
