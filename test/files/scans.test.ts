// Files that a scanner does not scan: they wait, and the others are scanned.
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { FileScans } from '../../src/background/file-scans.ts';
import { noMailer } from '../../src/mail/index.ts';
import type { Client } from '../support/client.ts';
import { addFile, contentOf } from '../support/files.ts';
import { freePort } from '../support/process.ts';
import { Scanner } from '../support/scanner.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';

let scanner: Scanner;
let service: Service;
let acme: Tenant;
let client: Client;
let scans: FileScans;
const told: unknown[] = [];
let env: Record<string, string>;
beforeAll(async () => {
  scanner = new Scanner(await freePort());
  env = { CLAMD_URL: `tcp://127.0.0.1:${scanner.port}` };
  service = await startService(env);
  acme = await service.tenant();
  client = await acme.client();
});
beforeEach(() => {
  scans = new FileScans({
    ...service,
    files: filesOf(env),
    mailer: noMailer,
    log: { warn: (...facts: unknown[]) => void told.push(facts) },
  });
});
afterEach(async () => {
  await scans.close();
  await service.database.prisma.file.deleteMany({});
  scanner.scans.length = 0;
  told.length = 0;
});
afterAll(() => service.close());

/** Adds files while the scanner is down, the oldest first. */
async function arrived(...words: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const word of words) ids.push(String((await addFile(client, `${word} abc`))['id']));
  return ids;
}
const statusesOf = async (ids: readonly string[]) => {
  const found = await service.database.prisma.file.findMany({
    where: { id: { in: [...ids] } },
    orderBy: { id: 'asc' },
  });
  return found.map(({ scanStatus }) => scanStatus);
};

test('one that the scanner refuses with an error stops no others, and is given up after five tries', async () => {
  const ids = await arrived('old', 'poison', 'new');
  await scanner.start();
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now');
  try {
    await scans.tick();
    expect(scanner.scans).toEqual(['new', 'poison', 'old']);
    expect(await statusesOf(ids)).toEqual(['CLEAN', 'PENDING', 'CLEAN']);
    expect(told).toEqual([[{ err: expect.any(Error), fileId: ids[1] }, 'a file was not scanned']]);
    await scans.tick();
    expect(scanner.scans).toHaveLength(3);
    for (const [tries, minutes] of [1, 7, 38, 160].entries()) {
      expect(await statusesOf(ids)).toEqual(['CLEAN', 'PENDING', 'CLEAN']);
      clock.mockImplementation(() => now + minutes * 60_000 + 5000);
      await scans.tick();
      await scans.tick();
      expect(scanner.scans.slice(3)).toEqual(Array(tries + 1).fill('poison'));
    }
  } finally {
    clock.mockRestore();
    await scanner.stop();
  }
  expect(await statusesOf(ids)).toEqual(['CLEAN', 'FAILED', 'CLEAN']);
  const reply = await contentOf(client, ids[1] ?? '');
  expect([reply.status, await reply.json()]).toMatchObject([
    403,
    { error: { message: 'The file could not be scanned for malware. The scanner for malware cannot read it.' } },
  ]);
});

test('one with which the scanner ends lets others go first at the next look', async () => {
  const ids = await arrived('old', 'crash');
  await scanner.start();
  try {
    await expect(scans.tick()).rejects.toThrow('The scanner ended without an answer.');
    expect(await statusesOf(ids)).toEqual(['PENDING', 'PENDING']);
    await scans.tick();
    expect(scanner.scans).toEqual(['crash', 'old']);
    expect(await statusesOf(ids)).toEqual(['CLEAN', 'PENDING']);
  } finally {
    await scanner.stop();
  }
});

test('what it does not scan whole has no malware that is known, and is not served', async () => {
  const ids = await arrived('limits', 'bad');
  await scanner.start();
  try {
    await scans.tick();
  } finally {
    await scanner.stop();
  }
  expect(await statusesOf(ids)).toEqual(['FAILED', 'INFECTED']);
});

test('while it cannot be reached, no file loses a try', async () => {
  const ids = await arrived('old', 'new');
  for (let n = 0; n < 6; n += 1) await expect(scans.tick()).rejects.toThrow('The scanner cannot be reached.');
  await scanner.start();
  try {
    await scans.tick();
  } finally {
    await scanner.stop();
  }
  expect(await statusesOf(ids)).toEqual(['CLEAN', 'CLEAN']);
});

test('an error for what arrives leaves it for later', async () => {
  await scanner.start();
  try {
    expect(await statusesOf(await arrived('poison', 'crash', 'new'))).toEqual(['PENDING', 'PENDING', 'CLEAN']);
  } finally {
    await scanner.stop();
  }
});
