import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Reply, Row } from '../support/client.ts';
import { parseCsv as parse } from '../support/csv.ts';
import { collectionsWith, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

const accept = 'text/csv';
const csv = (client: Client, path: string, query: Row = {}) => client.get(path, query, { accept });

/** The text of a JSON value in a cell. */
const cell = (value: unknown): string => {
  if (typeof value === 'string') return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return value === null ? '' : JSON.stringify(value);
};

function expectRows(reply: Reply, rows: readonly Row[]): void {
  expect({ status: reply.status, type: reply.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/csv; charset=utf-8; header=present',
  });
  const [header = [], ...records] = parse(reply.text);
  if (rows[0]) expect(header).toEqual(Object.keys(rows[0]));
  expect(records).toEqual(rows.map((row) => header.map((name) => cell(row[name]))));
}

describe.each(collectionsWith('list'))('GET %s', (_path, collection) => {
  let path: string;
  beforeAll(async () => {
    path = fill(collection.path, await rows.parents(collection.path));
    if (typeOf(collection) !== 'Company') for (let n = 0; n < 4; n++) await rows.list(collection, { full: n > 0 });
  });

  test('has the same rows in CSV as in JSON', async () => {
    const { client } = rows;
    const all = (await client.get(path, { limit: 100 })).rows;
    expect(all.length).toBeGreaterThan(0);
    expectRows(await csv(client, path), all);
    const { created_at: time } = all.at(-1) ?? {};
    const query = { sort: 'id', order: 'asc', limit: 2, ...(time !== undefined && { created_after: time }) };
    expectRows(await csv(client, path, query), (await client.get(path, query)).rows);
    const none = await csv(client, path, { id: '01890000-0000-7000-8000-000000000000' });
    expectRows(none, []);
    expect(parse(none.text)).toEqual([Object.keys(all[0] ?? {})]);
  });
});

describe('a long list', () => {
  const total = 1000;
  let tenant: Tenant;
  let client: Client;
  let comments: string;
  beforeAll(async () => {
    tenant = await service.tenant();
    client = await tenant.client();
    const request = (await client.post('/service-requests', { title: 'Lamp' })).row;
    comments = `/service-requests/${String(request['id'])}/comments`;
    // 20 MB, more than the connection buffers, in a column without an index.
    await service.database.query({
      text: `INSERT INTO comments (company_id, id, service_request_id, user_id, comment)
             SELECT $1, gen_random_uuid(), $2, $3, repeat(md5(n::text), 600) FROM generate_series(1, ${total}) AS n`,
      values: [tenant.company.id, request['id'], tenant.users[0]?.id],
    });
  });

  /** The whole list, from its JSON pages. */
  async function walk(path: string, query: Row = {}): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.get(path, { limit: 100, ...query, ...(cursor && { cursor }) });
      rows.push(...page.rows);
      cursor = page.meta.pagination.next_cursor;
    }
    return rows;
  }

  test('is complete rather than one page', async () => {
    const rows = await walk(comments);
    expect(rows).toHaveLength(total);
    service.statements.length = 0;
    expectRows(await csv(client, comments), rows);
    // One statement a page; nothing is counted.
    expect(service.statements).toHaveLength(total / 100);
  });

  test('takes one statement for a thousand short rows, after the first hundred', async () => {
    const other = await service.tenant();
    await service.database.query({
      text: `INSERT INTO service_requests (company_id, id, title, created_by, created_at)
             SELECT $1, gen_random_uuid(), n, $2, '2026-01-01T00:00:00Z'::timestamptz - n * interval '1 second'
             FROM generate_series(1, 2600) AS n`,
      values: [other.company.id, other.users[0]?.id],
    });
    const reader = await other.client();
    await reader.get('/service-requests', { limit: 1 }); // finds the token
    service.statements.length = 0;
    const [header = [], ...records] = parse((await csv(reader, '/service-requests')).text);
    expect(service.statements).toHaveLength(4);
    const titles = records.map((record) => record[header.indexOf('title')]);
    expect(titles).toEqual(Array.from({ length: 2600 }, (_, n) => String(n + 1)));
  });

  test('supports the filters, search, sort and pages of the list', async () => {
    // Equal creation times, so that pages end between them.
    await service.database.query({
      text: `INSERT INTO service_requests (company_id, id, title, created_by, priority, created_at)
             SELECT $1, gen_random_uuid(), 'Request ' || n % 3, $2, CASE n % 2 WHEN 0 THEN 'low' ELSE 'high' END::request_priority, now() - n / 7 * interval '1 second'
             FROM generate_series(1, 1000) AS n`,
      values: [tenant.company.id, tenant.users[0]?.id],
    });
    const query = { priority: 'low', search: 'request 1', sort: 'title', order: 'asc' };
    const rows = await walk('/service-requests', query);
    expect(rows.length).toBeGreaterThan(150);
    expectRows(await csv(client, '/service-requests', query), rows);
    // A limit requests one page; the start can be set without one.
    expectRows(await csv(client, '/service-requests', { ...query, limit: 7 }), rows.slice(0, 7));
    expectRows(await csv(client, '/service-requests', { ...query, offset: 25 }), rows.slice(25));
    const { meta } = await client.get('/service-requests', { ...query, limit: 40 });
    expectRows(
      await csv(client, '/service-requests', { ...query, cursor: meta.pagination.next_cursor }),
      rows.slice(40),
    );
    expectRows(
      await csv(client, '/service-requests', { ...query, cursor: meta.pagination.next_cursor, limit: 5 }),
      rows.slice(40, 45),
    );
  });

  /** Starts reading the list, and continues only on request. */
  const begin = (by = client, url = `/api/v1${comments}`) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`${service.origin}${url}`, { headers: { accept, authorization: `Bearer ${by.token}` } }, resolve).on(
        'error',
        reject,
      );
    });
  /** The number of pages that were read until reading stopped. */
  const waitUntilReadingStops = async () => {
    for (let seen = -1; seen !== service.statements.length; await sleep(500)) seen = service.statements.length;
    return service.statements.length;
  };

  test('is read no faster than the client reads', async () => {
    service.statements.length = 0;
    const response = await begin();
    const before = await waitUntilReadingStops();
    expect(before).toBeLessThan(total / 100);
    let length = 0;
    for await (const chunk of response) length += (chunk as Buffer).length;
    expect(length).toBeGreaterThan(total * 19_200);
    expect(await waitUntilReadingStops()).toBe(total / 100);
  });

  test('is not read further once the client disconnects', async () => {
    service.statements.length = 0;
    const response = await begin();
    response.destroy();
    expect(await waitUntilReadingStops()).toBeLessThan(total / 100);
  });

  test.each([
    ['REST', () => `/api/v1${comments}`],
    [
      'GraphQL',
      () => `/graphql?query=${encodeURIComponent('{ serviceRequestComments { nodes { id comment author { id } } } }')}`,
    ],
  ])('ends when the token is revoked, through %s', async (_, url) => {
    const reader = await tenant.client();
    service.statements.length = 0;
    const response = await begin(reader, url());
    expect(await waitUntilReadingStops()).toBeLessThan(total / 100);
    const { apiToken } = service.database.prisma;
    const newest = await apiToken.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    await apiToken.updateMany({ where: { id: newest.id }, data: { revokedAt: new Date() } });
    // A token is revoked within a second.
    await sleep(1100);
    const before = service.statements.length;
    const read = async () => {
      for await (const chunk of response) void chunk;
    };
    await expect(read()).rejects.toThrow(/aborted/);
    expect(response.statusCode).toBe(200);
    // A page whose rows wait for the client has been allowed already.
    const pages = service.statements.slice(before).filter((sql) => sql.includes('"comments"'));
    expect(pages.length).toBeLessThanOrEqual(1);
  });

  test('is aborted when it fails midway, so that it is visibly incomplete', async () => {
    const response = await begin();
    await waitUntilReadingStops();
    await service.database.query({ text: 'ALTER TABLE comments RENAME TO gone' });
    const read = async () => {
      for await (const chunk of response) void chunk;
    };
    await expect(read()).rejects.toThrow(/aborted/);
    await service.database.query({ text: 'ALTER TABLE gone RENAME TO comments' });
    expect(response.statusCode).toBe(200);
  });
});

