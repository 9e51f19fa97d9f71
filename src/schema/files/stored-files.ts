// The rows of files: adding, finding and deleting them.

import { type Context, inTransaction, timeOf } from '../../context.ts';
import type { File } from '../../database/generated/client/client.ts';
import { insufficientScope, notFound, ServiceError, validationError } from '../../errors.ts';
import { type FileKey, type FileStore, type Files, folderOf, hasPreviews, receiveFile } from '../../files/index.ts';
import { uuidAt } from '../../formats.ts';
import { loadTogether, type StoredContent } from '../../resource/index.ts';
import { assertClean, scanArrived } from './scans.ts';

/** The store of files. @throws ServiceError where the service runs without one */
export function filesOf({ files }: Context): Files {
  if (!files) throw new ServiceError('SERVICE_UNAVAILABLE', 'The store of files is not available.');
  return files;
}

/** Rejects a caller who may write nothing, and so may send no files either. @throws ServiceError INSUFFICIENT_SCOPE */
export function assertMaySend({ caller: { scopes } }: Context): void {
  if (!scopes.some((scope) => scope === '*' || scope.endsWith(':write'))) throw insufficientScope('*:write');
}

/** A file that is being sent. */
interface SentBytes {
  readonly body: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  readonly name: string;
}

/**
 * Stores a file that is being sent, and what its row says; without its row there is no file.
 *
 * @param then what else is done in the transaction that adds the row
 * @returns its id
 * @throws ServiceError PAYLOAD_TOO_LARGE, VALIDATION_ERROR for an empty file
 */
export async function addFile(
  sent: SentBytes,
  context: Context,
  then: (id: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const { store } = filesOf(context);
  const key: FileKey = { companyId: context.caller.companyId, id: uuidAt(timeOf(context)) };
  await assertRoom(context);
  try {
    await storeFile(key, sent, context, () => then(key.id));
  } catch (error) {
    await store.remove(folderOf(key)).catch(() => {});
    throw error;
  }
  return key.id;
}

/**
 * Stores a file with an id as `addFile` does. When it fails, what it has stored may be left.
 *
 * @param then what else is done in the transaction that adds the row
 */
export async function storeFile(
  key: FileKey,
  { body, maxBytes, name }: SentBytes,
  context: Context,
  then: () => Promise<unknown>,
): Promise<void> {
  const files = filesOf(context);
  const { caller, db } = context;
  const received = await receiveFile(files.store, key, body, { name, maxBytes });
  if (received.size === 0) throw validationError(emptyFile);
  const scanned = await scanArrived(files, key, received.size);
  await inTransaction(context, async () => {
    const userId = caller.kind === 'guest' ? null : caller.userId;
    const previewStatus = hasPreviews(received) ? 'PENDING' : null;
    await db.file.create({ data: { id: key.id, name, userId, previewStatus, ...received, ...scanned } });
    await then();
    // The trigger has counted it, and holds the row until the end: of two at once the second sees the first.
    await assertNotOver(context);
  });
}

/** The error for a file without bytes. */
export const emptyFile = { file: 'must not be empty' } as const;

/** For how long (s) the store itself sends an object. */
const redirectSeconds = 60;

/** An object of the store as it is sent to clients: by the service or, with `redirects`, by the store itself. */
export const storedContent = (
  store: FileStore,
  key: string,
  { size, etag, redirects = false }: Pick<StoredContent, 'size' | 'etag'> & { readonly redirects?: boolean },
): StoredContent => ({
  size,
  etag,
  redirect: redirects && store.sign ? (answer) => store.sign!(key, { ...answer, seconds: redirectSeconds }) : undefined,
  async read(range) {
    const found = await store.read(key, range);
    if (!found) throw new ServiceError('SERVICE_UNAVAILABLE', 'The content of the file is not available.');
    return found;
  },
});

/** @throws ServiceError PAYLOAD_TOO_LARGE when the files of the company have no room for another byte */
export async function assertRoom(context: Context): Promise<void> {
  const { maxCompanyBytes } = filesOf(context);
  if ((await bytesOf(context)) >= maxCompanyBytes) throw noRoom(maxCompanyBytes);
}

/** @throws ServiceError PAYLOAD_TOO_LARGE when the files of the company have more bytes than they may */
export async function assertNotOver(context: Context): Promise<void> {
  const { maxCompanyBytes } = filesOf(context);
  if ((await bytesOf(context)) > maxCompanyBytes) throw noRoom(maxCompanyBytes);
}

/** How many bytes the files of a company have, and those that are being sent in parts. */
async function bytesOf({ unscopedDb, caller }: Context): Promise<number> {
  const usage = await unscopedDb.fileUsage.findFirst({ where: { companyId: caller.companyId } });
  return Number(usage?.bytes ?? 0);
}

const noRoom = (maxCompanyBytes: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The files of a company have at most ${maxCompanyBytes} bytes together.`);

/** Finds a file that the caller may read. @throws ServiceError NOT_FOUND */
export async function findFile(id: string, context: Context): Promise<File> {
  const readable = await context.storage.readableFiles([id], context);
  const file = readable.has(id) ? await context.db.file.findFirst({ where: { id } }) : null;
  if (!file) throw notFound('file');
  return file;
}

/** Finds a file whose content the caller may read. @throws ServiceError NOT_FOUND, and as `assertClean` does */
export async function findContent(id: string, context: Context): Promise<File> {
  const file = await findFile(id, context);
  assertClean(file, filesOf(context));
  return file;
}

/** Loads the files that a row holds, with those of the other rows of a list; without those that are gone. */
export async function loadFiles(ids: readonly string[], context: Context): Promise<File[]> {
  const load = async (all: readonly string[]) => {
    const rows = await context.db.file.findMany({ where: { id: { in: [...all] } } });
    return new Map(rows.map((row) => [row.id, row]));
  };
  const found = await Promise.all(ids.map((id) => loadTogether(context, 'files', id, load)));
  return found.flatMap((file) => file ?? []);
}
