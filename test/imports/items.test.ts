// Files have new rows together with those of their lists.
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { sheetPrinter } from '../../src/http/sheet-xml.ts';
import { writeWorkbook } from '../../src/http/workbook.ts';
import { importFile as importJob } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client } from '../support/client.ts';
import { type ImportFileOptions, importFile as importInto, problem as problemOf } from '../support/import-file.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client(['*']);
});
afterAll(() => service.close());

const importFile = (type: string, content: string, options?: ImportFileOptions) =>
  importInto({ service, tenant }, type, content, options);
const problem = (type: string, content: string, options?: ImportFileOptions) =>
  problemOf({ service, tenant }, type, content, options);

/** The orders with their lines: number, then description and quantity of each. */
async function orders() {
  const { rows } = await client.get('/procurement/orders', { sort: 'number', order: 'asc' });
  return rows.map(({ number, line_items: lines }) => [
    number,
    ...(lines as { description: string; quantity: number }[]).map((line) => `${line.description} ${line.quantity}`),
  ]);
}

/** The names of the rows at a path. */
const namesAt = async (path: string, field = 'name') =>
  (await client.get(path, { sort: 'created_at', order: 'asc', limit: 100 })).rows.map((row) => row[field]);

const ndjson = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('CSV', () => {
  test('has the further items of a row in rows with empty columns, or with the same key', async () => {
    const result = await importFile(
      'PurchaseOrder',
      'number,notes,line_items.description,Line items.Quantity\n' +
        'A,first,Chair,2\n,,Desk,1\n,,Lamp,3\n' +
        'B,,Chair,1\nB,,Desk,5\n' +
        'C,,,\n',
    );
    expect(result).toMatchObject({ created: 3, errors: [] });
    expect(await orders()).toEqual([['A', 'Chair 2', 'Desk 1', 'Lamp 3'], ['B', 'Chair 1', 'Desk 5'], ['C']]);
  });

  test('without a key, has them in rows that repeat all columns of the row', async () => {
    const file = 'name,areas.name,desks.name\nNorth,Lobby,N-1\nNorth,Archive,\nSouth,Lobby,\nNorth,Roof,\n';
    expect(await importFile('Building', file)).toMatchObject({ created: 3, errors: [] });
    expect(await namesAt('/locations/buildings')).toEqual(['North', 'South', 'North']);
    expect(await namesAt('/locations/areas')).toEqual(['Lobby', 'Archive', 'Lobby', 'Roof']);
    expect(await namesAt('/butts-in-seats/desks')).toEqual(['N-1']);
  });

  test('names what items refer to as other columns do', async () => {
    await importFile('InventoryItem', 'name,sku\nOak,S1\nElm,S2\n');
    const file = 'number,line_items.item.sku,line_items.quantity\nA,S1,1\n,S2,2\n,S3,3\n';
    expect((await importFile('PurchaseOrder', file)).errors).toEqual([
      '2 line_items.item.sku in line 4: there is no inventory item "S3"',
    ]);
    expect(await importFile('PurchaseOrder', file.replace('S3', 'S1'))).toMatchObject({ created: 1, errors: [] });
    const [order] = (await client.get('/procurement/orders')).rows;
    const items = (await client.get('/inventory', { sort: 'sku', order: 'asc' })).rows.map(({ id }) => id);
    const lines = order?.['line_items'] as { item_id: string }[];
    expect(lines.map((line) => line.item_id)).toEqual([items[0], items[1], items[0]]);
  });

  test('has errors that name the line and the column of the item, and a file of them that can be corrected', async () => {
    const file = 'title,time_logs.hours,time_logs.description\nDoor,1,Seen\n,-2,Opened\nLamp,3,One\n,4,Two\n';
    const result = await importFile('ServiceRequest', file);
    expect(result).toMatchObject({
      created: 1,
      errors: [expect.stringMatching(/^2 time_logs\.hours in line 3: must /)],
    });
    const corrected = result.refused.replace("'-2", '2');
    expect(await importFile('ServiceRequest', corrected)).toMatchObject({ created: 1, errors: [] });
    const [, door] = (await client.get('/service-requests', { sort: 'created_at', order: 'asc' })).rows;
    expect(door?.['title']).toBe('Door');
    const path = `/service-requests/${String(door?.['id'])}/time-logs`;
    expect(await namesAt(path, 'description')).toEqual(['Seen', 'Opened']);
  });

  test('refuses further rows that differ, and items without a row', async () => {
    const file = 'number,notes,line_items.description\nA,one,Chair\nA,two,Desk\nB,,Lamp\n';
    expect(await importFile('PurchaseOrder', file)).toMatchObject({
      created: 1,
      errors: ['2 notes in line 3: must be empty, or as in line 2'],
    });
    expect(await importFile('ServiceRequest', 'title,comments.comment\n,Lost\nDoor,Seen\n')).toMatchObject({
      created: 1,
      errors: [expect.stringMatching(/^2 title: /)],
    });
  });

  test('has names that are none refused, and second levels too', async () => {
    expect(await problem('PurchaseOrder', 'number,line_items.colour\nA,red\n')).toEqual({
      'columns.2': expect.stringContaining('there is no field colour to write'),
    });
    expect(await problem('Building', 'name,assets.warranties.provider\nA,b\n')).toEqual({
      'columns.2': 'is nested too deeply for a column: NDJSON has such rows',
    });
    expect(await problem('PurchaseOrder', 'number,line_items.quantity,line_items.Quantity\nA,1,2\n')).toEqual({
      'columns.3': 'is the same field as the column line_items.quantity',
    });
    expect(await problem('PurchaseOrder', 'number,line_items.quantity,line_items\nA,1,[]\n')).toEqual({
      'columns.3': 'is of the same list as the column line_items.quantity',
    });
  });

  test('never has a row in one page and its items in another', async () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      Array.from({ length: 30 }, (_item, m) => `${m === 0 ? `R${n}` : ''},c${m}`).join('\n'),
    );
    const file = `title,comments.comment\n${lines.join('\n')}\n`;
    expect(await importFile('ServiceRequest', file, { dryRun: true })).toMatchObject({ created: 40, errors: [] });
    expect(await importFile('ServiceRequest', file)).toMatchObject({ created: 40, errors: [] });
    const { prisma } = service.database;
    const counts = await prisma.serviceRequest.findMany({
      where: { companyId: tenant.company.id },
      select: { _count: { select: { comments: true } } },
    });
    expect(counts.map(({ _count }) => _count.comments)).toEqual(Array.from({ length: 40 }, () => 30));
  });

  test('has at most 1,000 rows with a row, itself included', async () => {
    const comments = (count: number) =>
      Array.from({ length: count }, (_, n) => `${n === 0 ? 'A' : ''},c${n}\n`).join('');
    const file = (count: number) => `title,comments.comment\n${comments(count)}B,Seen\n`;
    expect(await importFile('ServiceRequest', file(999), { dryRun: true })).toMatchObject({ created: 2 });
    expect(await importFile('ServiceRequest', file(1000), { dryRun: true })).toMatchObject({
      created: 1,
      errors: ['2 comments.comment: brings the request to more than 1000 rows'],
    });
    expect(await importFile('ServiceRequest', file(2500), { dryRun: true })).toMatchObject({
      created: 1,
      errors: ['2 has more than 1000 rows of items'],
    });
  });

  test('has each key of an item once, across pages', async () => {
    const lines = Array.from({ length: 600 }, (_, n) => `B${n},${n === 599 ? 'S0' : `S${n}`},Press`);
    const file = `name,assets.serial_number,assets.asset_name\n${lines.join('\n')}\n`;
    expect((await importFile('Building', file, { dryRun: true })).errors).toEqual([
      '601 assets.serial_number: is the same as in line 2',
    ]);
  });
});

