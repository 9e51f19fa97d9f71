// Imports files through the steps of every write, on the database of the tests.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from './support/client.ts';
import { type ImportFileOptions, importFile as importInto, problem as problemOf } from './support/import-file.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A company of its own for a test. */
async function begin() {
  tenant = await service.tenant();
  client = await tenant.client(['*']);
}

const importFile = (type: string, content: string, options?: ImportFileOptions) =>
  importInto({ service, tenant }, type, content, options);

/** What is wrong with a file, by field. */
const problem = (type: string, content: string, options?: ImportFileOptions) =>
  problemOf({ service, tenant }, type, content, options);

const rowsOf = async (path: string) => (await client.get(path, { limit: 100, sort: 'created_at' })).rows;

test('inserts rows, whose references are named by title, email or id', async () => {
  await begin();
  await importFile('Building', 'name\nTower; North\n', { separator: 'comma' });
  const [building] = await rowsOf('/buildings');
  const [ada] = tenant.users;
  const result = await importFile(
    'ServiceRequest',
    `Title;Priority;Building;assigned_to\r\n"'=1+1";High;Tower; North;${ada?.email.toUpperCase()}\r\n`.replace(
      'Tower; North',
      '"Tower; North"',
    ) + `Lamp;low;${building?.id};\r\n`,
  );
  expect(result).toMatchObject({ created: 2, errors: [], detected: { separator: 'semicolon', encoding: 'utf-8' } });
  const rows = (await rowsOf('/service-requests')).sort((one, other) =>
    String(one['title']) < String(other['title']) ? -1 : 1,
  );
  expect(rows).toEqual([
    expect.objectContaining({ title: '=1+1', priority: 'high', building_id: building?.id, assigned_to: ada?.id }),
    expect.objectContaining({ title: 'Lamp', building_id: building?.id, assigned_to: null, created_by: ada?.id }),
  ]);
});

test('a dry run finds the errors of all rows, and writes nothing', async () => {
  await begin();
  await importFile('Building', 'name\nTwin\nTwin\n');
  const lines = Array.from({ length: 600 }, (_, n) => `Request ${n},,`);
  lines[3] = ',,';
  lines[5] = 'A,Twin,';
  lines[550] = 'A,Nowhere,gone';
  const file = `title,building,status\n${lines.join('\n')}\n`;
  const result = await importFile('ServiceRequest', file, { dryRun: true });
  expect(result.created).toBe(597);
  expect(result.errors).toEqual([
    expect.stringMatching(/^5 title: /),
    expect.stringMatching(/^7 building: names 2 buildings, so write the id of one: [\w-]+, [\w-]+$/),
    expect.stringMatching(/^552 building: there is no building "Nowhere"; status: must be one of /),
  ]);
  expect(await rowsOf('/service-requests')).toEqual([]);
  // The file of errors has the same columns and one more, and is a file to import once it is corrected.
  const corrected = result.refused
    .replace(/^,,/m, 'Title,,')
    .replace('Twin', '')
    .replace('Nowhere', '')
    .replace('gone', '');
  expect(await importFile('ServiceRequest', corrected)).toMatchObject({ created: 3, errors: [] });
});

test('rows with errors are left out, and the others of their page are written', async () => {
  await begin();
  const result = await importFile('InventoryItem', 'name,sku,quantity\nA,S1,1\nB,S1,2\nC,S2,-5\nD,S3,4\n');
  expect(result.errors).toEqual([
    '3 sku: is the same as in line 2',
    expect.stringMatching(/^4 quantity: must not be negative/),
  ]);
  expect((await rowsOf('/inventory')).map(({ name }) => name).sort()).toEqual(['A', 'D']);
  expect((await importFile('InventoryItem', 'name,sku\nE,S1\nF,S9\n')).errors).toEqual(['2 sku: is taken']);
});

test('keys of one file are compared across its pages, also where these are taken back', async () => {
  await begin();
  const lines = Array.from({ length: 1100 }, (_, n) => `Item ${n},S${n === 1099 ? 0 : n}`);
  const result = await importFile('InventoryItem', `name,sku\n${lines.join('\n')}\n`, { dryRun: true });
  expect(result.errors).toEqual(['1101 sku: is the same as in line 2']);
});

