// The files of a spreadsheet, which is a ZIP archive, within bounds: archives can be made to unpack to any size.
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ByteSource } from './source.ts';
import { refuseFile } from './table.ts';

/** How many files an archive may have, how large they may be together, and how many times its own size. */
const maxFiles = 5000;
const maxBytes = 1_000_000_000;
const maxRatio = 200;
/** Archives with less are small, however well they are compressed. */
const smallBytes = 20_000_000;

/** The archive of a spreadsheet, open. */
export class SheetArchive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws ServiceError for what is none, or is too large unpacked */
  static async open(source: ByteSource): Promise<SheetArchive> {
    const zip = await openZip(new SourceReader(source), source.size, { lazyEntries: true, autoClose: false }).catch(
      () => {
        throw refuseFile('is not a whole ZIP archive');
      },
    );
    const entries = new Map<string, Entry>();
    if (zip.entryCount > maxFiles) throw refuseFile(`has more than ${maxFiles} files`);
    try {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    } catch {
      throw refuseFile('is a damaged ZIP archive');
    }
    const unpacked = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    if (unpacked > maxBytes) throw refuseFile(`is larger than ${maxBytes / 1_000_000} MB when it is unpacked`);
    if (unpacked > Math.max(smallBytes, maxRatio * source.size))
      throw refuseFile(`is more than ${maxRatio} times larger when it is unpacked`);
    return new SheetArchive(zip, entries);
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Reads a file in parts. yauzl ends one that turns out longer than its entry says. */
  async *read(name: string): AsyncGenerator<string> {
    const entry = this.entries.get(name);
    if (!entry) throw refuseFile(`has no file ${name}`);
    const decoder = new TextDecoder();
    try {
      const open = promisify(this.zip.openReadStream.bind(this.zip) as (entry: Entry, done: Done) => void);
      for await (const part of (await open(entry)) as AsyncIterable<Buffer>)
        yield decoder.decode(part, { stream: true });
    } catch {
      throw refuseFile('is a damaged ZIP archive, or encrypted');
    }
    yield decoder.decode();
  }
}

type Done = (error: Error | null, content: NodeJS.ReadableStream) => void;

const openZip = promisify(
  fromRandomAccessReader as (
    reader: RandomAccessReader,
    size: number,
    options: { lazyEntries: true; autoClose: false },
    done: (error: Error | null, zip: ZipFile) => void,
  ) => void,
);

/** Reads a source as yauzl does: from anywhere. */
class SourceReader extends RandomAccessReader {
  constructor(private readonly source: ByteSource) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.source.read(start, end), { objectMode: false });
  }
}
