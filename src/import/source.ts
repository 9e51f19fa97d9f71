// The bytes of an imported file, wherever they are.
import { open } from 'node:fs/promises';

/** The bytes of a file, which are read more than once. */
export interface ByteSource {
  readonly size: number;
  /** Reads the bytes from `start` up to `end`, in parts. */
  readonly read: (start?: number, end?: number) => AsyncIterable<Buffer>;
}

/** How many bytes of a file are read at once. */
const partBytes = 65_536;

/** Opens a file of the file system. @throws Error of the system when there is no such file */
export async function openFileSource(path: string): Promise<ByteSource & { close(): Promise<void> }> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    size,
    async *read(start = 0, end = size) {
      for (let at = start; at < end; ) {
        const { bytesRead, buffer } = await file.read(
          Buffer.allocUnsafe(Math.min(partBytes, end - at)),
          0,
          undefined,
          at,
        );
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    },
    close: () => file.close(),
  };
}

/** Bytes in memory. */
export const bufferSource = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  async *read(start = 0, end = bytes.length) {
    for (let at = start; at < end; at += partBytes) yield bytes.subarray(at, Math.min(at + partBytes, end));
  },
});

/** Reads some bytes at once. */
export async function readBytes(source: ByteSource, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source.read(start, Math.min(end, source.size))) parts.push(part);
  return Buffer.concat(parts);
}
