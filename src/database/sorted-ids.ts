import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The most rows that are sorted at once: their ids take 16 MB. A longer list is sorted again for each further part. */
export const maxSortedIds = 1_000_000;

/** How many rows are read in pages that are each sorted, as sorting a short list again takes no more than this. */
const minPassed = 1000;

const bytesOfId = 16;

/** Ids in order, from a place in the list. */
export interface SortedPart {
  readonly ids: readonly string[];
  /** The place of the first one. */
  readonly start: number;
}

/** Finds the ids of rows in their order, 16 bytes each, at most `maxSortedIds` of them. */
type FindIds = () => Promise<Buffer>;

/**
 * The order of a list that is read page by page, in a temporary file, where no index has it: otherwise each page would
 * sort all rows again. A cursor of the database would hold a connection for as long as the client reads.
 */
export class SortedIds {
  /** Identifies the list. */
  private list?: string;
  private file?: FileHandle;
  private count = 0;
  private next = 0;
  private isClosed = false;
  private passed = 0;

  /** @param company whose lists are sorted one at a time, so that another company never waits for several */
  constructor(private readonly company: string) {}

  /** Whether these ids are, or can become, those of a list. */
  isOf(list: string): boolean {
    this.list ??= list;
    return this.list === list;
  }

  /** Whether the list has proved to be long. */
  get isWorthwhile(): boolean {
    return this.passed >= minPassed;
  }

  /** Counts rows that were read in another way. */
  pass(count: number): void {
    this.passed += count;
  }

  /** Whether a list is longer than what is sorted at once. */
  get isCut(): boolean {
    return this.count === maxSortedIds;
  }

  /** Whether the next ids, so many, are not known. */
  lacks(count: number): boolean {
    return !this.file || (this.isCut && this.count - this.next < count);
  }

  /** Finds the ids of the rows from the next page on. */
  async sort(find: FindIds): Promise<void> {
    await this.store(await oneAtATime(this.company, find));
  }

  /** Reads the next ids; fewer at the end. */
  async read(count: number): Promise<SortedPart> {
    const start = this.next;
    const length = Math.min(count, this.count - start) * bytesOfId;
    const bytes = Buffer.alloc(length);
    await this.file?.read(bytes, 0, length, start * bytesOfId);
    this.next += length / bytesOfId;
    return { ids: Array.from({ length: length / bytesOfId }, (_, n) => uuidAt(bytes, n * bytesOfId)), start };
  }

  /** Lets the next page begin at a place. */
  seek(place: number): void {
    this.next = place;
  }

  /** Deletes the file. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.file?.close();
  }

  private async store(ids: Buffer): Promise<void> {
    if (!this.file) {
      const folder = await mkdtemp(join(tmpdir(), 'premises-sorted-'));
      this.file = await open(join(folder, 'ids'), 'wx+', 0o600);
      // It has no name from now on, and goes with its last use.
      await rm(folder, { recursive: true });
    }
    await this.file.truncate();
    await this.file.write(ids, 0, ids.length, 0);
    this.count = ids.length / bytesOfId;
    this.next = 0;
    // The client has gone meanwhile.
    if (this.isClosed) await this.file.close();
  }
}

/** The last sort of each company. */
const sorts = new Map<string, Promise<unknown>>();

/** Runs work of a company after its other work. */
async function oneAtATime<T>(company: string, work: () => Promise<T>): Promise<T> {
  const earlier = sorts.get(company) ?? Promise.resolve();
  const mine = earlier.then(work, work);
  sorts.set(company, mine);
  try {
    return await mine;
  } finally {
    if (sorts.get(company) === mine) sorts.delete(company);
  }
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + bytesOfId);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
