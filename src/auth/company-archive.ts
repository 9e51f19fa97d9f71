// Reads archives that an export of a company has written.
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type Entry, open, type ZipFile } from 'yauzl';
import { bytesFolder, bytesOf, fileOf, type Manifest, manifestName, manifestRule } from './archive-manifest.ts';

/** The archive cannot be imported; the message says why. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** The longest row: a request has at most 1 MiB, and a change has a row twice. */
const maxLineLength = 16_000_000;

/** How many tables and files an archive may have, and how many times its own size they may have together. */
const maxTables = 1000;
const maxFiles = 1_000_000;
const maxRatio = 200;
/** Archives with less are small, however well they are compressed. */
const smallBytes = 64_000_000;

const openZip = promisify<string, { lazyEntries: true; autoClose: false }, ZipFile>(open);

/** The archive of a company, open. */
export class CompanyArchive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    readonly manifest: Manifest,
  ) {}

  /** @throws ArchiveError, or the system's error when there is no such file */
  static async open(path: string): Promise<CompanyArchive> {
    const zip = await openZip(path, { lazyEntries: true, autoClose: false }).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === undefined
        ? new ArchiveError(`${path} is not a ZIP archive, or not all of one`, { cause })
        : cause;
    });
    try {
      const entries = await readEntries(zip);
      return new CompanyArchive(zip, entries, await readManifest(zip, entries));
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  close(): void {
    this.zip.close();
  }

  /** Whether it has a file. */
  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** The names of its tables. */
  get tables(): string[] {
    return Object.keys(this.manifest.tables);
  }

  /**
   * Reads the rows of a table, each the text of a JSON object.
   *
   * @throws ArchiveError when it has others than the archive says
   */
  async *rows(table: string): AsyncGenerator<string> {
    let count = 0;
    for await (const line of readLines(this.zip, this.entries, fileOf(table))) {
      count += 1;
      yield line;
    }
    if (count !== this.manifest.tables[table]) throw new ArchiveError(`${fileOf(table)} does not have all of its rows`);
  }

  /** Reads the bytes of a file that was sent. @throws ArchiveError when it does not have them as they were written */
  bytes(fileId: string): AsyncGenerator<Uint8Array> {
    return readBytes(this.zip, this.entries, bytesOf(fileId));
  }
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxFiles) throw new ArchiveError(`The archive has more than ${maxFiles} files`);
  const entries = new Map<string, Entry>();
  let tables = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on('error', (cause) => reject(new ArchiveError('The archive is damaged', { cause })));
    zip.on('end', resolve);
    zip.on('entry', (entry: Entry) => {
      if (entries.has(entry.fileName)) return reject(new ArchiveError(`The archive has two files ${entry.fileName}`));
      entries.set(entry.fileName, entry);
      if (!entry.fileName.startsWith(bytesFolder)) tables += 1;
      if (tables > maxTables) return reject(new ArchiveError(`The archive has more than ${maxTables} tables`));
      zip.readEntry();
    });
    zip.readEntry();
  });
  // yauzl ends a file that turns out longer than its entry says.
  const unpacked = [...entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (unpacked > Math.max(smallBytes, maxRatio * zip.fileSize))
    throw new ArchiveError(`The archive is more than ${maxRatio} times larger when it is unpacked`);
  return entries;
}

async function readManifest(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<Manifest> {
  if (!entries.has('companies.ndjson')) throw new ArchiveError('The archive is not one of a company');
  if (!entries.has(manifestName))
    throw new ArchiveError(`The archive has no ${manifestName}: an older version wrote it, which was only for reading`);
  for await (const line of readLines(zip, entries, manifestName)) {
    const { data } = manifestRule.safeParse(parse(line));
    if (data) return data;
    break;
  }
  throw new ArchiveError(`${manifestName} is not one that this version knows`);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

async function* readLines(zip: ZipFile, entries: ReadonlyMap<string, Entry>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readBytes(zip, entries, name)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) throw new ArchiveError(`${name} has a row that is too long`);
    yield* lines;
  }
  if (rest !== '') throw new ArchiveError(`${name} is damaged`);
}

async function* readBytes(zip: ZipFile, entries: ReadonlyMap<string, Entry>, name: string): AsyncGenerator<Uint8Array> {
  const entry = entries.get(name);
  if (!entry) throw new ArchiveError(`The archive has no ${name}`);
  let sum = 0;
  try {
    const content = await promisify(zip.openReadStream.bind(zip) as (entry: Entry, done: Done) => void)(entry);
    for await (const chunk of content as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (cause) {
    throw new ArchiveError(`${name} is damaged`, { cause });
  }
  if (sum !== entry.crc32) throw new ArchiveError(`${name} is damaged`);
}

type Done = (error: Error | null, content: NodeJS.ReadableStream) => void;