test('updates by a key, inserts what is new, and clears what is empty', async () => {
  await begin();
  await importFile('InventoryItem', 'name,sku,quantity,category\nA,S1,1,Shelf\nB,S2,2,\n');
  const file = 'sku,name,quantity,category\nS1,A,5,\nS2,B,2,\nS3,C,3,\n';
  expect(await importFile('InventoryItem', file, { mode: 'update', key: 'sku' })).toMatchObject({
    updated: 1,
    unchanged: 1,
    created: 0,
    errors: ['4 sku: there is no inventory item "S3"'],
  });
  expect(await importFile('InventoryItem', file, { mode: 'upsert', key: 'sku' })).toMatchObject({
    updated: 0,
    unchanged: 2,
    created: 1,
    errors: [],
  });
  const rows = await rowsOf('/inventory');
  expect(rows.map(({ sku, quantity, category }) => [sku, quantity, category]).sort()).toEqual([
    ['S1', 5, null],
    ['S2', 2, null],
    ['S3', 3, null],
  ]);
});

describe('a key of several fields', () => {
  const inSystem = (rows: string) => `external_source,external_id,name,quantity\n${rows}`;

  test('is what another system calls a row', async () => {
    await begin();
    const key = 'external_source,external_id';
    await importFile('InventoryItem', inSystem('SAP,1,A,1\nSAP,2,B,2\nOther,1,C,3\n'));
    const file = inSystem('SAP,1,A,5\n SAP ,2,B,2\nOther,2,D,4\n,,E,5\n');
    expect(await importFile('InventoryItem', file, { mode: 'upsert', key })).toMatchObject({
      ...{ updated: 1, unchanged: 1, created: 2, errors: [] },
    });
    const rows = (await rowsOf('/inventory')).map(
      (row) => `${row['external_source']} ${row['name']} ${row['quantity']}`,
    );
    expect(rows.toSorted()).toEqual(['Other C 3', 'Other D 4', 'SAP A 5', 'SAP B 2', 'null E 5']);
    const wrong = inSystem('SAP,9,X,1\nSAP,,X,1\n,,X,1\n');
    expect(
      (await importFile('InventoryItem', wrong, { mode: 'update', key: 'externalId, externalSource' })).errors,
    ).toEqual([
      '2 external_source,external_id: there is no such inventory item',
      '3 external_id: is required',
      '4 external_source,external_id: is required',
    ]);
  });

  test('is unique in the file by all of them', async () => {
    await begin();
    const key = 'external_source,external_id';
    const file = inSystem('SAP,1,A,1\nOther,1,B,2\nSAP,2,C,3\nSAP,1,D,4\n');
    expect(await importFile('InventoryItem', file, { mode: 'upsert', key })).toMatchObject({
      created: 3,
      errors: ['5 external_source, external_id: is the same as in line 2'],
    });
  });

  test('may have references, numbers and days', async () => {
    await begin();
    await importFile('Vendor', 'company_name\nAcme\nBolt\n');
    const invoices = 'vendor,invoice_number,amount\nAcme,1,10\nBolt,1,20\n';
    expect(await importFile('Invoice', invoices)).toMatchObject({ created: 2, errors: [] });
    const changed = invoices.replace('20', '25') + 'Bolt,2,30\n';
    expect(await importFile('Invoice', changed, { mode: 'upsert', key: 'vendor_id,invoice_number' })).toMatchObject({
      ...{ unchanged: 1, updated: 1, created: 1, errors: [] },
    });
    await importFile('Checklist', 'name\nOpening\n');
    const done = (status: string) =>
      `checklist,completion_date,notes\nOpening,2026-03-02,${status}\nOpening,2026-03-03,\n`;
    expect(await importFile('ChecklistCompletion', done(''))).toMatchObject({ created: 2, errors: [] });
    const key = 'checklist_id,completion_date';
    for (const mode of ['update', 'upsert'] as const)
      expect(await importFile('ChecklistCompletion', done(mode), { mode, key })).toMatchObject({
        ...{ unchanged: 1, updated: 1, created: 0, errors: [] },
      });
  });

  test('is one that is unique, whose columns are all there', async () => {
    await begin();
    expect(await problem('Invoice', 'vendor\n', { mode: 'update', key: 'vendor_id,amount' })).toEqual({
      key: 'must be one of id, external_id, invoice_number or vendor_id,invoice_number or external_source,external_id',
    });
    expect(
      await problem('Invoice', 'vendor,amount\nAcme,1\n', { mode: 'update', key: 'vendor_id,invoice_number' }),
    ).toEqual({ file: 'has no column invoice_number, by which stored rows are found' });
  });
});

