// Files that are sent in parts, by the tus protocol, so that what has arrived before a connection broke is kept.
import { randomUUID } from 'node:crypto';
import { type Context, inTransaction } from '../../context.ts';
import type { FileUpload } from '../../database/generated/client/client.ts';
import { conflict, notFound, ServiceError, validationError } from '../../errors.ts';
import { partOf, tooLargeFile } from '../../files/index.ts';
import type { LockOptions, ResumableUpload, ResumableUploads } from '../../resource/index.ts';
import { fileName } from './files.ts';
import { resumeLink, uploadsPath, useOnce } from './links.ts';
import { assertMaySend, assertNotOver, assertRoom, emptyFile, filesOf, storeFile } from './stored-files.ts';
import { UploadLock } from './upload-lock.ts';

/** For how long (hours) an upload is kept that does not end. */
export const uploadHours = 24;

/** How many uploads somebody may have that have not ended. */
const maxOpen = 100;

/** How many parts an upload may have. */
const maxParts = 2000;

/** How many bytes a part has at most, unless the file would have too many: what is lost when the process is killed. */
const partBytes = 16 * 1024 * 1024;

/** How many bytes the metadata may have. */
const maxMetadata = 2000;

/** What a request for uploads says. */
interface UploadsRequest {
  readonly query: Readonly<Record<string, string>>;
  /** How many bytes a file may have. */
  readonly maxBytes: number;
}

/** The uploads of a caller, as one request uses them. */
export class Uploads implements ResumableUploads {
  readonly keptMs = uploadHours * 3_600_000;
  private readonly locks: UploadLock;
  /** The parameter of the link to the upload that was begun by one. */
  private link: string | undefined;

  /** @throws ServiceError INSUFFICIENT_SCOPE, or SERVICE_UNAVAILABLE where the service has no store */
  constructor(
    private readonly request: UploadsRequest,
    private readonly context: Context,
  ) {
    assertMaySend(context);
    filesOf(context);
    this.locks = new UploadLock(context);
  }

  addressOf(id: string): string {
    return `${uploadsPath}/${id}${this.link === undefined ? '' : `?link=${this.link}`}`;
  }

  async create({ id, length, metadata, name: given }: Parameters<ResumableUploads['create']>[0]): Promise<void> {
    const { query, maxBytes } = this.request;
    const { link, name: named } = query;
    const name = fileName(link === undefined ? (named ?? given) : named);
    if (length === 0) throw validationError(emptyFile);
    if (length > maxBytes) throw tooLargeFile(maxBytes);
    if (metadata.length > maxMetadata)
      throw validationError({ 'Upload-Metadata': `must have at most ${maxMetadata} characters` });
    await assertRoom(this.context);
    const insert = () => this.insert({ id, length: BigInt(length), metadata, name });
    if (link === undefined) return insert();
    this.link = await resumeLink(id, new Date(Date.now() + this.keptMs), this.context);
    await useOnce(link, named ?? '', this.context, insert);
  }

  async lock(id: string, options: LockOptions): Promise<void> {
    await this.locks.acquire(id, options);
  }

  async unlock(id: string): Promise<void> {
    await this.locks.release(id);
  }

  async find(id: string): Promise<ResumableUpload> {
    const upload = await this.row(id);
    if (!upload) return this.arrived(id);
    // The request with the last part may have ended before the file was there.
    if (upload.received === upload.length) {
      await this.finish(upload);
      return this.arrived(id);
    }
    return { ...upload, length: Number(upload.length), received: Number(upload.received) };
  }

  async append(id: string, body: AsyncIterable<Buffer>): Promise<number> {
    const upload = await this.row(id);
    if (!upload) throw notFound('upload');
    const { store } = filesOf(this.context);
    const most = Math.max(partBytes, Math.ceil((2 * Number(upload.length)) / maxParts));
    let { received } = upload;
    let parts = upload.parts.length;
    const sent = new Parts(body, most);
    while (await sent.hasMore()) {
      if (parts >= maxParts) throw validationError({ file: `must arrive in at most ${maxParts} parts` });
      await assertRoom(this.context);
      const part = randomUUID();
      await store.write(partOf(folderOfParts(upload), part), sent.next());
      received = await this.addPart(upload, received, part, sent.size);
      parts += 1;
    }
    if (received === upload.length) {
      const whole = await this.row(id);
      if (whole) await this.finish(whole);
    }
    return Number(received);
  }

  async remove(id: string): Promise<void> {
    const { count } = await this.context.db.fileUpload.deleteMany({ where: this.held(id) });
    if (count > 0) return;
    await this.arrived(id);
    throw conflict(`The file has arrived. Delete it at /files/${id}.`);
  }

