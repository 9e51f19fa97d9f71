import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { type Files, originalOf } from '../files/index.ts';
import { isUuid } from '../formats.ts';
import { bytesOf, fileOf, type Manifest, manifestName } from './archive-manifest.ts';
import {
  type CompanyTable,
  describeCompanies,
  identifier,
  lastMigration,
  listCompanyTables,
} from './company-tables.ts';
import {
  leftOut,
  type Restriction,
  restricted,
  restrictionsFor,
  withheldFiles,
  withoutFiles,
} from './export-restrictions.ts';

/** How long (ms) an export over HTTP may take. The command line has more. */
export const exportTimeoutMs = 5 * 60_000;

/** How many bytes the files of an export over HTTP have at most; the archive of a larger company has none. */
export const maxExportedFileBytes = 1_000_000_000;

/** How many rows are read at once, which an export holds in memory. */
const rowsAtOnce = 200;

/**
 * The tables of the service itself, which no archive has: sign-ins, replayed responses, bounds of the log of changes
 * and positions in it, files that are imported or have not arrived, and what the service keeps of the files of rows:
 * their text too.
 */
export const omittedTables: readonly string[] = [
  'sessions',
  'idempotency_keys',
  'change_horizons',
  'notification_positions',
  'imports',
  'import_parts',
  'file_holds',
  'file_pages',
  'file_usage',
  'file_uploads',
];

/**
 * The columns that are left out by their name: secrets, and columns derived from others. Hashes and generated columns
 * are left out by their type.
 */
const omittedColumns = /^(company_id|.*(secret|password|token|hash)|.*_key)$/;

/** Whether an archive has a column. */
export const isExported = ({ name, type }: CompanyTable['columns'][number]): boolean =>
  type !== 'bytea' && !omittedColumns.test(name);

/** What an export contains of a table. */
interface ArchiveFile {
  readonly name: string;
  readonly rows: Prisma.Sql;
}

/** How an export is made. */
interface ExportOptions {
  /** How long (ms) reading the rows may take. */
  readonly timeoutMs: number;
  /** The admin for whom it is, which leaves out what others keep for themselves; without one it has all. */
  readonly readerId?: string;
  /** How many bytes the files have together at most; those of a company with more are left out. */
  readonly maxFileBytes?: number;
}

/** Where files are, and what scans them for malware. */
type ExportedFiles = Pick<Files, 'store' | 'scanner'>;

/** What an export of the rows of a company has begun. */
interface Begun {
  readonly zip: ZipFile;
  readonly written: Promise<void>;
  /** Aborted when the archive cannot be written. */
  readonly failed: AbortSignal;
  readonly manifest: Manifest;
  /** The files whose bytes follow. */
  readonly fileIds: readonly string[];
}

/**
 * Writes everything of a company into a ZIP archive: for each table a file with a JSON object for each row, without
 * secrets, the bytes of the files that rows hold, as far as they are served, and a last one that says what the archive
 * is. All rows are as of one moment. Its sandbox is not part of it.
 *
 * @param file where to write to
 * @returns how many files the store has no bytes of, which the archive lacks, and of how many they were left out
 */
export async function exportCompany(
  database: Database,
  exported: ExportedFiles,
  companyId: string,
  file: FileHandle,
  options: ExportOptions,
): Promise<{ missing: number; withheld: number }> {
  const { timeoutMs } = options;
  // Bytes follow after the transaction: a file that a row held is there for a day more.
  const { zip, written, failed, manifest, fileIds } = await database.transaction(
    () => writeRows(database, exported, companyId, file, options),
    { isolationLevel: 'REPEATABLE READ', timeoutMs, readsOf: companyId },
  );
  let files = 0;
  try {
    for (const id of fileIds) {
      const content = await exported.store.read(originalOf({ companyId, id }));
      if (!content) continue;
      // Most files are compressed already.
      zip.addReadStream(content, bytesOf(id), { compress: false });
      await finished(content, { signal: failed });
      files += 1;
    }
    zip.addBuffer(Buffer.from(`${JSON.stringify({ ...manifest, files })}\n`), manifestName);
  } finally {
    zip.end();
  }
  await written;
  return { missing: fileIds.length - files, withheld: manifest.withheld };
}

/** Writes the rows of a company. */
async function writeRows(
  { prisma }: Database,
  { scanner }: ExportedFiles,
  companyId: string,
  file: FileHandle,
  { readerId, maxFileBytes = Number.POSITIVE_INFINITY }: ExportOptions,
): Promise<Begun> {
  const zip = new ZipFile();
  // Whoever reads a stream hears of its errors.
  zip.on('error', () => {});
  const failed = new AbortController();
  const written = writeAll(zip.outputStream, file).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  written.catch(() => {}); // The error is reported below, unless reading fails first.
  try {
    const id = uuidSql(companyId);
    const restrictions = readerId === undefined ? {} : restrictionsFor(uuidSql(readerId));
    const { fileIds, bytes, withheld } = await listHeldFiles(prisma, id, {
      scanner,
      restriction: restrictions['files'],
    });
    const notes = [
      ...((await leavesOut(prisma, id, restrictions)) ? [leftOut.text] : []),
      ...(bytes > maxFileBytes ? [withoutFiles] : []),
      ...(withheld > 0 ? [withheldFiles(withheld)] : []),
    ];
    if (notes.length > 0) zip.addBuffer(Buffer.from(notes.join('\n')), leftOut.name);
    const tables: Record<string, number> = {};
    for (const { name, rows } of await listFiles(prisma, id, restrictions)) {
      const lines = new PassThrough();
      zip.addReadStream(lines, fileOf(name));
      tables[name] = 0;
      await prisma.$executeRaw`DECLARE exported NO SCROLL CURSOR FOR ${rows}`;
      for (;;) {
        const batch = await prisma.$queryRaw<{ line: string }[]>`FETCH ${Prisma.raw(String(rowsAtOnce))} FROM exported`;
        if (batch.length === 0) break;
        tables[name] += batch.length;
        const text = batch.map(({ line }) => `${line}\n`).join('');
        if (!lines.write(text)) await once(lines, 'drain', { signal: failed.signal });
      }
      await prisma.$executeRaw`CLOSE exported`;
      lines.end();
    }
    const manifest: Manifest = { format: 1, migration: await lastMigration(prisma), tables, files: 0, withheld };
    return { zip, written, failed: failed.signal, manifest, fileIds: bytes > maxFileBytes ? [] : fileIds };
  } catch (error) {
    zip.end();
    throw error;
  }
}