test('an export is imported again without a change, and refuses rows that have changed since', async () => {
  await begin();
  await importFile('ServiceRequest', 'title,description\n=A,"-1\nline"\nB,\n');
  const { text } = await client.get('/service-requests', {}, { accept: 'text/csv' });
  const again = await importFile('ServiceRequest', text, { mode: 'update' });
  expect(again).toMatchObject({ updated: 0, unchanged: 2, errors: [] });
  const [first = {}, second = {}] = await rowsOf('/service-requests');
  const etag = async (id: unknown) => (await client.get(`/service-requests/${id}`)).headers.get('etag');
  const file =
    `id,title,etag\n${first.id},C,${await etag(first.id)}\n${second.id},D,${await etag(second.id)}\n`.replaceAll(
      '"',
      '',
    );
  await client.patch(`/service-requests/${first.id}`, { title: 'E' });
  expect(await importFile('ServiceRequest', file, { mode: 'update' })).toMatchObject({
    updated: 1,
    errors: [expect.stringMatching(/^2 .*changed since you last fetched it/)],
  });
});

test('what can be read in two ways is refused until the client says which', async () => {
  await begin();
  const file = 'name;quantity;unit_cost\nA;1;1.234\n';
  expect(await problem('InventoryItem', file)).toEqual({
    decimal: 'must be point or comma: "1.234" (unit_cost, line 2) can be read in two ways',
  });
  expect(await importFile('InventoryItem', file, { decimal: 'comma' })).toMatchObject({ created: 1, errors: [] });
  const both = 'name;unit_cost\nA;1,5\nB;1.5\n';
  expect(await problem('InventoryItem', both)).toEqual({
    decimal: 'must be point or comma: "1.5" (unit_cost, line 3) and "1,5" (unit_cost, line 2) are written differently',
  });
});

test('columns are found by name, label or position, and unknown ones are refused', async () => {
  await begin();
  expect(await problem('InventoryItem', 'name,colour\nA,b\n')).toEqual({
    'columns.2': expect.stringContaining('there is no field colour to write'),
  });
  expect(await problem('InventoryItem', 'name,Name\nA,b\n')).toEqual({
    'columns.2': 'is the same field as the column name',
  });
  expect(await problem('InventoryItem', 'sku\nA\n')).toEqual({ file: 'has no column name, which new rows need' });
  const mapping = { Bezeichnung: 'name', '2': 'unitCost', Farbe: null };
  expect(await importFile('InventoryItem', 'Bezeichnung,Preis,Farbe\nA,2.5,b\n', { mapping })).toMatchObject({
    created: 1,
  });
  expect(await problem('InventoryItem', 'name\nA\n', { mapping: { nam: 'sku' } })).toEqual({
    'mapping.nam': 'there is no such column; did you mean name?',
  });
});

test('rows of sub-resources are written below their parents', async () => {
  await begin();
  const paints = await Promise.all(['Red', 'Blue'].map((name) => client.post('/paints', { name })));
  const file = 'paint_id,room\nRed,Kitchen\nBlue,Hall\nGreen,Hall\n,Hall\n';
  const result = await importFile('PaintLocation', file);
  expect(result).toMatchObject({ created: 2 });
  expect(result.errors).toEqual(['4 paint_id: there is no paint "Green"', '5 paintId: is required']);
  const [red] = paints;
  expect(await rowsOf(`/paints/${red?.row['id']}/locations`)).toHaveLength(1);
});

test('the scopes and the role of its person decide', async () => {
  await begin();
  const own = 'full_name\nCleo\n';
  expect(await problem('User', own)).toEqual({ mode: expect.stringContaining('cannot be insert') });
  const [ada, , cleo] = tenant.users;
  const file = `title,assigned_to\nA,${cleo?.id}\n`;
  await importFile('ServiceRequest', file);
  const record = `user_id,clock_in_time\n${ada?.id},2026-03-02T08:00:00Z\n`;
  // Members write time clock records of their own alone.
  const refused = await problem('TimeClockRecord', record, { role: 'MEMBER' });
  expect(refused).toMatchObject({ created: 0, errors: [expect.stringMatching(/must be yourself/)] });
});

test('goes on after the rows that an earlier attempt has written', async () => {
  await begin();
  const lines = Array.from({ length: 1200 }, (_, n) => `Item ${n},S${n}`);
  const file = `name,sku\n${lines.join('\n')}\n`;
  expect(await importFile('InventoryItem', file, { from: 500 })).toMatchObject({ created: 700, errors: [] });
});
