// Fields that are stored as members of the JSON of a column: they can do what columns can.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FieldType, integer, text } from '../src/fields/index.ts';
import { buildApi, defineResource, member } from '../src/resource/index.ts';
import type { Row } from './support/client.ts';
import { parseCsv } from './support/csv.ts';
import { definitions, Samples } from './support/samples.ts';

let api: Samples;
beforeAll(async () => {
  api = await Samples.start();
});
afterAll(() => api.close());

/** The JSON that a row has in the database. */
const storedOf = async (id: unknown) =>
  (
    await api.service.database.prisma.$queryRaw<{ details: unknown }[]>`
      SELECT details FROM paints WHERE id = ${String(id)}::uuid`
  )[0]?.details;

const whole = {
  name: 'Oak',
  shelf: 3,
  supplier: "O'Neil",
  price: 12.5,
  opened: '2026-04-01',
  checked_at: '2026-04-02T08:00:00.000Z',
  sealed: true,
  brand: 'Acme',
};
const none = { shelf: null, supplier: null, price: null, opened: null, checked_at: null, sealed: null, brand: null };

describe('a field that is a member of a column', () => {
  test('is created, read and stored beside the other members', async () => {
    const row = await api.create(whole);
    expect(row).toMatchObject(whole);
    const others = ['external_source', 'external_id', 'created_at', 'updated_at'];
    expect(Object.keys(row)).toEqual(['id', ...Object.keys(whole), ...others]);
    expect((await api.ask('GET', `/api/v1/samples/${String(row['id'])}`)).json().data).toEqual(row);
    expect(await storedOf(row['id'])).toMatchObject({ shelf: 3, supplier: "O'Neil", sealed: true });
    const { sample } = await api.graphql(
      `{ sample(id: "${String(row['id'])}") { name shelf price opened checkedAt sealed } }`,
    );
    expect(sample).toEqual({
      name: 'Oak',
      shelf: 3,
      price: 12.5,
      opened: '2026-04-01',
      checkedAt: '2026-04-02T08:00:00.000Z',
      sealed: true,
    });
  });

  test('is null in rows that have none, also of before', async () => {
    const client = await api.tenant.client();
    const { row } = await client.post('/paints', { name: 'Older' });
    expect((await api.ask('GET', `/api/v1/samples/${String(row['id'])}`)).json().data).toMatchObject({
      name: 'Older',
      ...none,
    });
    await api.ask('PATCH', `/api/v1/samples/${String(row['id'])}`, { shelf: 2 });
    expect(await storedOf(row['id'])).toEqual({ shelf: 2 });
    expect(await api.create({ name: 'Bare' })).toMatchObject(none);
  });

  test('is updated, cleared and replaced; members that no field names stay', async () => {
    const { id } = await api.create(whole);
    const url = `/api/v1/samples/${String(id)}`;
    await api.service.database.prisma.$executeRaw`
      UPDATE paints SET details = details || '{"note": "kept"}' WHERE id = ${String(id)}::uuid`;
    const { headers } = await api.ask('GET', url);
    const etag = String(headers['etag']);
    const changed = await api.ask('PATCH', url, { shelf: 9, supplier: null }, { 'if-match': etag });
    expect(changed.json().data).toMatchObject({ shelf: 9, supplier: null });
    // The ETag depends on it.
    expect((await api.ask('PATCH', url, { shelf: 10 }, { 'if-match': etag })).status).toBe(412);
    expect((await api.ask('GET', url)).json().data).toMatchObject({ ...whole, shelf: 9, supplier: null });
    expect(await storedOf(id)).toMatchObject({ shelf: 9, note: 'kept' });
    const put = await api.ask('PUT', url, { name: 'Ash', price: 1.25 });
    expect(put.json().data).toMatchObject({ ...none, name: 'Ash', price: 1.25 });
    expect(await storedOf(id)).toMatchObject({ shelf: null, note: 'kept' });
  });

  test('is checked by its type, limits and rule', async () => {
    const wrong = { name: 'X', shelf: 0, supplier: 'x'.repeat(21), price: 1.001, opened: 'soon' };
    const answer = await api.ask('POST', '/api/v1/samples', wrong);
    expect(answer.status).toBe(422);
    expect(answer.json().error['details']).toEqual({
      shelf: 'must be at least 1',
      supplier: 'must be at most 20 characters',
      price: 'must have at most 2 decimal places',
      opened: expect.stringContaining('must be'),
    });
  });
});

test('many rows are written by one statement', async () => {
  const { prisma, writerOf } = api.service.database;
  const writer = writerOf(buildApi(definitions).storage.models);
  const companyId = api.tenant.company.id;
  const rows = await writer.createMany('Paint', [
    { companyId, name: 'First', shelf: 1, sealed: true },
    { companyId, name: 'Second' },
  ]);
  expect(rows).toMatchObject([
    { shelf: 1, sealed: true, supplier: null },
    { shelf: null, sealed: null },
  ]);
  api.service.statements.length = 0;
  const updated = await writer.updateMany(
    'Paint',
    rows.map(({ id }, n) => ({ key: { companyId, id }, data: { shelf: n + 5, supplier: 'Red' } })),
  );
  expect(api.service.statements.length).toBeLessThanOrEqual(1);
  expect(new Map(updated.map(({ name, ...row }) => [name, row]))).toMatchObject(
    new Map([
      ['First', expect.objectContaining({ shelf: 5, sealed: true, supplier: 'Red' })],
      ['Second', expect.objectContaining({ shelf: 6, sealed: null, supplier: 'Red' })],
    ]),
  );
  await prisma.paint.deleteMany({ where: { name: { in: ['First', 'Second'] } } });
});

