import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { Received } from './receive.ts';
import { type FileKey, type FileStore, folderOf, originalOf } from './store.ts';
import {
  hasText,
  type PreviewSize,
  pdfType,
  type ReadTask,
  sizesOfPreviews,
  type TextPart,
  textFile,
  UnfitFile,
} from './tasks.ts';
import { type FileWorker, fileWorker } from './worker.ts';

/** The kinds of images that are read. */
export const imageTypes = ['image/apng', 'image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'];

/** The kinds of files that have previews. */
const previewTypes = [...imageTypes, pdfType];

/** How many bytes a file may have that previews are made of, or whose text is found. */
const maxReadBytes = 100_000_000;

/** Whether previews are made of a file. */
export const hasPreviews = ({ mediaType, size }: Pick<Received, 'mediaType' | 'size'>): boolean =>
  previewTypes.includes(mediaType) && size <= maxReadBytes;

/** The object with a preview of a file, in WebP. */
export const previewOf = (key: FileKey, size: PreviewSize): string => `${folderOf(key)}/${size}`;

/** A stored file that is read. */
interface StoredFile {
  readonly key: FileKey;
  readonly mediaType: string;
}

/**
 * Makes the previews of a file, and stores them beside it.
 *
 * @param signal ends it
 * @returns how many bytes each has, in the order of the sizes
 * @throws UnfitFile when there can be none; ServiceError when the store is not available
 */
export const storePreviews = (
  store: FileStore,
  { key, mediaType }: StoredFile,
  signal: AbortSignal,
  worker: FileWorker = fileWorker,
): Promise<number[]> =>
  withResult(store, key, { does: 'previews', mediaType }, signal, worker, async (folder) => {
    const bytes: number[] = [];
    for (const size of sizesOfPreviews) {
      const preview = join(folder, size);
      bytes.push((await stat(preview)).size);
      await store.write(previewOf(key, size), createReadStream(preview));
    }
    return bytes;
  });

/**
 * Finds the text of a file.
 *
 * @param signal ends it
 * @param use receives its parts, in order; none for files of kinds without text
 * @throws UnfitFile when it cannot be read; ServiceError when the store is not available
 */
export async function findText(
  store: FileStore,
  { key, mediaType, size }: StoredFile & { readonly size: number },
  signal: AbortSignal,
  use: (parts: AsyncIterable<TextPart>) => Promise<void>,
  worker: FileWorker = fileWorker,
): Promise<void> {
  if (mediaType === 'application/x-cfb')
    throw new UnfitFile('The file is protected by a password, or of an older version of Office.');
  if (!hasText(mediaType)) return use(noParts());
  if (size > maxReadBytes) throw new UnfitFile(`The file has more than ${maxReadBytes / 1_000_000} MB.`);
  await withResult(store, key, { does: 'text', mediaType }, signal, worker, (folder) =>
    use(partsIn(join(folder, textFile))),
  );
}

async function* noParts(): AsyncGenerator<TextPart> {}

async function* partsIn(path: string): AsyncGenerator<TextPart> {
  // The process for files has written it.
  for await (const line of createInterface({ input: createReadStream(path) })) yield JSON.parse(line) as TextPart;
}

/** Does a task with a file, and something with the folder of its result. */
async function withResult<Result>(
  store: FileStore,
  key: FileKey,
  task: Pick<ReadTask, 'does' | 'mediaType'>,
  signal: AbortSignal,
  worker: FileWorker,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'premises-file-'));
  try {
    const path = join(folder, 'original');
    const original = await store.read(originalOf(key));
    if (!original) throw new UnfitFile('The content of the file is not available.');
    await pipeline(original, createWriteStream(path), { signal });
    await worker.run({ ...task, path, folder }, signal);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
