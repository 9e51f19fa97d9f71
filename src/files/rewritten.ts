// Images that others see than their sender: written anew, so that they have no place and are nothing else besides.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tooSlow, validationError } from '../errors.ts';
import { headBytes, mediaTypeOf } from './media-type.ts';
import { imageTypes } from './previews.ts';
import { tooLargeFile } from './receive.ts';
import { type ImageSize, UnfitFile } from './tasks.ts';
import { type FileWorker, imageWorker } from './worker.ts';

/** An image that is being sent. */
interface SentImage extends ImageSize {
  readonly body: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
}

/**
 * Takes an image, and writes it anew as JPEG.
 *
 * @param signal ends it
 * @param use what is done with the new image
 * @throws ServiceError VALIDATION_ERROR for what is no image that can be read, PAYLOAD_TOO_LARGE for too many bytes
 */
export async function useRewritten<T>(
  { body, maxBytes, ...size }: SentImage,
  signal: AbortSignal,
  use: (image: Readable) => Promise<T>,
  worker: FileWorker = imageWorker,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'premises-image-'));
  const [path, to] = [join(folder, 'sent'), join(folder, 'written')];
  try {
    // The iterator ends, and the request goes on to its answer, when there is too much.
    await pipeline(Readable.from(bounded(body, maxBytes)), createWriteStream(path));
    if (!imageTypes.includes(await typeOf(path)))
      throw validationError({ file: 'must be an image: PNG, JPEG, WebP, GIF or AVIF' });
    await worker.run({ does: 'rewrite', path, to, ...size }, signal);
    return await use(createReadStream(to));
  } catch (error) {
    if (signal.aborted) throw tooSlow();
    throw error instanceof UnfitFile ? validationError({ file: error.message }) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLargeFile(maxBytes);
    yield chunk;
  }
}

async function typeOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return await mediaTypeOf(buffer.subarray(0, bytesRead), '');
  } finally {
    await file.close();
  }
}