describe('rows', () => {
  beforeAll(async () => {
    await api.service.database.prisma.$executeRaw`DELETE FROM paints`;
    const rows = [
      { name: 'A', shelf: 10, supplier: 'Blue', price: 2, opened: '2026-01-05' },
      { name: 'B', shelf: 9, supplier: 'blue', price: 3.5, opened: '2026-02-05' },
      { name: 'C', shelf: 10, supplier: 'Red', price: 0.25, opened: '2026-02-06' },
      { name: 'D' },
    ];
    for (const row of rows) await api.create(row);
  });
  const namesAt = async (query: string) =>
    (await api.ask('GET', `/api/v1/samples?${query}`)).json().data.map(({ name }) => name);

  test('are filtered by it', async () => {
    expect(await namesAt('shelf=10&sort=name&order=asc')).toEqual(['A', 'C']);
    expect(await namesAt('shelf[gte]=10&sort=name&order=asc')).toEqual(['A', 'C']);
    expect(await namesAt('shelf[ne]=10&sort=name&order=asc')).toEqual(['B', 'D']);
    expect(await namesAt('shelf[in]=9,10&sort=name&order=asc')).toEqual(['A', 'B', 'C']);
    expect(await namesAt('shelf[is_null]=true')).toEqual(['D']);
    expect(await namesAt('supplier[contains]=BLU&sort=name&order=asc')).toEqual(['A', 'B']);
    expect(await namesAt('price[lt]=3&sort=name&order=asc')).toEqual(['A', 'C']);
    expect(await namesAt('opened[gte]=2026-02-01&sort=name&order=asc')).toEqual(['B', 'C']);
    expect(await namesAt('search=blue&sort=name&order=asc')).toEqual(['A', 'B']);
  });

  test('are sorted by it, page by page, numbers as numbers and unset values last', async () => {
    expect(await namesAt('sort=shelf,name')).toEqual(['B', 'A', 'C', 'D']);
    expect(await namesAt('sort=-shelf,name')).toEqual(['A', 'C', 'B', 'D']);
    expect(await namesAt('sort=supplier&order=asc')).toEqual(['B', 'A', 'C', 'D']);
    const seen: unknown[] = [];
    let after = '';
    for (let page = 0; page < 4; page++) {
      const { samples } = await api.graphql(
        `{ samples(first: 1, orderBy: [{ field: SHELF }, { field: NAME }]${after}) { nodes { name } pageInfo { endCursor } } }`,
      );
      const { nodes, pageInfo } = samples as { nodes: Row[]; pageInfo: Row };
      seen.push(nodes[0]?.['name']);
      after = `, after: "${String(pageInfo['endCursor'])}"`;
    }
    expect(seen).toEqual(['B', 'A', 'C', 'D']);
  });

  test('are grouped by it and measured', async () => {
    const { samples } = await api.graphql(`{
      samples { aggregates(orderBy: [{ field: "count", direction: DESC }, { field: "price.max" }]) {
        key { opened { month } } count price { sum max } shelf { min } opened { max }
      } }
    }`);
    expect(samples).toEqual({
      aggregates: [
        {
          key: { opened: { month: '2026-02-01' } },
          count: 2,
          price: { sum: 3.75, max: 3.5 },
          shelf: { min: 9 },
          opened: { max: '2026-02-06' },
        },
        {
          key: { opened: { month: '2026-01-01' } },
          count: 1,
          price: { sum: 2, max: 2 },
          shelf: { min: 10 },
          opened: { max: '2026-01-05' },
        },
        {
          key: { opened: { month: null } },
          count: 1,
          price: { sum: null, max: null },
          shelf: { min: null },
          opened: { max: null },
        },
      ],
    });
    const { samples: bySupplier } = await api.graphql(`{
      samples { aggregates(orderBy: [{ field: "key.supplier" }]) { key { supplier } countDistinct(of: SHELF) } }
    }`);
    expect(bySupplier).toEqual({
      aggregates: [
        { key: { supplier: 'blue' }, countDistinct: 1 },
        { key: { supplier: 'Blue' }, countDistinct: 1 },
        { key: { supplier: 'Red' }, countDistinct: 1 },
        { key: { supplier: null }, countDistinct: 0 },
      ],
    });
  });

  test('have it in CSV', async () => {
    const { text: csv } = await api.ask('GET', '/api/v1/samples?sort=name&order=asc', undefined, {
      accept: 'text/csv',
    });
    const [header = [], ...records] = parseCsv(csv);
    const columnAt = (name: string) => records.map((record) => record[header.indexOf(name)]);
    expect(columnAt('shelf')).toEqual(['10', '9', '10', '']);
    expect(columnAt('price')).toEqual(['2', '3.5', '0.25', '']);
  });
});

test('resources of one model store a field in the same place', () => {
  const other = (type: FieldType, path: '/others' | '/more') =>
    defineResource('Paint', {
      scope: 'paint',
      fields: { name: {}, shelf: member('details', type) },
      graphql: { type: path === '/others' ? 'Other' : 'More' },
      rest: { path },
    });
  expect(buildApi([...definitions, other(integer, '/others')]).storage.models('Paint').fields['shelf']?.type).toBe(
    integer,
  );
  expect(() => buildApi([...definitions, other(text, '/more')])).toThrow('More.shelf is stored otherwise');
});

test('a definition cannot store a column elsewhere', () => {
  expect(() =>
    defineResource('Paint', {
      scope: 'paint',
      // @ts-expect-error -- A column has the policies of columns.
      fields: { name: member('details', text) },
      rest: { path: '/samples' },
    }),
  ).toThrow('Paint.name is a column');
});
