// The files of a company that is imported.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../database/index.ts';
import { contentAddress, type Files, receiveFile } from '../files/index.ts';
import { bytesOf, fileOf } from './archive-manifest.ts';
import { ArchiveError, type CompanyArchive } from './company-archive.ts';
import type { CompanyTable } from './company-tables.ts';

/** Where the files of an import are stored, and the address of the service that has them then. */
export type ImportedFiles = Pick<Files, 'store' | 'publicUrl'>;

/** What the row of a file says of its bytes. */
const fileRow = z.object({
  id: z.uuid(),
  name: z.string(),
  size: z.number(),
  sha256: z.string(),
  scan_status: z.string().nullable(),
});

/**
 * Stores the bytes of files: those that were withheld have none.
 *
 * @param withheld the ids of these
 * @throws ArchiveError unless each is as its row says
 */
export async function storeFiles(
  archive: CompanyArchive,
  { store }: ImportedFiles,
  companyId: string,
  withheld: readonly string[],
): Promise<void> {
  const maxBytes = Number.MAX_SAFE_INTEGER;
  const areWithheld = new Set(withheld);
  for await (const row of filesIn(archive)) {
    const { id, name } = row;
    const isEmpty = areWithheld.has(id);
    const { size, sha256 } = isEmpty ? nothing : row;
    const content = isEmpty ? noBytes() : archive.bytes(id);
    const stored = await receiveFile(store, { companyId, id }, content, { name, maxBytes });
    if (stored.size !== size || stored.sha256 !== sha256)
      throw new ArchiveError(`${bytesOf(id)} is not the file that ${fileOf('files')} describes`);
  }
}

async function* filesIn(archive: CompanyArchive): AsyncGenerator<z.infer<typeof fileRow>> {
  for await (const line of archive.rows('files')) yield fileRow.parse(JSON.parse(line));
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** What is stored of a file that was withheld. */
const nothing = { size: 0, sha256: createHash('sha256').digest('hex') } as const;

/**
 * Finds the files whose bytes an archive left out, as they were not served.
 *
 * @returns their ids
 * @throws ArchiveError when it lacks others
 */
export async function findWithheld(archive: CompanyArchive): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, scan_status: status } of filesIn(archive)) {
    if (archive.has(bytesOf(id))) continue;
    if (status === 'clean' || ids.length === archive.manifest.withheld)
      throw new ArchiveError(`The archive has no ${bytesOf(id)}`);
    ids.push(id);
  }
  return ids;
}

/** The values of files that were withheld, in SQL: they are there without content. */
export function valuesOfWithheld(ids: readonly string[]): Record<string, string> {
  if (ids.length === 0) return {};
  const isWithheld = `given.id = ANY ('{${ids.join()}}'::uuid[])`;
  const instead = (value: string, other: string) => `CASE WHEN ${isWithheld} THEN ${value} ELSE ${other} END`;
  const isInfected = `given.scan_status = 'infected'`;
  const reason = literal('Its content did not come along, as it was not scanned where it was exported.');
  return {
    size: instead(String(nothing.size), 'given.size'),
    sha256: instead(literal(nothing.sha256), 'given.sha256'),
    scan_status: instead(`CASE WHEN ${isInfected} THEN given.scan_status ELSE 'failed' END`, 'NULL'),
    scan_error: instead(`CASE WHEN ${isInfected} THEN given.scan_error ELSE ${reason} END`, 'NULL'),
  };
}

/** Deletes the bytes of a company that there is not. */
export async function discardFiles({ prisma }: Database, { store }: ImportedFiles, companyId: string): Promise<void> {
  if (companyId === '' || (await prisma.company.count({ where: { id: companyId } })) > 0) return;
  await store.remove(companyId);
}

/** The addresses, in SQL, of files that were sent to the service that was exported: it had another address. */
export function addressOf({ columns }: CompanyTable, files: ImportedFiles): Record<string, string> {
  if (!['file_id', 'file_url'].every((column) => columns.some(({ name }) => name === column))) return {};
  const address = contentAddressOf('given.file_id', files);
  return { file_url: `CASE WHEN given.file_id IS NULL THEN given.file_url ELSE ${address} END` };
}

/** The statement that gives people the pictures that they have sent to the service, by the rows that are read. */
export const avatarsOf = (files: ImportedFiles): string => `
  UPDATE users SET avatar_id = files.id, avatar_url = ${contentAddressOf('files.id', files)}
  FROM imported, files
  WHERE users.company_id = $1 AND files.company_id = $1
    AND users.id = (line->>'id')::uuid AND files.id = (line->>'avatar_id')::uuid`;

/** The address of a file's content, in SQL. @param id the SQL of its id */
function contentAddressOf(id: string, { publicUrl }: ImportedFiles): string {
  const [before = '', after = ''] = contentAddress(publicUrl, '\0').split('\0').map(literal);
  return `${before} || ${id} || ${after}`;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