test('a spreadsheet has them as CSV does', async () => {
  const names = ['number', 'line_items.description', 'line_items.quantity'];
  const printer = sheetPrinter(
    names.map((name) => ({ name, type: undefined })),
    'UTC',
  );
  const rows = [
    ['A', 'Chair', 2],
    [null, 'Desk', 1.5],
  ];
  async function* parts() {
    yield printer.start();
    yield* printer.print(rows);
    yield printer.end();
  }
  expect(await importInto({ service, tenant }, 'PurchaseOrder', await buffer(writeWorkbook(parts())))).toMatchObject({
    created: 1,
    errors: [],
  });
  expect(await orders()).toEqual([['A', 'Chair 2', 'Desk 1.5']]);
});

describe('NDJSON', () => {
  test('has items as the API takes them, on two levels', async () => {
    const warranties = [{ provider: 'Acme', end_date: '2031-01-01' }];
    const file = ndjson(
      { name: 'North', areas: [{ name: 'Lobby' }, { name: 'Roof' }], assets: [{ asset_name: 'Press', warranties }] },
      { name: 'South', areas: [] },
    );
    expect(await importFile('Building', file)).toMatchObject({ created: 2, errors: [] });
    expect(await namesAt('/locations/areas')).toEqual(['Lobby', 'Roof']);
    const [press] = (await client.get('/assets')).rows;
    expect(await namesAt(`/assets/${String(press?.['id'])}/warranties`, 'provider')).toEqual(['Acme']);
  });

  test('has errors that name the place of the item', async () => {
    const file = ndjson(
      { number: 'A', line_items: [{ quantity: 1 }, { quantity: 'many' }] },
      { number: 'B', line_items: { quantity: 1 } },
      { number: 'C', line_items: [1] },
      { number: 'D', line_items: [{ colour: 'red' }] },
      { number: 'E', line_items: [{ quantity: 1 }, { quantity: -1 }] },
    );
    expect((await importFile('PurchaseOrder', file)).errors).toEqual([
      expect.stringMatching(/^1 line_items\.1\.quantity: /),
      '2 line_items: must be an array of objects, as JSON',
      '3 line_items.0: must be an object',
      '4 line_items.0: there is no field colour to write',
      expect.stringMatching(/^5 line_items\.1\.quantity: must not be negative/),
    ]);
    const asset = ndjson({
      name: 'North',
      assets: [{ warranties: [{ start_date: '2031-01-01', end_date: '2030-01-01' }] }],
    });
    const [error] = (await importFile('Building', asset)).errors;
    expect(error).toContain('assets.0.asset_name: is required');
    expect(error).toMatch(/assets\.0\.warranties\.0\.end_date: must be on or after the start date/);
  });

  test('counts items against the bound', async () => {
    const comments = Array.from({ length: 1000 }, () => ({ comment: 'x' }));
    expect(await importFile('ServiceRequest', ndjson({ title: 'A', comments }))).toMatchObject({
      created: 0,
      errors: ['1 comments: brings the request to more than 1000 rows'],
    });
  });
});

