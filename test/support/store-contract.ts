// What every store of files does.
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import type { FileStore } from '../../src/files/index.ts';

/** Content in chunks. */
export async function* content(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
/** What reading broken content fails with. */
export const failure = new Error('The client has gone.');
/** Content that ends early. */
export async function* broken(...chunks: (string | Uint8Array)[]) {
  yield* content(...chunks);
  throw failure;
}

/** The text of an object. */
export const textOf = async (store: FileStore, key: string, range?: { start: number; end: number }) => {
  const found = await store.read(key, range);
  return found && (await buffer(found)).toString();
};

/** All keys, of objects that were just stored. */
export async function keysOf(store: FileStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key, storedAt } of store.list()) {
    expect(Math.abs(Date.now() - storedAt.getTime())).toBeLessThan(60_000);
    keys.push(key);
  }
  return keys.toSorted();
}

/** Adds the tests of a store. @param open opens one that is empty */
export function testStore(open: () => FileStore): void {
  test('has what was written, whole and in parts, until it is removed', async () => {
    const store = open();
    await store.check();
    expect(await keysOf(store)).toEqual([]);
    await store.write('a/1/original', content('abc', '', 'defg'));
    await store.write('a/1/small', content('s'));
    await store.write('a/12/original', content('other'));
    expect(await textOf(store, 'a/1/original')).toBe('abcdefg');
    expect(await textOf(store, 'a/1/original', { start: 2, end: 4 })).toBe('cde');
    expect(await textOf(store, 'a/1/original', { start: 6, end: 6 })).toBe('g');
    expect([await store.sizeOf('a/1/original'), await store.sizeOf('a/2/original')]).toEqual([7, undefined]);
    expect(await store.read('a/2/original')).toBeUndefined();
    expect(await keysOf(store)).toEqual(['a/1/original', 'a/1/small', 'a/12/original']);
    await store.write('a/1/original', content('new'));
    expect(await textOf(store, 'a/1/original')).toBe('new');
    await store.remove('a/1');
    await store.remove('a/1');
    expect(await keysOf(store)).toEqual(['a/12/original']);
    await store.remove('a');
    expect(await keysOf(store)).toEqual([]);
    await store.close();
  });

  test('has all of an object or nothing', async () => {
    const store = open();
    await store.write('a/1/original', content('before'));
    const large = randomBytes(9_000_000);
    for (const chunks of [[], ['abc'], [large]])
      for (const key of ['a/1/original', 'a/2/original'])
        await expect(store.write(key, broken(...chunks))).rejects.toBe(failure);
    expect(await textOf(store, 'a/1/original')).toBe('before');
    expect(await store.sizeOf('a/2/original')).toBeUndefined();
    expect(await keysOf(store)).toEqual(['a/1/original']);
    await store.remove('a');
    await store.close();
  });

  test.each([8 * 1024 * 1024, 8 * 1024 * 1024 + 1, 20_000_000])('has objects of %i bytes', async (size) => {
    const store = open();
    const bytes = randomBytes(size);
    const chunks = Array.from({ length: Math.ceil(size / 99_991) }, (_each, at) =>
      bytes.subarray(at * 99_991, (at + 1) * 99_991),
    );
    await store.write('a/1/original', content(...chunks));
    const found = await store.read('a/1/original');
    const hash = (of: Buffer) => createHash('sha256').update(of).digest('hex');
    expect(found && hash(await buffer(found))).toBe(hash(bytes));
    expect(await store.sizeOf('a/1/original')).toBe(size);
    await store.remove('a');
    await store.close();
  });
}
