// Archives that cannot be imported, and leave nothing behind.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ZipFile } from 'yazl';
import { CompanyArchive } from '../../src/auth/company-archive.ts';
import { exportCompany } from '../../src/auth/company-export.ts';
import { importCompany } from '../../src/auth/company-import.ts';
import { filesOf, type Service, startService } from '../support/service.ts';
import { unzip } from '../support/unzip.ts';

let folder: string;
let service: Service;
/** The archive of a company, and its files. */
let archive: string;
let files: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  service = await startService();
  const acme = await service.tenant('acme');
  const client = await acme.client();
  const { row: paint } = await client.post('/paints', { name: 'White' });
  await client.post(`/paints/${String(paint['id'])}/locations`, { room: 'Hall' });
  await client.post('/leases', { name: 'Office' });
  for (const company_name of ['One', 'Two']) await client.post('/vendors', { company_name });
  archive = join(folder, 'acme.zip');
  const file = await open(archive, 'wx');
  await exportCompany(service.database, filesOf(), acme.company.id, file, { timeoutMs: 60_000 }).finally(() =>
    file.close(),
  );
  files = await unzip(await readFile(archive));
  // Its people can join another company.
  await service.database.query({ text: 'UPDATE people SET email_verified_at = now()' });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function imported(path: string): Promise<unknown> {
  const opened = await CompanyArchive.open(path);
  return importCompany(service.database, filesOf(), opened, 'bad').finally(() => opened.close());
}

const countChanges = async () => (await service.database.query({ text: 'SELECT count(*) AS count FROM changes' })).rows;

/** Writes an archive of files; of a number of bytes where it is one. */
async function zipped(contents: Record<string, string>): Promise<string> {
  const path = join(folder, `${randomUUID()}.zip`);
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(contents)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}
const manifest = () => JSON.parse(files['archive.json'] ?? '') as { migration: string; tables: Record<string, number> };
const manifested = (changes: object) => `${JSON.stringify({ ...manifest(), ...changes })}\n`;
const without = (name: string) => Object.fromEntries(Object.entries(files).filter(([each]) => each !== name));
/** The archive with another line in a file. */
const replaced = (name: string, from: string | RegExp, to: string) => ({
  ...files,
  [name]: (files[name] ?? '').replace(from, to),
});

const cases: [string, () => Record<string, string>, string][] = [
  ['another ZIP archive', () => ({ 'a.txt': 'a' }), 'The archive is not one of a company'],
  ['an archive of before', () => without('archive.json'), 'an older version wrote it, which was only for reading'],
  [
    'another format',
    () => ({ ...files, 'archive.json': manifested({ format: 2 }) }),
    'is not one that this version knows',
  ],
  [
    'another version',
    () => ({ ...files, 'archive.json': manifested({ migration: '2030_next' }) }),
    'migration is 2030_next',
  ],
  ['a missing file', () => without('paints.ndjson'), 'The archive has no paints.ndjson'],
  ['a missing row', () => replaced('paints.ndjson', /^.*\n/, ''), 'paints.ndjson does not have all of its rows'],
  ['a row cut off', () => replaced('paints.ndjson', /.\n$/, ''), 'paints.ndjson is damaged'],
  ['no JSON', () => replaced('paints.ndjson', /^./, ''), 'paints.ndjson has a row that is not one of this table'],
  ['no object', () => replaced('paints.ndjson', /^.*/, '7'), 'paints.ndjson has a row that is not one of this table'],
  ['no id', () => replaced('paints.ndjson', /"id":"[^"]*"/, '"id":null'), 'paints.ndjson has a row that is not one of'],
  [
    'another status',
    () => replaced('leases.ndjson', /"status":"\w+"/, '"status":"new"'),
    'leases.ndjson has a row that',
  ],
  [
    'a row without its parent',
    () => replaced('paint_locations.ndjson', /"paint_id":"[^"]*"/, `"paint_id":"${randomUUID()}"`),
    'paint_locations.ndjson refers to rows that the archive does not have',
  ],
  [
    'a row twice',
    () => replaced('vendors.ndjson', /^(.*\n).*\n/, '$1$1'),
    'vendors.ndjson has two rows where there can be one',
  ],
  [
    'a sandbox',
    () => replaced('companies.ndjson', '"sandbox_of_id":null', `"sandbox_of_id":"${randomUUID()}"`),
    'companies.ndjson is not that of a company',
  ],
  [
    'a row without end',
    () => ({ ...files, 'paints.ndjson': 'x'.repeat(20_000_000) }),
    'paints.ndjson has a row that is too long',
  ],
  ['a bomb', () => ({ ...files, 'bomb.txt': '0'.repeat(300_000_000) }), 'times larger when it is unpacked'],
];

test.each(cases)('%s', async (_name, contents, message) => {
  const before = await countChanges();
  const people = await service.database.prisma.person.count();
  await expect(imported(await zipped(contents()))).rejects.toThrow(message);
  expect(await service.database.prisma.company.count({ where: { slug: { startsWith: 'bad' } } })).toBe(0);
  expect(await service.database.prisma.person.count()).toBe(people);
  expect(await countChanges()).toEqual(before);
});

test('that is no archive, or damaged', async () => {
  const path = join(folder, 'damaged.zip');
  const whole = await readFile(archive);
  await writeFile(path, whole.subarray(0, whole.length - 100));
  await expect(imported(path)).rejects.toThrow('is not a ZIP archive, or not all of one');
  const stored = Buffer.from(whole);
  for (let at = 5000; at < 5020; at++) stored[at] = ~(stored[at] ?? 0) & 255;
  await writeFile(path, stored);
  await expect(imported(path)).rejects.toThrow(/ is damaged$/);
  await expect(imported(join(folder, 'nowhere.zip'))).rejects.toThrow('ENOENT');
});
