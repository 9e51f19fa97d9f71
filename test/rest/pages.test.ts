import { createHmac, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import {
  collectionsWith,
  type Field,
  restValuesOf,
  rootField,
  shownFields,
  snakeCase,
  sortNames,
  typeOf,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  ({ client } = rows);
});
afterAll(() => service.close());

/** Makes a cursor of any position: a client can compute the checksum too. */
function forgeCursor(list: string, position: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(position));
  const checksum = createHmac('sha256', list).update(payload).digest().subarray(0, 12);
  return Buffer.concat([checksum, payload]).toString('base64url');
}

const orders = ['asc', 'desc'] as const;
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** Compares two values of a field; enum values compare by their order. */
function compare(one: unknown, other: unknown, words: readonly string[]): number {
  const [a, b] =
    words.length > 0 ? [words.indexOf(String(one)), words.indexOf(String(other))] : [one as number, other as number];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorts as the service should: unset values last in both directions, ties by id. */
function sorted(rows: readonly Row[], sort: string, order: 'asc' | 'desc', words: readonly string[]): Row[] {
  const direction = order === 'asc' ? 1 : -1;
  return [...rows].sort((a, b) => {
    if ((a[sort] === null) !== (b[sort] === null)) return a[sort] === null ? 1 : -1;
    return direction * (compare(a[sort], b[sort], words) || compare(a['id'], b['id'], []));
  });
}

/** Reads a list by cursors; `between` runs after every page but the last. */
async function walk(
  client: Client,
  path: string,
  query: Row,
  between?: (page: readonly Row[]) => Promise<unknown>,
): Promise<Row[]> {
  const seen: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { rows, meta } = await client.get(path, { limit: 5, ...query, ...(cursor && { cursor }) });
    const { has_more, next_cursor } = meta.pagination;
    seen.push(...rows);
    expect({ has_more, next_cursor }).toEqual({
      has_more: next_cursor !== null,
      next_cursor: has_more ? expect.any(String) : null,
    });
    if (has_more) expect(rows).toHaveLength(meta.limit);
    if (next_cursor) await between?.(rows);
    cursor = next_cursor;
  }
  return seen;
}

async function expectRefusal(client: Client, path: string, name: string, value: unknown): Promise<void> {
  const reply = await client.get(path, { [name]: value });
  expect({ value, status: reply.status, code: reply.error.code }).toEqual({ value, status: 400, code: 'BAD_REQUEST' });
  expect(reply.error.message).toContain(name);
}

/** Kinds of columns already tested: paging depends on the kind alone. */
const tried = new Set<string>();
function isNew(kind: string): boolean {
  const before = tried.size;
  return tried.add(kind).size > before;
}
const kindOf = ({ type, required }: Field) => `${type.name} ${required}`;

