import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import {
  collectionsWith,
  type Field,
  filterFields,
  restValuesOf,
  rootField,
  rowType,
  searchFields,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
/** The company of most lists. */
let shared: Rows;
beforeAll(async () => {
  service = await startService();
  shared = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

const never: Record<string, unknown> = {
  ID: '01890000-ffff-7000-8000-000000000000',
  Int: 2_147_483_647,
  Float: 98.5,
  String: 'no such text',
  Date: '1999-12-31',
  DateTime: '1999-12-31T00:00:00Z',
};
const unreadable: Record<string, string[]> = {
  ID: ['x', '', '0189', '01890000-0000-7000-8000-00000000000g'],
  Int: ['one', '', '1.5', '2147483648', '-2147483649'],
  Float: ['one', '', '1,5x', '9'.repeat(400), '1e400', 'e5'],
  Boolean: ['yes', '', '1'],
  String: ['a\0b'],
  Date: ['2026-02-30', '', '2026-3-1', '2026-03-01T00:00:00Z'],
  DateTime: ['2026-02-30', '', 'yesterday', '2026-01-01T25:00:00Z'],
};

/** A value that no row has; undefined if rows have every value. */
function absent({ type, rest }: Field, all: Row[]): unknown {
  if (type.name in never) return never[type.name];
  const members = type.name === 'Boolean' ? [true, false] : restValuesOf(type);
  return members.find((member) => all.every((row) => row[rest] !== member));
}
/** Invalid values of a field of this type. */
const wrong = ({ type }: Field) => unreadable[type.name] ?? ['nonsense', '', 'PENDING'];

/** The types of the lists before, whose rows may not be in the same company twice, as some values are unique. */
const seen = new Set<string>();

describe.each(collectionsWith('list'))('GET %s', (place, collection) => {
  const list = rootField(collection.on.list?.operation.field ?? '');
  const filters = filterFields(list);
  const searched = searchFields(list);
  let rows: Rows;
  let path: string;
  let all: Row[];

  const get = (query: Row) => rows.client.get(path, { limit: 100, ...query });
  /** Requests the rows for which `expected` is true. @returns their number */
  async function check(query: Row, expected: (row: Row) => boolean): Promise<number> {
    const matching = all
      .filter(expected)
      .map(({ id }) => id)
      .sort();
    const reply = await get(query);
    const found = reply.status === 200 ? reply.rows.map(({ id }) => id).sort() : reply.text;
    expect({ query, found, total: reply.meta.total }).toEqual({ query, found: matching, total: matching.length });
    return matching.length;
  }
  const refused = async (name: string, value: unknown) =>
    expect({ value, reply: await get({ [name]: value }) }).toMatchObject({
      value,
      reply: { status: 400, error: { code: 'BAD_REQUEST', message: expect.stringContaining(name) } },
    });

  beforeAll(async () => {
    const { type = '' } = collection.on.list?.operation ?? {};
    rows = seen.has(type) ? await Rows.of(service, await service.tenant()) : shared;
    seen.add(type);
    path = fill(collection.path, await rows.parents(collection.path));
    for (let n = 0; n < 3; n++) await rows.list(collection, { full: n > 0 });
    for (const { name } of searched) await rows.list(collection, { values: { [name]: `Quay 50%_\\ ${name}` } });
    all = (await rows.client.get(path, { limit: 100 })).rows;
  });

  // In REST `order` is always the sort direction.
  const byField = filters.filter(({ rest }) => rest !== 'order');

  test.each(byField.map((field) => [field.rest, field] as const))('filters by %s', async (name, field) => {
    const [one, two = one] = new Set(
      all.map((row) => row[name] as string | number | boolean | null).filter((value) => value !== null),
    );
    expect(one).toBeDefined();
    await check({ [name]: `${one},${two}` }, (row) => row[name] === one || row[name] === two);
    const example = kinds.get(field.type.name);
    if (example?.path !== place || example.field.rest !== name) return;
    await check({ [name]: one }, (row) => row[name] === one);
    await check({ [name]: [one, two] }, (row) => row[name] === one || row[name] === two);
    const none = absent(field, all);
    if (none !== undefined) await check({ [name]: none }, () => false);
  });

  test('all filters must match', async () => {
    const [row = {}, other = {}] = all;
    const set = byField.map(({ rest }) => rest).filter((name) => name !== 'id' && row[name] !== null);
    const query = Object.fromEntries(set.map((name) => [name, row[name]]));
    await check(query, (candidate) => set.every((name) => candidate[name] === row[name]));
    if (all.length > 1) await check({ ...query, id: other['id'] }, () => false);
  });

  // Line items have none of their own.
  const hasTimes = 'createdAt' in rowType(list.type).getFields();
  if (hasTimes)
    test('ranges of creation times do not overlap', async () => {
      const times = all.map((row) => String(row['created_at'])).sort();
      const time = times[Math.floor(times.length / 2)] ?? '';
      const day = time.slice(0, 10);
      await check({ created_after: time }, (row) => String(row['created_at']) >= time);
      await check({ created_before: time }, (row) => String(row['created_at']) < time);
      await check(
        { created_after: day, created_before: time },
        (row) => String(row['created_at']) >= day && String(row['created_at']) < time,
      );
      await refused('created_after', 'yesterday');
    });

  if (searched.length > 0)
    test(`searches ${searched.map(({ rest }) => rest).join(', ')}`, async () => {
      const finds = (term: string) =>
        check({ search: term }, (row) =>
          searched.some(
            ({ rest }) => typeof row[rest] === 'string' && row[rest].toLowerCase().includes(term.trim().toLowerCase()),
          ),
        );
      for (const { rest } of searched) {
        const value = String(all.find((row) => row[rest] !== null)?.[rest]);
        expect(await finds(value.slice(2).toUpperCase())).toBeGreaterThan(0);
      }
      for (const term of ['%', '_', '\\', '%_\\', ' Quay '])
        expect(await finds(term)).toBe(path.includes('companies') ? 0 : searched.length);
      expect(await finds('no such text')).toBe(0);
      await refused('search', '\0');
    });

  test('rejects unknown parameters', async () => {
    const [known = { rest: 'limit' }] = filters.filter(({ rest }) => rest !== 'id');
    const reply = await get({ [`${known.rest}x`]: 'x' });
    expect(reply).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', message: expect.stringContaining(known.rest) },
    });
    await refused('constructor', 'x');
  });
});

// One field of each type is enough for the parameter's syntax and its invalid values.
const kinds = new Map(
  collectionsWith('list').flatMap(([path, { on }]) =>
    filterFields(rootField(on.list?.operation.field ?? '')).map((field) => [field.type.name, { path, field }] as const),
  ),
);

/** Valid values that no row has. */
const readable: Record<string, unknown[]> = {
  Int: [-2_147_483_648, 0],
  Float: ['1e-7', '1.5E+3', 0.1, -0.07],
  String: ['', 'x'.repeat(60_000), '𝄞'.repeat(4000)],
};

test.each([...kinds].filter(([type]) => type in readable))(
  'a filter of type %s accepts valid values',
  async (type, { path, field }) => {
    const rows = await Rows.of(service, await service.tenant());
    for (const value of readable[type] ?? []) {
      const { status, total } = await rows.client
        .get(fill(path, await rows.parents(path)), { [field.rest]: value })
        .then(({ status, meta }) => ({ status, total: meta.total }));
      expect({ value, status, total }).toEqual({ value, status: 200, total: 0 });
    }
  },
);

test.each([...kinds])('a filter of type %s rejects invalid values', async (_type, { path, field }) => {
  const rows = await Rows.of(service, await service.tenant());
  for (const value of wrong(field)) {
    const reply = await rows.client.get(fill(path, await rows.parents(path)), { [field.rest]: value });
    expect({ value, status: reply.status, code: reply.error.code }).toEqual({
      value,
      status: 400,
      code: 'BAD_REQUEST',
    });
    expect(reply.error.message).toContain(field.rest);
  }
});

const many = Array(1001).fill('a').join(',');

describe('parameters with operators', () => {
  const find = async (query: Row) => {
    const { rows } = await client.get('/leases', { sort: 'name', order: 'asc', ...query });
    return rows.map((row) => row['name']);
  };
  let client: Client;
  beforeAll(async () => {
    client = await (await service.tenant()).client();
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    for (const [name, end_date, monthly_payment] of [
      ['Soon', inDays(30), 100],
      ['Later', inDays(91), 200.5],
      ['Open, ended', undefined, undefined],
    ])
      await client.post('/leases', { name, end_date, monthly_payment });
  });

  test.each<[query: Row, found: string[]]>([
    [{ 'end_date[gte]': 'today', 'end_date[lte]': 'today+90' }, ['Soon']],
    // A plus sign that is not encoded arrives as a space.
    [{ 'end_date[gt]': 'today 90' }, ['Later']],
    [{ 'end_date[is_null]': 'true' }, ['Open, ended']],
    [{ 'end_date[is_null]': 'false' }, ['Later', 'Soon']],
    [{ 'monthly_payment[gte]': '200.5' }, ['Later']],
    [{ 'monthly_payment[ne]': '100' }, ['Later', 'Open, ended']],
    [{ 'name[not_in]': 'Soon,"Open, ended"' }, ['Later']],
    [{ 'name[contains]': ', ' }, ['Open, ended']],
    [{ 'name[starts_with]': 'SO' }, ['Soon']],
    [{ 'name[eq]': 'Open, ended' }, ['Open, ended']],
    [{ updated_after: 'today', updated_before: 'now' }, ['Later', 'Open, ended', 'Soon']],
    [{ updated_after: 'today+1' }, []],
    [{ created_after: 'today', 'created_at[gte]': 'today+1' }, []],
    [{ filter: '{"or":[{"name":{"eq":"Soon"}},{"end_date":{"is_null":true}}]}' }, ['Open, ended', 'Soon']],
    [{ filter: '{"name":{"ne":"Soon"}}', 'name[ne]': 'Later', status: 'active' }, ['Open, ended']],
    [{ filter: '{"payments":{"none":{}}}', 'end_date[lt]': 'startOfYear+5000' }, ['Later', 'Soon']],
  ])('%j', async (query, found) => {
    expect(await find(query)).toEqual(found);
  });

  test('fields of a related row have parameters', async () => {
    const { row } = await client.post('/locations/buildings', { name: 'Headquarters', code: 'HQ' });
    for (const [title, building_id] of [['In', row['id']], ['Out']])
      await client.post('/service-requests', { title, building_id });
    const found = await client.get('/service-requests', { 'building[code]': 'HQ,XX' });
    expect(found.rows.map((each) => each['title'])).toEqual(['In']);
    const sorted = await client.get('/service-requests', { sort: '-building.name,title' });
    expect(sorted.rows.map((each) => each['title'])).toEqual(['In', 'Out']);
  });

  test.each<[query: Row, message: string]>([
    [
      { 'end_date[gte]': 'tomorrow' },
      'end_date[gte]: must be a calendar date such as 2026-01-31 that exists, or a word',
    ],
    [{ 'end_date[after]': 'today' }, 'end_date[after]: is not a parameter here; did you mean end_date['],
    [{ 'end_date[after]': 'today' }, ' In brackets end_date takes eq, ne, in, not_in, lt, lte, gt, gte, is_null.'],
    [
      { 'payments[some]': 'x' },
      'payments[some]: is not a parameter here; the parameter filter takes conditions on lists',
    ],
    [{ filter: 'x' }, 'filter: must be a JSON object'],
    [
      { filter: '{"status":{"eq":"active"},"status":{"eq":"expired"}}' },
      'filter: has an object with the duplicate name "status"',
    ],
    [
      { filter: '{"name":{"eq":7},"nam":{}}' },
      'filter.name.eq: must be a string; filter.nam: is not a field here; did you mean name?',
    ],
    [{ filter: '{"endDate":{"gte":"today"}}' }, 'filter.endDate: is not a field here; did you mean end_date?'],
    [{ filter: '{"name":{"eq":null}}' }, 'filter.name.eq: must not be null'],
    // Errors of the values have the name that the client gave them too.
    [{ name: many }, '"name: must have at most 1000 values'],
    [{ 'name[not_in]': many }, '"name[not_in]: must have'],
    [
      { filter: `{"and":[{},{"name":{"not_in":["${many.replaceAll(',', '","')}"]}}]}` },
      '"filter.and.1.name.not_in: must have',
    ],
    [{ filter: '{"name":{"eq":"\\u0000"}}', 'name[eq]': 'a', name: 'b' }, '"filter.name.eq: must not contain NUL'],
    [{ 'name[eq]': 'a', filter: '{"and":[{}],"name":{"eq":null}}' }, '"filter.name.eq: must not be null'],
    [
      { sort: 'name,-end_date', order: 'asc' },
      'order: cannot be combined with this sort; write -field for descending order',
    ],
    [{ sort: '-nam' }, 'sort: nam must be one of id, name'],
    [{ sort: 'vendor.name' }, 'sort: has no relation vendor; a relation there can be none'],
    [{ sort: ',' }, 'sort: has an empty key, which must be one of id, name'],
    [{ sort: 'name,,-id' }, 'sort: has an empty key, which must be one of id, name'],
    [{ sort: '-' }, 'sort: has an empty key, which must be one of id, name'],
    [{ sort: '.name' }, 'sort: has an empty name before a dot; a relation there can be none'],
    [{ sort: 'name,name,name,name,name,name' }, 'sort: must have at most 5 keys'],
  ])('%j is refused', async (query, message) => {
    const { sort = 'name', ...others } = query;
    const reply = await client.get('/leases', { ...others, sort });
    // A quote starts the message.
    expect([reply.status, `"${reply.error.message}`]).toEqual([400, expect.stringContaining(message)]);
  });

  test('a wrong relation of a sort is refused with those that there are', async () => {
    const message = async (sort: string) => (await client.get('/service-requests', { sort })).error.message;
    expect(await message('bilding.name')).toBe(
      'sort: has no relation bilding; a relation there can be assignee, creator, building',
    );
    expect(await message('building.name.x')).toBe('sort: has no relation name; a relation there can be none');
  });

  test('a missing scope is that of the parameter', async () => {
    const member = await (await service.tenant()).client(['service_requests:read']);
    for (const [name, query] of Object.entries({
      'building[code]': { 'building[code]': 'HQ' },
      'filter.not.building': { filter: '{"not":{"building":{}}}' },
    }))
      expect(await member.get('/service-requests', query)).toMatchObject({
        status: 403,
        error: { message: `${name}: This requires the scope locations:read.` },
      });
  });
});

test('a percent-encoding that is not UTF-8 is refused', async () => {
  for (const query of ['name=%', 'name=%ff', 'name[ne]=%ff', '%c3=x'])
    expect(await shared.client.get(`/leases?${query}`)).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  expect((await shared.client.get('/leases?name=%c3%bc')).status).toBe(200);
});
