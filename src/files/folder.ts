// A store in a folder, which all instances of a database share.
import { randomUUID } from 'node:crypto';
import { constants, createReadStream, createWriteStream, type Dirent, type WriteStream } from 'node:fs';
import { access, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, FileStore, StoredObject } from './store.ts';
import { codeOf, explainSystemError, reasonOf } from './store-errors.ts';

/** Where objects are written before they are whole. No company has this name. */
const arriving = 'arriving';

/** How long (ms) an object may take to arrive; then what is there of it is deleted. */
const arrivingMs = 24 * 60 * 60 * 1000;

/** A store in a folder. */
export class FolderStore implements FileStore {
  /** @param folder its path; it is created with the first object */
  constructor(private readonly folder: string) {}

  async write(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.pathOf(key);
    const begun = join(this.folder, arriving, randomUUID());
    let file: WriteStream | undefined;
    try {
      await mkdir(dirname(begun), { recursive: true });
      file = createWriteStream(begun, { flags: 'wx', flush: true });
      await pipeline(content, file);
      await mkdir(dirname(path), { recursive: true });
      await rename(begun, path);
      await sync(dirname(path));
    } catch (error) {
      // It may still be opening, and would be there after it was removed.
      await closed(file);
      await rm(begun, { force: true }).catch(() => {});
      throw explainSystemError(error);
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const file = await open(this.pathOf(key)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw explainSystemError(error);
    });
    return file && createReadStream('', { fd: file, ...range });
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      return (await stat(this.pathOf(key))).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw explainSystemError(error);
    }
  }

  async remove(folder: string): Promise<void> {
    await rm(this.pathOf(folder), { recursive: true, force: true });
  }

  async *list(): AsyncGenerator<StoredObject> {
    for await (const [path, key] of this.filesBelow('')) {
      const found = await stat(path).catch(() => undefined);
      if (!found) continue;
      if (!key.startsWith(`${arriving}/`)) yield { key, storedAt: found.mtime };
      else if (Date.now() - found.mtimeMs > arrivingMs) await rm(path, { force: true });
    }
  }

  async check(): Promise<void> {
    // What is missing is created with the first object, if its folder can be written to.
    for (let path = join(this.folder, arriving); ; path = dirname(path)) {
      try {
        return await access(path, constants.W_OK);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || path === dirname(path))
          throw new Error(`The folder of files cannot be used: ${reasonOf(error)}`, { cause: error });
      }
    }
  }

  async close(): Promise<void> {}

  private pathOf(key: string): string {
    if (!/^[\da-z-]+(\/[\da-z-]+)*$/i.test(key)) throw new Error(`${key} is no key of the store of files.`);
    return join(this.folder, key);
  }

  private async *filesBelow(key: string): AsyncGenerator<readonly [path: string, key: string]> {
    const path = join(this.folder, key);
    const entries = await readEntries(path);
    for await (const entry of entries) {
      const below = key === '' ? entry.name : `${key}/${entry.name}`;
      if (entry.isDirectory()) yield* this.filesBelow(below);
      else yield [join(path, entry.name), below];
    }
  }
}

/** The entries of a folder, a few at a time; none if it is gone. */
const readEntries = (path: string): Promise<AsyncIterable<Dirent>> =>
  opendir(path).catch(async (error: unknown) => {
    if (!isMissing(error)) throw explainSystemError(error);
    return (async function* () {})();
  });

/** Makes the name of an object as lasting as its bytes are. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits until a stream has closed its file, whether it has written it or failed. */
async function closed(file: WriteStream | undefined): Promise<void> {
  if (file && !file.closed) await new Promise<void>((resolve) => file.once('close', () => resolve()));
}

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
