// Imports files with the command line, as it is built.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CommandLine } from './support/command-line.ts';

let commands: CommandLine;
let folder: string;
beforeAll(async () => {
  commands = await CommandLine.create();
  folder = await mkdtemp(join(tmpdir(), 'premises-import-'));
  await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme');
  await commands.run(
    'user',
    'create',
    '--company',
    'acme',
    '--email',
    'ada@acme.example',
    '--name',
    'Ada',
    '--role',
    'admin',
  );
});
afterAll(async () => {
  await commands.remove();
  await rm(folder, { recursive: true });
});

test('a file is tried, corrected and imported', async () => {
  const [path, errors] = [join(folder, 'items.csv'), join(folder, 'errors.csv')];
  await writeFile(path, 'Name;SKU;Quantity;Unit cost\r\nLamp;S1;2;1,50\r\nDesk;S1;1;2,00\r\n');
  const base = ['import', path, '--company', 'acme', '--user', 'ada@acme.example', '--resource', 'inventory'];
  const unsure = await commands.run(...base);
  expect(unsure).toMatchObject({ code: 1, err: expect.stringContaining('begin with --dry-run') });
  const tried = await commands.run(...base, '--dry-run', '--errors', errors);
  expect(tried).toMatchObject({ code: 1, last: 'Would create 1, update 0, leave 0, refuse 1 rows.' });
  expect(tried.out).toContain('format: csv, encoding: utf-8, separator: semicolon, decimal: comma');
  expect(await readFile(errors, 'utf8')).toBe(
    '\uFEFFName;SKU;Quantity;Unit cost;import_errors\r\nDesk;S1;1;2,00;"line 3: sku: is the same as in line 2"\r\n'.replaceAll(
      /"(line [^"]*)"/g,
      '$1',
    ),
  );
  // Nothing is written of a file with errors.
  expect(await commands.run(...base, '--yes')).toMatchObject({ code: 1 });
  await writeFile(path, 'Name;SKU;Quantity;Unit cost\r\nLamp;S1;2;1,50\r\nDesk;S2;1;2,00\r\n');
  const done = await commands.run(...base, '--yes');
  expect(done.code).toBe(0);
  const [, id = ''] = /^To take it back: undo-import --company acme --import ([0-9a-f-]{36})$/.exec(done.last) ?? [];
  expect(done.out).toContain(`\nImport ${id}\nCreated 2, update 0, leave 0, refuse 0 rows.\n`);
  await commands.look(async ({ prisma }) => {
    const items = await prisma.inventoryItem.findMany({ orderBy: { sku: 'asc' } });
    expect(items.map(({ name, sku, quantity, unitCost }) => [name, sku, quantity, String(unitCost)])).toEqual([
      ['Lamp', 'S1', 2, '1.5'],
      ['Desk', 'S2', 1, '2'],
    ]);
    const [change] = await prisma.change.findMany({ where: { tableName: 'inventory_items' } });
    expect(change?.actor).toMatchObject({ kind: 'command_line', imports: id });
  });
});

test('a file has new rows with the items of their lists', async () => {
  const path = join(folder, 'buildings.csv');
  await writeFile(path, `name,areas.name\nNorth,Lobby\n,${'x'.repeat(501)}\n`);
  const base = ['import', path, '--company', 'acme', '--user', 'ada@acme.example', '--resource', 'locations/buildings'];
  const tried = await commands.run(...base, '--dry-run');
  expect(tried).toMatchObject({ code: 1, last: 'Would create 0, update 0, leave 0, refuse 1 rows.' });
  expect(tried.out).toContain('1 rows; columns: name → name, areas.name → areas.name');
  expect(tried.out).toMatch(/line 2\tareas\.name in line 3: must /);
  await writeFile(path, 'name,areas.name\nNorth,Lobby\n,Roof\nSouth,\n');
  expect(await commands.run(...base, '--yes')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Created 2, update 0, leave 0, refuse 0 rows.'),
  });
  await commands.look(async ({ prisma }) => {
    const areas = await prisma.area.findMany({ orderBy: { name: 'asc' }, include: { building: true } });
    expect(areas.map(({ name, building }) => [building?.name, name])).toEqual([
      ['North', 'Lobby'],
      ['North', 'Roof'],
    ]);
  });
});

test('stored rows are found by several fields', async () => {
  const path = join(folder, 'vendors.csv');
  await writeFile(path, 'external_source,external_id,company_name\nSAP,1,Acme\nSAP,2,Bolt\n');
  const base = ['import', path, '--company', 'acme', '--user', 'ada@acme.example', '--resource', 'vendors'];
  const found = ['--mode', 'upsert', '--key', 'external_source,external_id', '--yes'];
  expect((await commands.run(...base, ...found)).out).toContain('Created 2, update 0, leave 0, refuse 0 rows.');
  await writeFile(path, 'external_source,external_id,company_name\nSAP,1,Acme\nSAP,2,Bolts\n');
  expect((await commands.run(...base, ...found)).out).toContain('Created 0, update 1, leave 1, refuse 0 rows.');
  expect((await commands.run(...base, '--mode', 'upsert', '--key', 'email,phone', '--yes')).err).toContain(
    'or external_source,external_id',
  );
});

test('a saved mapping says what is not said', async () => {
  const path = join(folder, 'mapped.csv');
  await writeFile(path, 'Firma;external_source;external_id\nCoil;SAP;3\n');
  await commands.look(async ({ prisma }) => {
    const { companyId, id: userId } = await prisma.user.findFirstOrThrow({ where: { company: { slug: 'acme' } } });
    const options = {
      ...{ mode: 'upsert', key: 'external_source,external_id', handling: 'strict', autoStart: false },
      mapping: { Firma: 'company_name' },
    };
    await prisma.importMapping.create({ data: { companyId, userId, name: 'ERP', type: 'Vendor', options } });
  });
  const base = ['import', path, '--company', 'acme', '--user', 'ada@acme.example', '--resource'];
  const done = await commands.run(...base, 'vendors', '--saved-mapping', 'ERP', '--yes');
  expect(done.out).toContain('Created 1, update 0, leave 0, refuse 0 rows.');
  const again = await commands.run(...base, 'vendors', '--saved-mapping', 'ERP', '--yes');
  expect(again.out).toContain('Created 0, update 0, leave 1, refuse 0 rows.');
  expect(await commands.run(...base, 'paints', '--saved-mapping', 'ERP', '--yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is for rows of another type'),
  });
});