describe('cells', () => {
  let client: Client;
  beforeAll(async () => {
    client = await (await service.tenant()).client();
  });

  test('are quoted as RFC 4180 requires, and never formulas', async () => {
    const titles = [
      'plain',
      'a, b',
      'a "quoted" word',
      'two\nlines',
      'two\r\nlines',
      'one\rother',
      '=1+1',
      '+1 555 0100',
      '-2',
      '@SUM(A1)',
      '=HYPERLINK("http://x","y")',
      'a=b',
      'ünïcode 𝄞',
      "'",
      ';',
      '="a"',
    ];
    for (const title of titles) await client.post('/service-requests', { title });
    const { text } = await csv(client, '/service-requests', { sort: 'id', order: 'asc' });
    const [header = [], ...records] = parse(text);
    const column = header.indexOf('title');
    expect(records.map((record) => record[column])).toEqual([
      'plain',
      'a, b',
      'a "quoted" word',
      'two\nlines',
      'two\r\nlines',
      'one\rother',
      "'=1+1",
      "'+1 555 0100",
      "'-2",
      "'@SUM(A1)",
      `'=HYPERLINK("http://x","y")`,
      'a=b',
      'ünïcode 𝄞',
      "'",
      ';',
      `'="a"`,
    ]);
    expect(text).toContain(',"a ""quoted"" word",');
    expect(text).toContain(',plain,');
    expect(text.endsWith('\r\n')).toBe(true);
  });

  test('leave numbers unchanged, whatever their sign', async () => {
    await client.post('/time-clock/locations', {
      name: 'South-west',
      latitude: -33.5,
      longitude: -70.25,
      radius_meters: 100,
    });
    const { text } = await csv(client, '/time-clock/locations');
    expect(text).toMatch(/,-33\.5,-70\.25,100,/);
  });

  test('contain nested values as JSON', async () => {
    const vendor = (await client.post('/vendors', { company_name: 'Nuts, bolts & Co' })).row;
    const line_items = [{ description: '=1+1', quantity: 2, unit_price: 1.5 }];
    await client.post('/procurement/requisitions', { title: 'Nested', vendor_id: vendor['id'], line_items });
    const { rows } = await client.get('/procurement/requisitions');
    const reply = await csv(client, '/procurement/requisitions');
    expectRows(reply, rows);
    const [header = [], record = []] = parse(reply.text);
    expect(JSON.parse(record[header.indexOf('vendor')] ?? '')).toEqual({
      id: vendor['id'],
      company_name: 'Nuts, bolts & Co',
    });
    expect(JSON.parse(record[header.indexOf('line_items')] ?? '')).toMatchObject([
      { description: '=1+1', quantity: 2, unit_price: 1.5 },
    ]);
  });
});
