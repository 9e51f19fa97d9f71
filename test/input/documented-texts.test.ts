import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonSchema, OpenapiDocument } from '../../src/rest/openapi/types.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
let document: OpenapiDocument;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  document = (await client.get('/openapi.json')).json as unknown as OpenapiDocument;
});
afterAll(() => service.close());

const ajv = formats.default(new Ajv2020({ strict: false }));
const properties = () =>
  Object.entries(document.components.schemas)
    .filter(([name]) => name.endsWith('Input'))
    .flatMap(([, { properties = {} }]) => Object.entries(properties as Record<string, JsonSchema>));
const named = (name: string) =>
  properties()
    .filter(([property]) => property === name)
    .map(([, schema]) => ({ ...schema, examples: undefined }));

// What the OpenAPI document allows, the service accepts.
test.each<[string, boolean, string[]]>([
  ['email', true, ['a@b.co', "o'neil+tag@ex-ample.co.uk", '!#$%&*/=?^_`{|}~a@example.com', 'a/b@c.de', '1@1.a0', '']],
  ['email', false, ['a@b', 'a b@c.de', '@', 'a@', '.a@b.co', 'a..b@b.co', 'a@b@c.de', 'a@-b.co', 'ä@b.co', 'a@b..co']],
  ['guest_email', false, ['', 'a@b']],
  [
    'file_url',
    true,
    [
      'http://a',
      'HTTPS://EXAMPLE.COM/%C3%A9?b=c#d',
      'http://localhost:8080/',
      'https://[::1]/x',
      'http://a/ä?filter[b]=1',
      'https://münchen.example/',
      'https://ann:key@a.b/',
      '',
    ],
  ],
  [
    'file_url',
    false,
    [
      'ftp://a.b/',
      'http:a',
      'http://',
      'http:///a',
      'example.com',
      '//a.b',
      'javascript:alert(1)',
      'http://a b/',
      'http://a/b c',
      'http://a\u0000',
    ],
  ],
  ['ip_address', true, ['127.0.0.1', '::1', '2001:db8::8:800:200c:417a', '']],
  ['ip_address', false, ['256.1.1.1', '1.2.3', '1.2.3.4/8', ':::', 'x']],
  ['color', true, ['#0a8', '#00AA88', '']],
  ['color', false, ['#12', 'red', '#12345']],
])('%s: %s for %j', async (name, valid, texts) => {
  for (const schema of named(name)) expect(texts.filter((text) => ajv.validate(schema, text) !== valid)).toEqual([]);
  for (const text of texts) {
    // The unknown field prevents a create.
    const { details } = await client.post(pathOfField[name] ?? '', { [name]: text, nonsense: 1 });
    expect([text, details[name] === undefined]).toEqual([text, valid]);
  }
});

test.each<[boolean, string[]]>([
  [
    true,
    [
      '1900-01-01',
      '2199-12-31',
      '2024-02-29',
      '2000-02-29',
      '2026-04-30T23:59:59.999999999Z',
      '2026-01-31t09:30:00,5z',
      '2026-01-31T09:30',
      '2026-01-31T09:30-0530',
      '2026-01-31T24:00:00+14:59',
    ],
  ],
  [
    false,
    [
      '0000-01-01',
      '2026-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-01-31T25:00Z',
      '2026-01-31T24:01Z',
      '2026-01-31T10:60Z',
      '2026-01-31T23:59:60Z',
      '2026-01-31 09:30Z',
      '2026-01-31T09:30+15:00',
      '',
    ],
  ],
])('a timestamp: %s for %j', async (valid, texts) => {
  expect(
    texts.filter((text) => ajv.validate(document.components.schemas['Timestamp'] ?? false, text) !== valid),
  ).toEqual([]);
  for (const text of texts) {
    expect([text, (await client.get('/paints', { created_after: text })).status]).toEqual([text, valid ? 200 : 400]);
    expect([
      text,
      (await client.post('/reminders', { due_date: text, nonsense: 1 })).details['due_date'] === undefined,
    ]).toEqual([text, valid]);
  }
});

test.each(['0001-01-01', '1899-12-31', '2200-01-01', '9999-12-31'])('%s can be a filter, not stored', async (text) => {
  expect(ajv.validate(document.components.schemas['Timestamp'] ?? false, text)).toBe(false);
  expect((await client.post('/reminders', { due_date: text, nonsense: 1 })).details['due_date']).toMatch(/^must be/);
  expect((await client.get('/paints', { created_after: text })).status).toBe(200);
});

test('no text may contain NUL, and no required text may be blank', () => {
  const texts = properties()
    .filter(([, { type }]) => [type].flat().includes('string'))
    .map(([name, schema]) => [name, { ...schema, examples: undefined }] as const);
  expect(texts.length).toBeGreaterThan(300);
  for (const [name, schema] of texts) {
    expect([name, ajv.validate(schema, 'a\0b')]).toEqual([name, false]);
    if ('minLength' in schema) expect([name, ajv.validate(schema, ' \t ')]).toEqual([name, false]);
  }
});

/** A path whose POST accepts the field. */
const pathOfField: Record<string, string> = {
  email: '/vendors',
  guest_email: '/public/expected-packages',
  file_url: '/documents',
  ip_address: '/hr/acknowledgments',
  color: '/notes/categories',
};