describe('stored rows', () => {
  test('take no items; new ones of an upsert do', async () => {
    await client.post('/procurement/orders', { number: 'A', line_items: [{ description: 'Chair', quantity: 2 }] });
    const file = 'number,line_items.description,line_items.quantity\nA,Desk,1\nB,Lamp,3\n';
    expect(await importFile('PurchaseOrder', file, { mode: 'upsert', key: 'number' })).toMatchObject({
      created: 1,
      errors: ['2 line_items.description: only new rows can have purchase order lines, and this one is stored'],
    });
    expect(await orders()).toEqual([
      ['A', 'Chair 2'],
      ['B', 'Lamp 3'],
    ]);
    expect(await problem('PurchaseOrder', file, { mode: 'update', key: 'number' })).toEqual({
      'columns.2': 'only new rows can have purchase order lines',
      'columns.3': 'only new rows can have purchase order lines',
    });
    const lines = ndjson({ number: 'A', line_items: [{ description: 'Desk' }] });
    expect((await importFile('PurchaseOrder', lines, { mode: 'update', key: 'number' })).errors).toEqual([
      '1 line_items: only new rows can have purchase order lines, and this one is stored',
    ]);
  });

  test('an export with items is imported without a change, and elsewhere with its items', async () => {
    await importFile('InventoryItem', 'name,sku\nOak,S1\n');
    const [item] = (await client.get('/inventory')).rows;
    const lines = [{ description: 'Chair', quantity: 2, item_id: item?.['id'] }, { description: 'Desk' }];
    await client.post('/procurement/orders', { number: 'A', line_items: lines });
    const { text } = await client.get('/procurement/orders', {}, { accept: 'text/csv' });
    for (const mode of ['update', 'upsert'] as const)
      expect(await importFile('PurchaseOrder', text, { mode })).toMatchObject({ unchanged: 1, updated: 0, errors: [] });
    const [order] = (await client.get('/procurement/orders')).rows;
    await client.delete(`/procurement/orders/${String(order?.['id'])}`);
    expect(await importFile('PurchaseOrder', text)).toMatchObject({ created: 1, errors: [] });
    const [again] = (await client.get('/procurement/orders')).rows;
    expect(again?.['line_items']).toEqual([
      expect.objectContaining({ description: 'Chair', quantity: 2, item_id: item?.['id'] }),
      expect.objectContaining({ description: 'Desk', quantity: null, item_id: null }),
    ]);
  });
});

test('the scope of items is needed too, and both are taken back together', async () => {
  const jobs = new Jobs({ database: service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importJob]);
  const take = async (by: Client) => {
    const { id } = (await by.post('/imports', { resource: 'buildings', auto_start: true })).row;
    await by.request('PUT', `/imports/${String(id)}/file`, {
      body: 'name,desks.name\nNorth,N-1\n,N-2\n',
      headers: { 'content-type': 'text/csv' },
    });
    await jobs.runAll();
    return (await by.get(`/imports/${String(id)}`)).row;
  };
  const locations = await tenant.client(['locations:read', 'locations:write']);
  expect(await take(locations)).toMatchObject({
    status: 'checked',
    refusals: [{ line: 2, errors: [expect.stringContaining('butts_in_seats:write')] }],
  });
  const row = await take(client);
  expect(row).toMatchObject({
    ...{ status: 'imported', rows: 1, done: 1, created: 1 },
    columns: [
      { header: 'name', field: 'name', examples: ['North'] },
      { header: 'desks.name', field: 'desks.name', examples: ['N-1', 'N-2'] },
    ],
  });
  expect(await namesAt('/butts-in-seats/desks')).toEqual(['N-1', 'N-2']);
  await client.patch(`/imports/${String(row['id'])}`, { status: 'cancelled' });
  await jobs.runAll();
  expect((await client.get(`/imports/${String(row['id'])}`)).row).toMatchObject({ status: 'cancelled', kept_count: 0 });
  expect(await namesAt('/butts-in-seats/desks')).toEqual([]);
  expect(await namesAt('/locations/buildings')).toEqual([]);
  await jobs.close();
});
