import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';

/** Executes messages of PostgreSQL's protocol: a PGlite in this thread, or in another. */
export interface Backend {
  /** Executes messages, and passes on the answer in parts. Rejects when it has ended. */
  execProtocolRawStream(messages: Uint8Array, options: { onRawData: (data: Uint8Array) => void }): Promise<void>;
  close(): Promise<void>;
  /** Ends it at once, whatever it executes; what it has committed stays. Possible in another thread only. */
  terminate?(): Promise<void>;
}

/** PGlite touches all of its default 128 MB of buffers at start; with fewer, the system's file cache serves as well. */
const sharedBuffers = '32MB';

/** Starts a PGlite in this thread, in which nothing else runs while a statement does. */
export const startPGlite = (options: PGliteOptions): Promise<PGlite> =>
  PGlite.create({
    ...options,
    extensions: { pg_trgm }, // of the indexes for searches
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
  });