  /** Adds the row of an upload, locked, unless the caller has too many. */
  private insert(upload: Pick<FileUpload, 'id' | 'length' | 'metadata' | 'name'>): Promise<void> {
    const { db, unscopedDb, caller } = this.context;
    const { companyId, userId } = caller;
    return inTransaction(this.context, async () => {
      // Of two at once the second counts the first.
      await unscopedDb.$queryRaw`
        SELECT FROM users WHERE company_id = ${companyId}::uuid AND id = ${userId}::uuid FOR NO KEY UPDATE`;
      if ((await db.fileUpload.count({ where: { userId } })) >= maxOpen)
        throw conflict(`You have ${maxOpen} uploads that have not ended. End one of them first.`);
      await db.fileUpload.create({ data: { ...upload, userId, partsId: randomUUID() } });
      await this.locks.take(upload.id);
    });
  }

  /** The caller's upload, as far as it has arrived; undefined if there is none, or none any more. */
  private async row(id: string): Promise<FileUpload | null> {
    return this.context.db.fileUpload.findFirst({ where: this.own(id) });
  }

  private own(id: string) {
    return { id, userId: this.context.caller.userId };
  }

  private held(id: string) {
    return { ...this.own(id), lockedBy: this.locks.holder };
  }

  /** An upload that has arrived: the file that it has become. @throws ServiceError NOT_FOUND */
  private async arrived(id: string): Promise<ResumableUpload> {
    const file = await this.context.db.file.findFirst({ where: this.own(id) });
    if (!file) throw notFound('upload');
    const { name, size, createdAt } = file;
    const metadata = `filename ${Buffer.from(name).toString('base64')}`;
    return { id, length: Number(size), received: Number(size), metadata, createdAt };
  }

  /** Adds a stored part to an upload that has had so many bytes. @returns how many it has then */
  private addPart({ id }: FileUpload, received: bigint, part: string, size: number): Promise<bigint> {
    return inTransaction(this.context, async () => {
      const after = received + BigInt(size);
      const { count } = await this.context.db.fileUpload.updateMany({
        where: { ...this.held(id), received },
        data: { received: after, parts: { push: part } },
      });
      if (count === 0) throw lost();
      await assertNotOver(this.context);
      return after;
    });
  }

  /** Makes the file of an upload all of whose parts are stored. */
  private async finish(upload: FileUpload): Promise<void> {
    const { id, companyId, name, length } = upload;
    const sent = { name, body: this.contentOf(upload), maxBytes: Number(length) };
    await storeFile({ companyId, id }, sent, this.context, async () => {
      const { count } = await this.context.db.fileUpload.deleteMany({ where: this.held(id) });
      if (count === 0) throw lost();
    });
  }

  private async *contentOf(upload: FileUpload): AsyncGenerator<Buffer> {
    const { store } = filesOf(this.context);
    let size = 0;
    for (const part of upload.parts) {
      const content = await store.read(partOf(folderOfParts(upload), part));
      if (!content) throw new Error(`The part ${part} of an upload is not in the store.`);
      for await (const chunk of content) {
        // Stores send bytes.
        size += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    }
    if (size !== Number(upload.length)) throw new Error(`The parts of an upload have ${size} bytes.`);
  }
}

const folderOfParts = ({ companyId, partsId }: FileUpload) => ({ companyId, id: partsId });

/** The error of a request whose lock another one has taken, as it did not say for long that it still goes on. */
const lost = () =>
  new ServiceError('LOCKED', 'Another request changes the upload. Ask how much has arrived, and resume.');

/** Splits what comes into parts of at most so many bytes. */
class Parts {
  /** How many bytes the last part has. */
  size = 0;
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer | undefined;

  constructor(
    body: AsyncIterable<Buffer>,
    private readonly most: number,
  ) {
    this.chunks = body[Symbol.asyncIterator]();
  }

  /** Waits for the next bytes. @returns whether there are any */
  async hasMore(): Promise<boolean> {
    while (!this.rest?.length) {
      const next = await this.chunks.next();
      if (next.done) return false;
      this.rest = next.value;
    }
    return true;
  }

  /** The bytes of the next part, as they come. */
  async *next(): AsyncGenerator<Buffer> {
    this.size = 0;
    while (this.size < this.most && (await this.hasMore())) {
      const { rest = Buffer.alloc(0) } = this;
      const part = rest.subarray(0, this.most - this.size);
      this.rest = rest.subarray(part.length);
      this.size += part.length;
      yield part;
    }
  }
}
