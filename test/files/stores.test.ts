// What every store does, of folders and of S3.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FileStore } from '../../src/files/index.ts';
import { S3Server } from '../support/s3.ts';
import { filesOf } from '../support/service.ts';
import { content, keysOf, testStore, textOf } from '../support/store-contract.ts';

let server: S3Server;
let folder: string;
beforeAll(async () => {
  [server, folder] = [await S3Server.start(), await mkdtemp(join(tmpdir(), 'premises-test-'))];
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

let count = 0;
const newFolder = () => ({ FILES_URL: pathToFileURL(join(folder, String(++count))).href });
const storeAt = (env: Record<string, string>): FileStore => filesOf(env).store;
const kinds = [
  ['a folder', () => storeAt(newFolder())],
  ['S3', () => storeAt(server.env(`test/${++count}`))],
] as const;

describe.each(kinds)('%s', (_, open) => testStore(open));

test('stores with different prefixes know nothing of each other', async () => {
  const [one, other] = [storeAt(server.env('one')), storeAt(server.env('one-more/below'))];
  await one.write('a/1/original', content('one'));
  await other.write('a/1/original', content('other'));
  expect([await keysOf(one), await keysOf(other)]).toEqual([['a/1/original'], ['a/1/original']]);
  const whole = storeAt(server.env());
  expect(await keysOf(whole)).toEqual(['one-more/below/a/1/original', 'one/a/1/original']);
  await one.remove('a/1');
  expect([await textOf(one, 'a/1/original'), await textOf(other, 'a/1/original')]).toEqual([undefined, 'other']);
});

describe('a store that cannot be used', () => {
  const cases = [
    ['a missing bucket', () => storeAt(server.env('', 'missing')), /bucket missing cannot be used: NoSuchBucket/],
    [
      'a server that is down',
      () => storeAt({ ...server.env(), FILES_URL: 's3://files/?endpoint=http://127.0.0.1:9' }),
      /bucket files cannot be used: .*ECONNREFUSED/,
    ],
    [
      'wrong keys',
      () => storeAt({ ...server.env(), AWS_ACCESS_KEY_ID: 'other' }),
      /bucket files cannot be used: InvalidAccessKeyId/,
    ],
    [
      'a file in place of the folder',
      async () => {
        await writeFile(join(folder, 'file'), '');
        return storeAt({ FILES_URL: pathToFileURL(join(folder, 'file')).href });
      },
      /folder of files cannot be used: .*(EEXIST|ENOTDIR)/,
    ],
  ] as const;

  test.each(cases)('says so: %s', async (name, open, message) => {
    const store = await open();
    await expect(store.check()).rejects.toThrow(message);
    const unavailable = { code: 'SERVICE_UNAVAILABLE' };
    await expect(store.write('a/1/original', content('abc'))).rejects.toMatchObject(unavailable);
    await expect(store.write('a/1/original', content(randomBytes(9_000_000)))).rejects.toMatchObject(unavailable);
    if (name === 'a file in place of the folder') return;
    await expect(store.read('a/1/original')).rejects.toMatchObject(unavailable);
    await expect(store.sizeOf('a/1/original')).rejects.toMatchObject(unavailable);
    await expect(store.remove('a/1')).rejects.toMatchObject(unavailable);
    await expect(keysOf(store)).rejects.toMatchObject(unavailable);
  });

  test('is used again when it is back, and has lost nothing', async () => {
    const store = storeAt(server.env('back'));
    await store.write('a/1/original', content('abc'));
    await server.pause();
    const unavailable = { code: 'SERVICE_UNAVAILABLE', message: expect.not.stringContaining('127.0.0.1') };
    await expect(store.read('a/1/original')).rejects.toMatchObject(unavailable);
    await server.resume();
    expect(await textOf(store, 'a/1/original')).toBe('abc');
  });
});
