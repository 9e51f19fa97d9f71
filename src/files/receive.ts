import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { headBytes, mediaTypeOf } from './media-type.ts';
import { type FileKey, type FileStore, originalOf } from './store.ts';

/** What was found out about a file while it arrived. */
export interface Received {
  readonly size: number;
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
}

/**
 * Stores a file that is being sent; no part of it is kept in memory.
 *
 * @param name tells kinds of text apart
 * @throws ServiceError PAYLOAD_TOO_LARGE for more than `maxBytes`, after which nothing is stored
 */
export async function receiveFile(
  store: FileStore,
  key: FileKey,
  body: AsyncIterable<Uint8Array>,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
): Promise<Received> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let size = 0;
  async function* measured() {
    for await (const chunk of body) {
      if (size < headBytes) head.push(chunk.subarray(0, headBytes - size));
      size += chunk.length;
      if (size > maxBytes) throw tooLargeFile(maxBytes);
      hash.update(chunk);
      yield chunk;
    }
  }
  await store.write(originalOf(key), measured());
  return { size, sha256: hash.digest('hex'), mediaType: await mediaTypeOf(Buffer.concat(head), name) };
}

/** The error for a file that is larger than files may be. */
export const tooLargeFile = (maxBytes: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The file must have at most ${maxBytes} bytes.`);
