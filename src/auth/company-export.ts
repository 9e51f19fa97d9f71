import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { isUuid } from '../formats.ts';
import { fileOf, type Manifest, manifestName } from './archive-manifest.ts';
import {
  type CompanyTable,
  describeCompanies,
  identifier,
  lastMigration,
  listCompanyTables,
} from './company-tables.ts';
import { leftOut, type Restriction, restricted, restrictionsFor } from './export-restrictions.ts';

/** How long (ms) an export over HTTP may take. The command line has more. */
export const exportTimeoutMs = 5 * 60_000;

/** How many rows are read at once, which an export holds in memory. */
const rowsAtOnce = 200;

/**
 * The tables of the service itself, which no archive has: sign-ins, replayed responses, bounds of the log of changes
 * and positions in it.
 */
export const omittedTables: readonly string[] = [
  'sessions',
  'idempotency_keys',
  'change_horizons',
  'notification_positions',
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

/**
 * Writes everything of a company into a ZIP archive: for each table a file with a JSON object for each row, without
 * secrets, and a last one that says what the archive is. All of it is as of one moment. Its sandbox is not part of it.
 *
 * @param file where to write to
 * @param timeoutMs how long it may take
 * @param readerId the admin for whom it is, which leaves out what others keep for themselves; without one it has all
 */
export const exportCompany = (
  database: Database,
  companyId: string,
  file: FileHandle,
  timeoutMs: number,
  readerId?: string,
): Promise<void> =>
  database.transaction(
    async () => {
      const { prisma } = database;
      const zip = new ZipFile();
      const failed = new AbortController();
      const written = writeAll(zip.outputStream, file).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      });
      written.catch(() => {}); // The error is reported below, unless reading fails first.
      try {
        const id = uuidSql(companyId);
        const restrictions = readerId === undefined ? {} : restrictionsFor(uuidSql(readerId));
        if (await leavesOut(prisma, id, restrictions)) zip.addBuffer(Buffer.from(leftOut.text), leftOut.name);
        const tables: Record<string, number> = {};
        for (const { name, rows } of await listFiles(prisma, id, restrictions)) {
          const lines = new PassThrough();
          zip.addReadStream(lines, fileOf(name));
          tables[name] = 0;
          await prisma.$executeRaw`DECLARE exported NO SCROLL CURSOR FOR ${rows}`;
          for (;;) {
            const batch = await prisma.$queryRaw<
              { line: string }[]
            >`FETCH ${Prisma.raw(String(rowsAtOnce))} FROM exported`;
            if (batch.length === 0) break;
            tables[name] += batch.length;
            const text = batch.map(({ line }) => `${line}\n`).join('');
            if (!lines.write(text)) await once(lines, 'drain', { signal: failed.signal });
          }
          await prisma.$executeRaw`CLOSE exported`;
          lines.end();
        }
        const manifest: Manifest = { format: 1, migration: await lastMigration(prisma), tables };
        zip.addBuffer(Buffer.from(`${JSON.stringify(manifest)}\n`), manifestName);
      } finally {
        zip.end();
      }
      await written;
    },
    { isolationLevel: 'REPEATABLE READ', timeoutMs, readsOf: companyId },
  );

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
      rows: selectRows(name, columns, Prisma.sql`company_id = ${id}`, restrictions[name]),
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
  companyId: string,
  readerId: string,
): Promise<{ content: Readable; size: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'premises-export-'));
  const file = await open(join(folder, 'export.zip'), 'wx+', 0o600);
  try {
    await rm(folder, { recursive: true });
    await exportCompany(database, companyId, file, exportTimeoutMs, readerId);
    const { size } = await file.stat();
    return { content: file.createReadStream({ start: 0 }), size };
  } catch (error) {
    await file.close();
    throw error;
  }
}
