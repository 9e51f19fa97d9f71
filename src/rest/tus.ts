// Answers requests of the tus protocol by its library, loaded with the first one. What it stores is ours.
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { DataStore, type Lock, Metadata, Server, Upload } from '@tus/server';
import { uuidAt } from '../formats.ts';
import type { ResumableUploads, ResumeMethod } from '../resource/index.ts';

/** A request of the protocol. */
interface TusRequest {
  readonly method: ResumeMethod;
  /** The upload; undefined where it is begun. */
  readonly id: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer> | undefined;
  readonly uploads: ResumableUploads;
  readonly extensions: string[];
  /** How many bytes a file may have. */
  readonly maxBytes: number;
  readonly addressOf: (id: string) => string;
}

/** What the library answers. */
export interface TusAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The headers that the library reads. */
const read = ['tus-resumable', 'content-type', 'content-length', 'upload-length', 'upload-offset', 'upload-metadata'];
const refused = ['upload-defer-length', 'upload-concat'];

/** Answers a request. @throws whatever the uploads throw */
export async function answerTus(request: TusRequest): Promise<TusAnswer> {
  const { method, id, headers, body, uploads, extensions, maxBytes, addressOf } = request;
  let failure: Error | undefined;
  const server = new Server({
    path: '/',
    datastore: new UploadStore(uploads, extensions),
    locker: { newLock: (locked) => lockOf(locked, method, uploads) },
    // A request that another one waits for ends at once; what has arrived is stored meanwhile.
    lockDrainTimeout: 1,
    maxSize: maxBytes,
    namingFunction: () => uuidAt(new Date()),
    generateUrl: (_request, { id: made }) => addressOf(made),
    getFileIdFromRequest: () => id,
    onResponseError(_request, error) {
      if (error instanceof Error) failure = error;
      return undefined;
    },
  });
  const given = new Headers();
  for (const name of [...read, ...refused]) {
    const value = headers[name];
    if (typeof value === 'string') given.set(name, value);
  }
  const options = {
    method,
    headers: given,
    ...(body && { body: Readable.toWeb(Readable.from(body)), duplex: 'half' }),
  };
  // Node's types of streams and those of the web differ in name only.
  const response = await server.handleWeb(new Request(`http://localhost/${id ?? ''}`, options as RequestInit));
  if (failure) throw failure;
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Gives the library our uploads. */
class UploadStore extends DataStore {
  constructor(
    private readonly uploads: ResumableUploads,
    override readonly extensions: string[],
  ) {
    super();
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size = 0, metadata } = upload;
    const name = metadata?.['filename'] ?? metadata?.['name'];
    const text = metadata ? Metadata.stringify(metadata) : '';
    await this.uploads.create({ id, length: size, metadata: text, ...(name != null && { name }) });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { length: size, received: offset, metadata, createdAt } = await this.uploads.find(id);
    const creation_date = createdAt.toISOString();
    return new Upload({ id, size, offset, creation_date, ...(metadata && { metadata: Metadata.parse(metadata) }) });
  }

  override write(content: Readable, id: string): Promise<number> {
    return this.uploads.append(id, content.iterator({ destroyOnReturn: false }));
  }

  override remove(id: string): Promise<void> {
    return this.uploads.remove(id);
  }

  override getExpiration(): number {
    return this.uploads.keptMs;
  }
}

/** A client that asks how much has arrived, or gives up, has noticed that its last request is cut off. */
const lockOf = (id: string, method: ResumeMethod, uploads: ResumableUploads): Lock => ({
  lock: (_signal, onAwaited) =>
    uploads.lock(id, { waits: method === 'HEAD' || method === 'DELETE', onAwaited: () => void onAwaited() }),
  unlock: () => uploads.unlock(id),
});
