// Scans for malware: what a file that was scanned, or is going to be, may be used for.
import type { File } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import { ServiceError, UnavailableError, validationError } from '../../errors.ts';
import {
  type FileKey,
  type Files,
  originalOf,
  readableNow,
  ScannerUnavailable,
  type ScanResult,
} from '../../files/index.ts';
import { addJob } from '../../jobs/index.ts';
import { previewFile } from './preview-job.ts';
import { readDocument } from './text-job.ts';

/** How many bytes a file has at most that is scanned while its sender waits, and for how long (ms). */
const scannedAtOnce = 20_000_000;
const waitMs = 5000;

/** The columns that say what is known of a file. */
type Scanned = Pick<File, 'scanStatus' | 'scanError'>;

/**
 * Scans a file that has just arrived, if that is a matter of seconds; otherwise it is scanned later.
 *
 * @throws ServiceError VALIDATION_ERROR for malware
 */
export async function scanArrived({ store, scanner }: Files, key: FileKey, size: number): Promise<Scanned> {
  const later = { scanStatus: 'PENDING', scanError: null } as const;
  if (!scanner) return { scanStatus: null, scanError: null };
  if (size > scannedAtOnce) return later;
  const content = await store.read(originalOf(key));
  if (!content) return later;
  try {
    const result = await scanner.scan(content, AbortSignal.timeout(waitMs));
    if (result.status === 'INFECTED') throw validationError({ file: `has malware: ${result.found}` });
    return columnsOf(result);
  } catch (error) {
    if (error instanceof ScannerUnavailable) return later;
    throw error;
  }
}

const columnsOf = (result: ScanResult): Scanned => ({
  scanStatus: result.status,
  scanError: result.status === 'CLEAN' ? null : result.status === 'INFECTED' ? result.found : result.reason,
});

/**
 * Stores what a scan has found, and begins what waits for it. Another instance may have done so.
 *
 * @param then what else is done in the transaction
 */
export async function storeScan(
  { prisma, transaction }: Database,
  file: File,
  result: ScanResult,
  then: () => Promise<void> = async () => {},
): Promise<void> {
  const { companyId, id: fileId } = file;
  await transaction(async () => {
    const isDue = { companyId, id: fileId, OR: [{ scanStatus: null }, { scanStatus: 'PENDING' as const }] };
    const { count } = await prisma.file.updateMany({ where: isDue, data: columnsOf(result) });
    if (count === 0) return;
    await then();
    if (file.previewStatus === 'PENDING') await addJob(prisma, previewFile, { companyId, payload: { fileId } });
    const where = { companyId, fileId, processingStatus: 'PENDING' as const };
    for (const { id: documentId } of await prisma.document.findMany({ where, select: { id: true } }))
      await addJob(prisma, readDocument, { companyId, payload: { documentId, fileId } });
  });
}

/**
 * Rejects a request for what a file has, unless it is clean where there is a scanner.
 *
 * @throws ServiceError FORBIDDEN, or SERVICE_UNAVAILABLE until it is scanned
 */
export function assertClean({ scanStatus, scanError }: Scanned, { scanner }: Pick<Files, 'scanner'>): void {
  if (scanStatus === 'INFECTED') throw new ServiceError('FORBIDDEN', `The file has malware (${scanError}).`);
  const readable = readableNow(scanStatus, scanner);
  if (readable === 'now') return;
  if (readable === 'never')
    throw new ServiceError('FORBIDDEN', `The file could not be scanned for malware. ${scanError}`);
  throw new UnavailableError(
    'The file is going to be scanned for malware; try again later.',
    'scan of a file',
    undefined,
  );
}
