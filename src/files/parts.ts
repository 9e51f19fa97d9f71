// Content cut into parts, one of which is in a file at a time: who sends it may be slow, and memory is for others.
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** A part of content. */
export interface Part {
  /** From 1. */
  readonly number: number;
  readonly isLast: boolean;
}

/**
 * Writes content part by part to the file at `path`, each over the one before. All parts but the last have `partBytes`.
 *
 * @throws what reading the content, or writing the file, throws
 */
export async function* partsOf(
  content: AsyncIterable<Uint8Array>,
  path: string,
  partBytes: number,
): AsyncGenerator<Part> {
  const chunks = content[Symbol.asyncIterator]();
  let rest: Uint8Array | undefined;
  /** The next bytes, which stay; undefined at the end. */
  const peek = async (): Promise<Uint8Array | undefined> => {
    while (!rest?.length) {
      const next: IteratorResult<Uint8Array, unknown> = await chunks.next();
      if (next.done) return undefined;
      rest = next.value;
    }
    return rest;
  };
  async function* part() {
    for (let left = partBytes; left > 0; ) {
      const chunk = await peek();
      if (!chunk) return;
      const piece = chunk.subarray(0, left);
      rest = chunk.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  try {
    for (let number = 1; ; number += 1) {
      await pipeline(part(), createWriteStream(path));
      const isLast = (await stat(path)).size < partBytes || (await peek()) === undefined;
      yield { number, isLast };
      if (isLast) return;
    }
  } finally {
    await chunks.return?.();
  }
}