describe.each(collectionsWith('list'))('GET %s', (_path, collection) => {
  const { field, type } = collection.on.list?.operation ?? { field: '', type: '' };
  const sorts = sortNames(rootField(field));
  // Rows that are part of others have no times of their own.
  const [creation, change] = ['created_at', 'updated_at'].map((name) => (sorts.includes(name) ? name : 'id')) as [
    string,
    string,
  ];
  const mine = new Set<unknown>();
  let path: string;
  let all: Row[];

  const add = async (full: boolean) => mine.add((await rows.list(collection, { full }))['id']);

  beforeAll(async () => {
    path = fill(collection.path, await rows.parents(collection.path));
    if (type !== 'Company') for (let n = 0; n < 10; n++) await add(n % 3 !== 0);
    const reply = await client.get(path, { limit: 100 });
    all = reply.rows;
    expect(all).toHaveLength(reply.meta.total);
    expect(all.length).toBeGreaterThanOrEqual(type === 'Company' ? 1 : 10);
  });

  test('is sorted by creation by default, latest first', () => {
    expect(idsOf(all)).toEqual(idsOf(sorted(all, creation, 'desc', [])));
  });

  test('can be sorted by every field', () => {
    expect(sorts).toEqual(
      shownFields(type)
        .filter(({ facts, list }) => facts && !list)
        .map(({ rest }) => rest),
    );
  });

  const sortable = shownFields(type).filter(({ rest }) => sorts.includes(rest));
  test('is sorted by each field across pages', async () => {
    expect(sortable).toHaveLength(sorts.length);
    for (const [n, field] of sortable.entries()) {
      const sort = field.rest;
      // In both directions and by pages for a new kind of column, otherwise in one direction at once.
      const [ways, limit] = isNew(kindOf(field)) ? [orders, 4] : [[orders[n % 2] ?? 'asc'], 100];
      for (const order of ways) {
        const walked = await walk(client, path, { sort, order, limit });
        expect({ sort, order, ids: idsOf(walked) }).toEqual({
          sort,
          order,
          ids: idsOf(sorted(all, sort, order, restValuesOf(field.type))),
        });
      }
    }
  });

  test('can be paged by offset', async () => {
    const limit = Math.ceil(all.length / 3);
    const pages = [0, limit, 2 * limit].map((offset) => client.get(path, { limit, offset, sort: change }));
    const seen = (await Promise.all(pages)).flatMap(({ rows }) => idsOf(rows));
    expect(seen).toEqual(idsOf(sorted(all, change, 'desc', [])));
  });

  test('describes its page in meta', async () => {
    const total = all.length;
    const { meta } = await client.get(path, { limit: 1, offset: total - 1 });
    expect(meta).toEqual({
      total,
      limit: 1,
      offset: total - 1,
      request_id: expect.any(String),
      pagination: { total, limit: 1, has_more: false, next_cursor: null },
    });
    expect((await client.get(path)).meta).toMatchObject({
      total,
      offset: 0,
      limit: path === '/service-requests' ? 50 : 25,
    });
    expect(await client.get(path, { offset: total })).toMatchObject({
      rows: [],
      meta: { total, pagination: { has_more: false } },
    });
  });

  test('rejects invalid parameters', async () => {
    for (const [name, value] of [
      ['limit', '101'],
      ['sort', 'nope'],
      ['cursor', 'x'],
    ] as const) {
      await expectRefusal(client, path, name, value);
    }
  });

  const clearable = shownFields(type).find(({ facts }) => facts && !facts.required);
  const removable = type === typeOf(collection);
  if (type === 'Company' || !isNew(`changing ${clearable && kindOf(clearable)} ${removable}`)) return;

  test('neither skips nor repeats rows during inserts and deletes', async () => {
    for (const [sort, order] of [
      [creation, 'desc'],
      [clearable?.rest ?? 'id', 'asc'],
    ] as const) {
      const before = idsOf((await client.get(path, { limit: 100 })).rows);
      let changes = 0;
      const seen = idsOf(
        await walk(client, path, { sort, order }, async (page) => {
          changes += 1;
          const last = page.at(-1)?.['id'];
          if (removable && mine.delete(last)) await rows.remove(collection, last);
          await add(true);
          await add(false);
        }),
      );
      expect(changes).toBeGreaterThan(0);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(before));
    }
  });
});

test.each([
  ['limit', ['-1', '0', '101', 'abc', '1.5', '', '1e1', '99999999999', ['1', '2']]],
  ['offset', ['-1', 'abc', '0.5', '', '99999999999']],
  ['sort', ['', 'CREATED_AT', 'company_id', '__proto__', ['id', 'title']]],
  ['order', ['', 'up', 'ASC', ['asc', 'desc']]],
  ['cursor', ['', 'null', 'A'.repeat(64)]],
])('rejects a %s of %j', async (name, values) => {
  const client = await (await service.tenant()).client();
  for (const value of values) await expectRefusal(client, '/service-requests', name, value);
});

