// Values that contain commas and quotes, in every parameter that takes several.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  for (const company_name of ['Foo, Inc.', 'Foo', 'Inc.', 'The "Bar", Ltd.', '12" Records', '"Quoted"'])
    await client.post('/vendors', { company_name });
  const { row } = await client.post('/locations/buildings', { name: 'East, wing', code: 'EW' });
  await client.post('/service-requests', { title: 'In the wing', building_id: row['id'] });
  await client.post('/service-requests', { title: 'Elsewhere', priority: 'urgent' });
});
afterAll(() => service.close());

async function find(path: string, column: string, query: Record<string, unknown>) {
  const { rows } = await client.get(path, { sort: column, order: 'asc', ...query });
  return rows.map((row) => row[column]);
}

const vendors = (query: Record<string, unknown>) => find('/vendors', 'company_name', query);
const requests = (query: Record<string, unknown>) => find('/service-requests', 'title', query);

test.each<[value: unknown, found: string[]]>([
  ['"Foo, Inc."', ['Foo, Inc.']],
  ['Foo, Inc.', ['Foo', 'Inc.']],
  [' "Foo, Inc." , Foo,"12"" Records"', ['12" Records', 'Foo', 'Foo, Inc.']],
  [
    ['"Foo, Inc."', '"The ""Bar"", Ltd."'],
    ['Foo, Inc.', 'The "Bar", Ltd.'],
  ],
  // Quotes inside a value belong to it.
  ['12" Records', ['12" Records']],
  ['"""Quoted"""', ['"Quoted"']],
])('%j separates values at the commas outside of quotes', async (value, found) => {
  expect(await vendors({ company_name: value })).toEqual(found);
  expect(await vendors({ 'company_name[in]': value })).toEqual(found);
  const others = (await vendors({})).filter((name) => !found.includes(String(name)));
  expect(await vendors({ 'company_name[not_in]': value })).toEqual(others);
});

test('operators that take one value take it as it is', async () => {
  expect(await vendors({ 'company_name[eq]': 'Foo, Inc.' })).toEqual(['Foo, Inc.']);
  expect(await vendors({ 'company_name[eq]': '"Quoted"' })).toEqual(['"Quoted"']);
  expect(await vendors({ 'company_name[contains]': ', ' })).toEqual(['Foo, Inc.', 'The "Bar", Ltd.']);
  expect(await vendors({ 'company_name[ne]': 'Foo, Inc.' })).toHaveLength(5);
});

test('values of related rows, enums, ids and times can be quoted too', async () => {
  expect(await requests({ 'building[name]': '"East, wing",West' })).toEqual(['In the wing']);
  expect(await requests({ priority: '"urgent", "low"' })).toEqual(['Elsewhere']);
  expect(await requests({ 'priority[not_in]': '"urgent"' })).toEqual(['In the wing']);
  const [row] = (await client.get('/service-requests', { title: 'Elsewhere' })).rows;
  expect(await requests({ id: `"${String(row?.['id'])}"` })).toEqual(['Elsewhere']);
  expect(await requests({ created_at: `"${String(row?.['created_at'])}"` })).toEqual(['Elsewhere']);
});

test('the names of sub-resources can be quoted', async () => {
  const { rows } = await client.get('/service-requests', { include: '"comments", "watchers"', limit: 1 });
  expect(rows[0]).toMatchObject({ comments: [], watchers: [] });
});

describe('mistakes', () => {
  const closing = 'must have a closing quote at the end of a quoted value';
  const hint = (literal: string) => `; commas separate values here, ${literal} takes one as it is`;

  test.each([
    ['/vendors', 'company_name', 'company_name[eq]'],
    ['/vendors', 'company_name[in]', 'company_name[eq]'],
    ['/vendors', 'company_name[not_in]', 'company_name[ne]'],
    ['/service-requests', 'building[name]', 'filter={"building":{"name":{"eq":"…"}}}'],
    ['/service-requests', 'priority', 'priority[eq]'],
    ['/training', 'category', 'training_type[eq]'],
  ])('a quote that %s?%s does not close is 400 and names %s', async (path, parameter, literal) => {
    for (const value of ['"Foo, Inc.', '"Foo" Inc.', 'Foo,"', ['Foo', '"Foo']])
      expect(await client.get(path, { [parameter]: value })).toMatchObject({
        status: 400,
        error: { code: 'BAD_REQUEST', message: `${parameter}: ${closing}${hint(literal)}` },
      });
  });

  test.each([
    ['"comments', closing],
    ['comments,"', closing],
    ['"comments,watchers"', 'must be any of '],
  ])('include=%s is 400', async (include, message) => {
    const reply = await client.get('/service-requests', { include });
    expect(reply.status).toBe(400);
    expect(reply.error.message.startsWith(`include: ${message}`)).toBe(true);
  });

  test('an error in a value that a comma ended names the operator that takes one value', async () => {
    const message = async (query: Record<string, unknown>) => (await client.get('/vendors', query)).error.message;
    const many = Array(1001).fill('a').join(',');
    expect(await message({ company_name: many })).toBe(
      `company_name: must have at most 1000 values${hint('company_name[eq]')}`,
    );
    expect(await message({ created_at: 'Mon, 2 Mar 2026' })).toMatch(
      /^created_at: .+; commas separate .+ created_at\[eq\]/,
    );
    expect(await message({ created_at: 'Monday' })).not.toContain('commas');
  });
});
