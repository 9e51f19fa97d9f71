// Lists as spreadsheets, opened by a reader that does not know the writer.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fieldTypes } from '../../src/fields/index.ts';
import type { Client, Row } from '../support/client.ts';
import { collectionsWith, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { clockOf, readXlsx, recordsOf, type StoredCell } from '../support/xlsx.ts';

const accept = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let service: Service;
let tenant: Tenant;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  rows = await Rows.of(service, tenant);
  client = rows.client;
});
afterAll(() => service.close());

/** Fetches a spreadsheet. */
async function download(by: Client, path: string, query: Row = {}) {
  const url = new URL(`/api/v1${path}`, service.origin);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const response = await fetch(url, { headers: { accept, authorization: `Bearer ${by.token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.headers.get('content-type')]).toEqual([200, accept]);
  return bytes;
}

const read = async (by: Client, path: string, query: Row = {}) =>
  recordsOf((await readXlsx(await download(by, path, query))).get('Rows'));

const day = /^\d{4}-\d{2}-\d{2}$/;
const time = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** The cell of a value in JSON, as ECMA-376 says; the company's time zone is UTC. */
function cellOf(value: unknown): Pick<StoredCell, 'type' | 'value' | 'format'> | undefined {
  const general = { format: 'General' };
  if (value === null) return undefined;
  if (typeof value === 'number') return { type: 'number', value: String(value), ...general };
  if (typeof value === 'boolean') return { type: 'boolean', value: value ? '1' : '0', ...general };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (day.test(text)) return { type: 'number', value: `${text}T00:00:00.000`, format: 'yyyy\\-mm\\-dd' };
  if (time.test(text)) return { type: 'number', value: text.slice(0, -1), format: 'yyyy\\-mm\\-dd\\ hh:mm:ss' };
  return { type: 'text', value: text, ...general };
}

const shownCell = (cell: StoredCell | undefined) =>
  cell && {
    type: cell.type,
    value: cell.format === 'General' ? cell.value : clockOf(cell.value),
    format: cell.format,
  };

describe.each(collectionsWith('list'))('GET %s', (_path, collection) => {
  test('has the same rows in XLSX as in JSON, in cells of their kind', async () => {
    const path = fill(collection.path, await rows.parents(collection.path));
    if (typeOf(collection) !== 'Company') for (const full of [true, false]) await rows.list(collection, { full });
    const all = (await client.get(path, { limit: 100 })).rows;
    expect(all.length).toBeGreaterThan(0);
    const { header, records } = await read(client, path);
    expect(header).toEqual(Object.keys(all[0] ?? {}));
    expect(records.map((record) => header.map((name) => shownCell(record[name])))).toEqual(
      all.map((row) => header.map((name) => cellOf(row[name]))),
    );
  });
});

test('any text is a cell with that text, and no formula', async () => {
  const titles = [
    "=cmd|' /C calc'!A0",
    '+1',
    '-2+3',
    '@SUM(A1)',
    '＝1',
    '<b>&amp;</b> ]]> "quoted" \'text\'',
    'two\nlines\r\nand\rmore\ttabs',
    'control \u0001 \u0008 \u000b \u001f characters',
    'not for XML: \ufffe \uffff',
    '_x0041_ is no A, and _x41_ neither',
    'emoji 👩‍🚒 𝄞',
    '007',
    '1e5',
    '2026-01-01',
    'TRUE',
  ];
  const writer = await (await service.tenant()).client();
  for (const title of titles) await writer.post('/service-requests', { title });
  const { records } = await read(writer, '/service-requests', { sort: 'id', order: 'asc' });
  expect(records.map(({ title }) => title?.value)).toEqual(titles);
  expect(records.map(({ title }) => title?.type)).toEqual(titles.map(() => 'text'));
  // Those that begin as formulas stay text when somebody edits them.
  expect(records.map(({ title }) => title?.isQuoted)).toEqual(titles.map((title) => /^[=+\-@＝]/.test(title)));
});

test('a text is cut at the length that a cell has, and says so', async () => {
  const writer = await (await service.tenant()).client();
  // 32,767 and 32,768 characters of UTF-16; the third would be cut within a character.
  const longest = `a${'𝄞'.repeat(16_383)}`;
  const tooLong = '𝄞'.repeat(16_384);
  for (const description of [longest, tooLong, `a${tooLong}`])
    await writer.post('/service-requests', { title: 'Long', description });
  const { records } = await read(writer, '/service-requests', { sort: 'id', order: 'asc' });
  expect(records.map(({ description }) => description?.value)).toEqual([
    longest,
    `${'𝄞'.repeat(16_383)}…`,
    `a${'𝄞'.repeat(16_382)}…`,
  ]);
});

test('times are those of the company, also when its clocks change', async () => {
  const berlin = await service.tenant();
  await service.database.prisma.company.update({
    where: { id: berlin.company.id },
    data: { timeZone: 'Europe/Berlin' },
  });
  const by = await berlin.client();
  const times = {
    '2026-03-29T00:59:59.000Z': '2026-03-29T01:59:59.000',
    '2026-03-29T01:00:00.000Z': '2026-03-29T03:00:00.000',
    '2026-10-25T00:30:00.000Z': '2026-10-25T02:30:00.000',
    '2026-10-25T01:30:00.000Z': '2026-10-25T02:30:00.000',
    '2026-12-31T23:30:00.250Z': '2027-01-01T00:30:00.250',
  };
  for (const due_date of Object.keys(times)) await by.post('/reminders', { title: due_date, due_date });
  await by.post('/move-requests', { title: 'Day', scheduled_date: '2026-03-29' });
  const { records } = await read(by, '/reminders', { sort: 'due_date', order: 'asc' });
  expect(records.map(({ title, due_date }) => [title?.value, clockOf(due_date?.value ?? '')])).toEqual(
    Object.entries(times),
  );
  // A day has no time zone.
  const moves = await read(by, '/move-requests');
  expect(moves.records[0]?.['scheduled_date']).toMatchObject({ type: 'number', value: '46110' });
});

test('a day before those that all programs count alike is text', async () => {
  const by = await (await service.tenant()).client();
  const days = ['1900-01-01', '1900-02-28', '1900-03-01'];
  for (const scheduled_date of days) await by.post('/move-requests', { title: 'Day', scheduled_date });
  const { records } = await read(by, '/move-requests', { sort: 'scheduled_date', order: 'asc' });
  expect(records.map(({ scheduled_date }) => [scheduled_date?.type, scheduled_date?.value])).toEqual([
    ['text', '1900-01-01'],
    ['text', '1900-02-28'],
    ['number', '61'],
  ]);
});

test('a decimal has all of its digits: as text where a number loses some', () => {
  const { Decimal } = fieldTypes;
  expect(Decimal?.sheet(12.5, 'UTC')).toEqual({ number: '12.5' });
  expect(Decimal?.sheet(0.1, 'UTC')).toEqual({ number: '0.1' });
});

test('a long list is complete, and takes the statements that CSV takes', async () => {
  const other = await service.tenant();
  await service.database.query({
    text: `INSERT INTO service_requests (company_id, id, title, created_by, created_at)
           SELECT $1, gen_random_uuid(), n, $2, '2026-01-01T00:00:00Z'::timestamptz - n * interval '1 second'
           FROM generate_series(1, 2600) AS n`,
    values: [other.company.id, other.users[0]?.id],
  });
  const by = await other.client();
  await by.get('/service-requests', { limit: 1 });
  service.statements.length = 0;
  const { records } = await read(by, '/service-requests');
  // Pages are measured in characters, of which XML has more.
  expect(service.statements.length).toBeLessThanOrEqual(6);
  expect(records.map(({ title }) => title?.value)).toEqual(Array.from({ length: 2600 }, (_, n) => String(n + 1)));
  expect(
    (await read(by, '/service-requests', { limit: 7, offset: 3 })).records.map(({ title }) => title?.value),
  ).toEqual(['4', '5', '6', '7', '8', '9', '10']);
});

describe('the response', () => {
  test.each([
    [accept, true],
    [accept.toUpperCase(), true],
    [`${accept}, application/json;q=0.9`, true],
    [`text/csv;q=0.5, ${accept}`, true],
    [`${accept};q=0.5, application/json`, false],
    [`${accept};q=0`, false],
    ['application/*', false],
    ['*/*', false],
  ])('for Accept: %s', async (given, isSheet) => {
    const reply = await client.request('HEAD', '/paints', { headers: { accept: given } });
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-disposition')]).toEqual(
      isSheet ? [200, accept, 'attachment; filename="paints.xlsx"'] : [200, 'application/json; charset=utf-8', null],
    );
  });

  test('is JSON for errors, and refuses what tables do not have', async () => {
    for (const [path, query, status] of [
      ['/paints', { limit: 0 }, 400],
      ['/service-requests', { include: 'comments' }, 400],
      ['/paints', { csv_bom: true }, 400],
      ['/paints/01890000-0000-7000-8000-000000000000/locations', {}, 404],
    ] as const) {
      const reply = await client.get(path, query, { accept });
      expect([path, reply.status, reply.error.status]).toEqual([path, status, status]);
    }
    const other = await tenant.client(['vendors:read']);
    expect((await other.get('/paints', {}, { accept })).error.code).toBe('INSUFFICIENT_SCOPE');
  });

  test('has nothing of another company', async () => {
    await client.post('/paints', { name: 'Ours' });
    const stranger = await (await service.tenant()).client();
    expect((await read(stranger, '/paints')).records).toEqual([]);
  });

  test('breaks off where it fails, so that it is visibly incomplete', async () => {
    const other = await service.tenant();
    const by = await other.client();
    const request = (await by.post('/service-requests', { title: 'Lamp' })).row;
    await service.database.query({
      text: `INSERT INTO comments (company_id, id, service_request_id, user_id, comment)
             SELECT $1, gen_random_uuid(), $2, $3,
               (SELECT string_agg(md5(n::text || m::text || random()::text), '') FROM generate_series(1, 600) AS m)
             FROM generate_series(1, 900) AS n`,
      values: [other.company.id, request['id'], other.users[0]?.id],
    });
    const url = `${service.origin}/api/v1/service-requests/${String(request['id'])}/comments`;
    const response = await fetch(url, { headers: { accept, authorization: `Bearer ${by.token}` } });
    const reader = response.body?.getReader();
    await reader?.read();
    await service.database.query({ text: 'ALTER TABLE comments RENAME TO gone' });
    const readAll = async () => {
      for (let part = await reader?.read(); !part?.done; part = await reader?.read());
    };
    await expect(readAll()).rejects.toThrow('terminated');
    await service.database.query({ text: 'ALTER TABLE gone RENAME TO comments' });
    expect(response.status).toBe(200);
  });
});

test('GraphQL has it too, with fields of related rows as columns', async () => {
  const other = await service.tenant();
  const by = await other.client();
  const building = (await by.post('/locations/buildings', { name: 'Head', code: '=HQ', floors: 3 })).row;
  for (const is_assigned of [true, false])
    await by.post('/butts-in-seats/desks', { floor: '1', building_id: building['id'], is_assigned });
  const ask = (query: string) =>
    fetch(`${service.origin}/graphql`, {
      method: 'POST',
      headers: { accept, authorization: `Bearer ${by.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  const response = await ask('query Desks { desks { nodes { isAssigned createdAt building { code floors } } } }');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="Desks.xlsx"');
  const { header, records } = recordsOf((await readXlsx(Buffer.from(await response.arrayBuffer()))).get('Rows'));
  expect(header).toEqual(['isAssigned', 'createdAt', 'building.code', 'building.floors']);
  expect(records).toHaveLength(2);
  expect(records[0]).toMatchObject({
    createdAt: { type: 'number', format: 'yyyy\\-mm\\-dd\\ hh:mm:ss' },
    'building.code': { type: 'text', value: '=HQ' },
    'building.floors': { type: 'number', value: '3' },
  });
  expect(records.map(({ isAssigned }) => isAssigned?.value).toSorted()).toEqual(['0', '1']);
  const groups = await ask('{ desks { aggregates { key { isAssigned createdAt { month } } count } } }');
  const grouped = recordsOf((await readXlsx(Buffer.from(await groups.arrayBuffer()))).get('Rows'));
  expect(grouped.header).toEqual(['key.isAssigned', 'key.createdAt.month', 'count']);
  expect(grouped.records[0]).toMatchObject({
    'key.createdAt.month': { type: 'number', format: 'yyyy\\-mm\\-dd' },
    count: { type: 'number', value: '1' },
  });
  const wrong = await ask('{ desks { totalCount } }');
  expect([wrong.status, wrong.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
});