describe('a cursor', () => {
  let client: Client;
  let cursor: string;
  const nextCursor = async (from: Client, path: string, query: Row = {}) =>
    String((await from.get(path, { limit: 1, ...query })).meta.pagination.next_cursor);
  const answerTo = async (given: string, path = '/service-requests', query: Row = {}) =>
    (await client.get(path, { cursor: given, ...query })).status;

  const twoRequests = async () => {
    const caller = await (await service.tenant()).client();
    for (const title of ['One', 'Two']) await caller.post('/service-requests', { title });
    return caller;
  };
  beforeAll(async () => {
    client = await twoRequests();
    cursor = await nextCursor(client, '/service-requests');
  });

  test('is rejected if it was altered', async () => {
    expect(await answerTo(cursor)).toBe(200);
    for (const altered of [`${cursor}A`, cursor.slice(0, -1), cursor.replace(/^./, cursor.startsWith('A') ? 'B' : 'A')])
      expect(await answerTo(altered)).toBe(400);
  });

  test('fits in a URL, however long the sorted value', async () => {
    const caller = await (await service.tenant()).client();
    // Random letters, which do not compress well.
    const text = (first: string, from: number) =>
      first + String.fromCodePoint(...Array.from({ length: 19_999 }, () => randomInt(from, from + 8000)));
    for (const [title, from] of [
      ['a', 0x4e00],
      ['b', 0x4e00],
      ['𝄞', 0x20000],
    ] as const) {
      await caller.post('/service-requests', { title, description: text(title, from) });
    }
    for (const order of orders) {
      const seen = await walk(caller, '/service-requests', { limit: 1, sort: 'description', order });
      expect(seen.map(({ title }) => title)).toEqual(order === 'asc' ? ['𝄞', 'a', 'b'] : ['b', 'a', '𝄞']);
    }
  });

  test('can miss or repeat a row whose sort value changes', async () => {
    const caller = await (await service.tenant()).client();
    const ids: unknown[] = [];
    for (const name of ['B', 'C', 'D']) ids.push((await caller.post('/paints', { name })).row['id']);
    const [first, , last] = ids.map((each) => `/paints/${String(each)}`);
    const seen = await walk(caller, '/paints', { limit: 1, sort: 'name', order: 'asc' }, async ([row]) => {
      if (row?.['name'] !== 'B') return;
      await caller.patch(first ?? '', { name: 'E' });
      await caller.patch(last ?? '', { name: 'A' });
    });
    // The first came twice, the last not at all.
    expect(seen.map(({ name }) => name)).toEqual(['B', 'C', 'E']);
  });

  test('has the total of the first page if that is large, as long as the filters are the same', async () => {
    const tenant = await service.tenant();
    const caller = await tenant.client();
    const sql = (text: string) => service.database.query({ text, values: [tenant.company.id] });
    await sql(`INSERT INTO paints (company_id, id, name, brand)
      SELECT $1, gen_random_uuid(), n, CASE WHEN n <= 20 THEN 'Few' ELSE 'Many' END FROM generate_series(1, 10020) n`);
    const totalOf = async (query: Record<string, unknown>) => {
      const { meta } = await caller.get('/paints', { limit: 5, sort: 'name', ...query });
      return { total: meta['total'], next: (meta['pagination'] as Row)['next_cursor'] as string };
    };
    const large = await totalOf({});
    const few = await totalOf({ brand: 'Few' });
    await sql(`DELETE FROM paints WHERE company_id = $1 AND name::int <= 10`);
    service.statements.length = 0;
    const second = await totalOf({ cursor: large.next });
    expect(service.statements.filter((text) => text.includes('count('))).toEqual([]);
    expect([large.total, second.total, (await totalOf({ cursor: second.next })).total]).toEqual([10020, 10020, 10020]);
    // Another filter, a small total and a first page are counted.
    expect((await totalOf({ cursor: large.next, brand: 'Many' })).total).toBe(10_000);
    expect([few.total, (await totalOf({ cursor: few.next, brand: 'Few' })).total]).toEqual([20, 10]);
    expect((await totalOf({})).total).toBe(10_010);
  });

  test('is rejected with another sort, order, list or company', async () => {
    expect(await answerTo(cursor, '/service-requests', { sort: 'title' })).toBe(400);
    expect(await answerTo(cursor, '/service-requests', { order: 'asc' })).toBe(400);
    expect(await answerTo(cursor, '/move-requests')).toBe(400);
    expect(await answerTo(await nextCursor(await twoRequests(), '/service-requests'))).toBe(400);
  });

  test('is rejected with a value that its column cannot have', async () => {
    const tenant = await service.tenant();
    const caller = await tenant.client();
    const good = forgeCursor(`${tenant.company.id} ServiceRequest createdAt desc`, [
      '2026-03-01T00:00:00.000Z',
      '01890000-0000-7000-8000-000000000000',
    ]);
    expect((await caller.get('/service-requests', { cursor: good })).status).toBe(200);
    for (const sort of ['createdAt', 'status', 'assignedTo', 'completedAt']) {
      for (const value of [7, true, 'a\0b', '\ud800', '+020260-03-01T00:00:00.000Z', '0000-03-01T00:00:00.000Z', {}]) {
        const position = [value, '01890000-0000-7000-8000-000000000000'];
        const forged = forgeCursor(`${tenant.company.id} ServiceRequest ${sort} desc`, position);
        expect(await caller.get('/service-requests', { sort: snakeCase(sort), cursor: forged })).toMatchObject({
          status: 400,
          error: { message: 'cursor: is not a cursor of this list with this sort and order' },
        });
      }
    }
  });

  test('is rejected where it was made when text was sorted by its bytes', async () => {
    const tenant = await service.tenant();
    const caller = await tenant.client();
    await caller.post('/paints', { name: 'Zinc white' });
    const position = ['Zinc', '01890000-0000-7000-8000-000000000000'];
    const answers = ['name und-x-icu asc', 'name asc'].map(async (order) => {
      const cursor = forgeCursor(`${tenant.company.id} Paint ${order}`, position);
      return (await caller.get('/paints', { sort: 'name', order: 'asc', cursor })).status;
    });
    expect(await Promise.all(answers)).toEqual([200, 400]);
  });
});
