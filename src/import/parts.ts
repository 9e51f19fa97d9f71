// The bytes of imported files and of the files of refused rows, in parts: every instance reads them, and no file is in
// memory as a whole.
import { randomUUID } from 'node:crypto';
import type { Prisma } from '../database/generated/client/client.ts';
import { conflict } from '../errors.ts';
import { tooLargeFile } from '../files/index.ts';
import type { ByteSource } from './source.ts';

/** An import, by its key. */
export interface ImportKey {
  readonly companyId: string;
  readonly id: string;
}

type Client = Pick<Prisma.TransactionClient, 'importPart'>;

/** How many bytes a part has; the last one may have fewer. */
const partBytes = 262_144;

/** What the name of a file begins with while it is sent. */
const arriving = 'arriving:';

const partsOf = ({ companyId, id }: ImportKey, kind: string) => ({ companyId, importId: id, kind });

/**
 * Stores a file that is being sent, part by part; `keepFile` makes it that of its import. An earlier one that did not
 * arrive is deleted.
 *
 * @returns its name and size (bytes)
 * @throws ServiceError PAYLOAD_TOO_LARGE for more than `maxBytes`
 */
export async function storeArriving(
  client: Client,
  key: ImportKey,
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly kind: string; readonly size: number }> {
  const kind = `${arriving}${randomUUID()}`;
  const { companyId, id: importId } = key;
  await client.importPart.deleteMany({ where: { companyId, importId, kind: { startsWith: arriving } } });
  let [rest, restBytes, size, position]: [Buffer[], number, number, number] = [[], 0, 0, 0];
  const store = async (isLast: boolean) => {
    const bytes = Buffer.concat(rest, restBytes);
    let from = 0;
    for (; bytes.length - from >= partBytes || (isLast && from < bytes.length); from += partBytes)
      await client.importPart.create({
        data: {
          ...partsOf(key, kind),
          position: position++,
          content: bytes.subarray(from, from + partBytes),
        },
        select: { position: true },
      });
    rest = isLast ? [] : [bytes.subarray(from)];
    restBytes = isLast ? 0 : Math.max(bytes.length - from, 0);
  };
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLargeFile(maxBytes);
    rest.push(chunk);
    restBytes += chunk.length;
    if (restBytes >= partBytes) await store(false);
  }
  await store(true);
  return { kind, size };
}

/**
 * Makes what has arrived the file of its import.
 *
 * @throws ServiceError CONFLICT if another one has begun to arrive since
 */
export async function keepFile(
  client: Client,
  key: ImportKey,
  { kind, size }: { kind: string; size: number },
): Promise<void> {
  await deleteParts(client, key, 'file');
  await deleteParts(client, key, 'errors');
  const { count } = await client.importPart.updateMany({ where: partsOf(key, kind), data: { kind: 'file' } });
  if (count !== Math.ceil(size / partBytes)) throw conflict('Another file is being sent for this import.');
}

/** Deletes the files of an import, or those of one kind. */
export async function deleteParts(
  client: Client,
  { companyId, id }: ImportKey,
  kind?: 'file' | 'errors',
): Promise<void> {
  await client.importPart.deleteMany({ where: { companyId, importId: id, kind } });
}

/** Deletes the rows of the file of refused rows, and keeps its header. */
export async function deleteErrorRows(client: Client, key: ImportKey): Promise<void> {
  await client.importPart.deleteMany({ where: { ...partsOf(key, 'errors'), position: { gt: 0 } } });
}

/** The file of an import, which is read more than once. */
export const openStoredFile = (client: Client, key: ImportKey, size: number): ByteSource => ({
  size,
  async *read(start = 0, end = size) {
    for (let at = start; at < Math.min(end, size); ) {
      const position = Math.floor(at / partBytes);
      const content = await readPart(client, key, 'file', position);
      // It is deleted when the import is.
      if (!content) throw conflict('The file of the import is gone.');
      const from = at - position * partBytes;
      const bytes = content.subarray(from, Math.min(content.length, end - position * partBytes));
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  },
});

/** Adds a text to the file of the rows that were refused. */
export async function addErrors(client: Client, key: ImportKey, position: number, text: string): Promise<void> {
  const content = new Uint8Array(Buffer.from(text));
  await client.importPart.create({
    data: { ...partsOf(key, 'errors'), position, content },
    select: { position: true },
  });
}

/** Reads the file of the rows that were refused. */
export async function* readErrors(client: Client, { companyId, id: importId }: ImportKey): AsyncGenerator<Buffer> {
  for (let after = -1; ; ) {
    const part = await client.importPart.findFirst({
      where: { companyId, importId, kind: 'errors', position: { gt: after } },
      orderBy: { position: 'asc' },
      select: { position: true, content: true },
    });
    if (!part) return;
    yield Buffer.from(part.content);
    after = part.position;
  }
}

async function readPart(client: Client, key: ImportKey, kind: string, position: number): Promise<Buffer | undefined> {
  const { companyId, importId } = partsOf(key, kind);
  const found = await client.importPart.findUnique({
    where: { companyId_importId_kind_position: { companyId, importId, kind, position } },
    select: { content: true },
  });
  return found ? Buffer.from(found.content.buffer, found.content.byteOffset, found.content.length) : undefined;
}