/** The files that an export has. Those that no row holds are only their senders', and may be gone meanwhile. */
const isHeld = Prisma.sql`unheld_since IS NULL`;

/** Lists the files of a company that rows hold and that are served, what they have together, and how many are not. */
async function listHeldFiles(
  prisma: Prisma.TransactionClient,
  id: Prisma.Sql,
  { scanner, restriction: { rows = Prisma.sql`true` } = {} }: Pick<Files, 'scanner'> & { restriction?: Restriction },
): Promise<{ fileIds: string[]; bytes: number; withheld: number }> {
  // As `readableNow` has it.
  const isServed = scanner ? Prisma.sql`scan_status = 'clean'` : Prisma.sql`scan_status IS DISTINCT FROM 'infected'`;
  const [found] = await prisma.$queryRaw<{ ids: string[]; bytes: string; all: number }[]>`
    SELECT coalesce(array_agg(id::text) FILTER (WHERE ${isServed}), '{}') AS ids, count(*)::int AS all,
      coalesce(sum(size) FILTER (WHERE ${isServed}), 0)::text AS bytes
    FROM files WHERE company_id = ${id} AND ${isHeld} AND ${rows}`;
  const { ids: fileIds = [], bytes = '0', all = 0 } = found ?? {};
  return { fileIds, bytes: Number(bytes), withheld: all - fileIds.length };
}

async function writeAll(content: NodeJS.ReadableStream, file: FileHandle): Promise<void> {
  // It may begin again: a read that a replica could not finish runs on the primary.
  await file.truncate();
  let position = 0;
  // A stream of the file would keep it open.
  for await (const chunk of content) {
    // Without an encoding, the chunks of a stream are bytes.
    for (let rest = chunk as Buffer; rest.length > 0; ) {
      const { bytesWritten } = await file.write(rest, 0, rest.length, position);
      position += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }
}

/** Lists what an export contains, from the database's catalog. */
async function listFiles(
  prisma: Prisma.TransactionClient,
  id: Prisma.Sql,
  restrictions: Readonly<Record<string, Restriction>>,
): Promise<ArchiveFile[]> {
  const tables = await listCompanyTables(prisma);
  const files = tables
    .filter(({ name }) => !omittedTables.includes(name))
    .map(({ name, columns }) => ({
      name,
      rows: selectRows(
        name,
        columns,
        Prisma.sql`company_id = ${id}${name === 'files' ? Prisma.sql` AND ${isHeld}` : Prisma.empty}`,
        restrictions[name],
      ),
    }));
  const { name, columns } = await describeCompanies(prisma);
  return [{ name, rows: selectRows(name, columns, Prisma.sql`id = ${id}`) }, ...files];
}

/** Whether restrictions leave anything of a company out. */
async function leavesOut(
  prisma: Prisma.TransactionClient,
  id: Prisma.Sql,
  restrictions: Readonly<Record<string, Restriction>>,
): Promise<boolean> {
  for (const [table, restriction] of Object.entries(restrictions)) {
    const [found] = await prisma.$queryRaw<{ exists: boolean }[]>`
      SELECT EXISTS (SELECT FROM ${identifier(table)} WHERE company_id = ${id} AND (${restricted(restriction)}))`;
    if (found?.exists) return true;
  }
  return false;
}

/** An id in SQL: a cursor takes no parameters. */
function uuidSql(id: string): Prisma.Sql {
  if (!isUuid(id)) throw new Error('An id must be a UUID.');
  return Prisma.raw(`'${id}'::uuid`);
}

function selectRows(
  table: string,
  columns: CompanyTable['columns'],
  where: Prisma.Sql,
  { rows = Prisma.sql`true`, columns: partial }: Restriction = {},
): Prisma.Sql {
  const names = columns.filter(isExported).map(({ name }) => {
    const column = identifier(name);
    return partial?.names.includes(name)
      ? Prisma.sql`CASE WHEN ${partial.where} THEN ${column} END AS ${column}`
      : column;
  });
  return Prisma.sql`SELECT row_to_json(exported_row)::text AS line
    FROM (SELECT ${Prisma.join(names)} FROM ${identifier(table)} WHERE ${where} AND ${rows}) AS exported_row`;
}

/**
 * Exports a company, as far as an admin may read it, to a file that is deleted when it is closed.
 *
 * @returns its content, and the number of bytes
 */
export async function exportToStream(
  database: Database,
  files: ExportedFiles,
  companyId: string,
  readerId: string,
): Promise<{ content: Readable; size: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'premises-export-'));
  const file = await open(join(folder, 'export.zip'), 'wx+', 0o600);
  try {
    await rm(folder, { recursive: true });
    const options = { timeoutMs: exportTimeoutMs, readerId, maxFileBytes: maxExportedFileBytes };
    await exportCompany(database, files, companyId, file, options);
    const { size } = await file.stat();
    return { content: file.createReadStream({ start: 0 }), size };
  } catch (error) {
    await file.close();
    throw error;
  }
}
