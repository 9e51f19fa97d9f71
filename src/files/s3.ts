// A store in S3, or in what speaks its protocol.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../config.ts';
import { Turns } from '../limits/turns.ts';
import type { S3Address } from '../store-urls.ts';
import { partsOf } from './parts.ts';
import type * as sdkModule from './s3-sdk.ts';
import type { ByteRange, FileStore, SignedAnswer, StoredObject } from './store.ts';
import { explainSystemError, reasonOf, storeFull, storeUnavailable } from './store-errors.ts';

/** Loaded with the first object, as it takes as long as a tenth of the start. */
type Sdk = typeof sdkModule;

/** The SDK, and a client of the server. */
interface Opened {
  readonly sdk: Sdk;
  readonly client: S3Client;
}

/** How many bytes a part has at least, and how many parts an object has at most. */
const minPartBytes = 8 * 1024 * 1024;
const maxParts = 10_000;

/** How many parts are in memory, and sent, at once, of all objects. */
const partsAtOnce = 3;

/** How long (ms) a connection, and a request until its response begins, may take; and how often one is tried. */
const timeouts = { connectionTimeout: 3000, requestTimeout: 60_000, throwOnRequestTimeout: true } as const;
const attempts = 3;

/** How long (ms) the content of an object may stall while it is waited for. */
const stallMs = 30_000;

/** How long (ms) an object may take to arrive; then what is there of it is deleted. */
const arrivingMs = 24 * 60 * 60 * 1000;

/** A store in a bucket. */
export class S3Store implements FileStore {
  private readonly turns = new Turns(partsAtOnce);
  private readonly partBytes: number;
  private opened: Promise<Opened> | undefined;

  /**
   * @param keys by default those of the machine, where the SDK looks for them
   * @param maxBytes how many bytes an object has at most
   */
  constructor(
    private readonly address: S3Address,
    private readonly keys: Config['s3Keys'],
    maxBytes: number,
  ) {
    this.partBytes = Math.max(minPartBytes, Math.ceil(maxBytes / maxParts));
  }

  async write(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'premises-part-'));
    const path = join(folder, 'part');
    try {
      await this.writeParts(key, content, path);
    } catch (error) {
      throw explainSystemError(error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    const found = await this.find(({ sdk, client }) =>
      client.send(new sdk.GetObjectCommand({ ...this.target(key), ...part })),
    );
    // On Node the body is the response of Node's client.
    return found && endStalled(found.Body as IncomingMessage);
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const found = await this.find(({ sdk, client }) => client.send(new sdk.HeadObjectCommand(this.target(key))));
    // A response without a body does not say whether there is the bucket.
    if (!found) await this.send(() => this.check());
    return found?.ContentLength;
  }

  async remove(folder: string): Promise<void> {
    for await (const { key } of this.objectsBelow(`${folder}/`))
      await this.send(({ sdk, client }) => client.send(new sdk.DeleteObjectCommand(this.target(key))));
  }

  async *list(): AsyncGenerator<StoredObject> {
    await this.abortAbandoned();
    yield* this.objectsBelow('');
  }

  async check(): Promise<void> {
    const { sdk, client } = await this.open();
    const { bucket, prefix } = this.address;
    try {
      await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }));
    } catch (error) {
      throw new Error(`The bucket ${bucket} cannot be used: ${reasonOf(error)}`, { cause: error });
    }
  }

  async sign(key: string, { type, disposition, seconds }: SignedAnswer): Promise<string> {
    const { sdk, client } = await this.open();
    const answer = { ResponseContentType: type, ResponseContentDisposition: disposition };
    const command = new sdk.GetObjectCommand({ ...this.target(key), ...answer });
    return this.send(() => sdk.getSignedUrl(client, command, { expiresIn: seconds }));
  }

  async close(): Promise<void> {
    (await this.opened)?.client.destroy();
  }

  private open(): Promise<Opened> {
    this.opened ??= this.connect();
    return this.opened;
  }

  private async connect(): Promise<Opened> {
    const sdk = await import('./s3-sdk.ts');
    const { endpoint, region, pathStyle } = this.address;
    const client = new sdk.S3Client({
      ...(endpoint !== undefined && { endpoint }),
      // Servers other than those of AWS know no regions, but the signature has one.
      ...((region ?? endpoint) !== undefined && { region: region ?? 'us-east-1' }),
      ...(this.keys && { credentials: this.keys }),
      forcePathStyle: pathStyle,
      maxAttempts: attempts,
      // As many as there may be requests: each may read an object for as long as its client takes.
      requestHandler: { ...timeouts, httpAgent: { maxSockets: 1000 }, httpsAgent: { maxSockets: 1000 } },
      // Others than AWS do not know its newer checksums. The signature has that of each part.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    return { sdk, client };
  }

  private target(key: string) {
    return { Bucket: this.address.bucket, Key: this.address.prefix + key };
  }

  /** Sends a request. @throws ServiceError */
  private async send<T>(request: (opened: Opened) => Promise<T>): Promise<T> {
    try {
      return await request(await this.open());
    } catch (error) {
      throw isFull(error) ? storeFull(error) : storeUnavailable(error);
    }
  }

  /** Sends a request for an object. @returns undefined if there is none */
  private find<T>(request: (opened: Opened) => Promise<T>): Promise<T | undefined> {
    return this.send(async (opened) => {
      try {
        return await request(opened);
      } catch (error) {
        if (['NoSuchKey', 'NotFound'].includes(nameOf(error))) return undefined;
        throw error;
      }
    });
  }

  private async writeParts(key: string, content: AsyncIterable<Uint8Array>, path: string): Promise<void> {
    const target = this.target(key);
    const [client] = key.split('/', 1);
    const parts: CompletedPart[] = [];
    let UploadId: string | undefined;
    const sendBody = <T>(send: (opened: Opened, body: Buffer) => Promise<T>) =>
      this.turns.run(client ?? '', async () => {
        const body = await readFile(path);
        return this.send((opened) => send(opened, body));
      });
    try {
      for await (const { number: PartNumber, isLast } of partsOf(content, path, this.partBytes)) {
        if (isLast && PartNumber === 1) {
          await sendBody(({ sdk, client }, Body) => client.send(new sdk.PutObjectCommand({ ...target, Body })));
          return;
        }
        UploadId ??= await this.begin(key);
        const about = { ...target, UploadId, PartNumber };
        const { ETag } = await sendBody(({ sdk, client }, Body) =>
          client.send(new sdk.UploadPartCommand({ ...about, Body })),
        );
        parts.push({ PartNumber, ETag });
      }
      const whole = { ...target, UploadId, MultipartUpload: { Parts: parts } };
      await this.send(({ sdk, client }) => client.send(new sdk.CompleteMultipartUploadCommand(whole)));
    } catch (error) {
      // What cannot be aborted now is aborted when it has been abandoned for a day.
      if (UploadId !== undefined) await this.abort(target.Key, UploadId).catch(() => {});
      throw error;
    }
  }

  private async begin(key: string): Promise<string> {
    const { UploadId } = await this.send(({ sdk, client }) =>
      client.send(new sdk.CreateMultipartUploadCommand(this.target(key))),
    );
    if (UploadId === undefined) throw storeUnavailable(new Error('The store has begun no upload.'));
    return UploadId;
  }

  private abort(Key: string, UploadId: string) {
    const upload = { Bucket: this.address.bucket, Key, UploadId };
    return this.send(({ sdk, client }) => client.send(new sdk.AbortMultipartUploadCommand(upload)));
  }

  /** Aborts the uploads of instances that have ended meanwhile. */
  private async abortAbandoned(): Promise<void> {
    const about = { Bucket: this.address.bucket, Prefix: this.address.prefix };
    for (let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {}; from; ) {
      const page = await this.send(({ sdk, client }) =>
        client.send(new sdk.ListMultipartUploadsCommand({ ...about, ...from })).catch((error: unknown) => {
          // Such a store ends them itself.
          if (nameOf(error) === 'NotImplemented') return undefined;
          throw error;
        }),
      );
      for (const { Key, UploadId, Initiated } of page?.Uploads ?? [])
        if (Key !== undefined && UploadId !== undefined && Date.now() - Number(Initiated ?? Date.now()) > arrivingMs)
          await this.abort(Key, UploadId);
      from = page?.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    }
  }

  private async *objectsBelow(folder: string): AsyncGenerator<StoredObject> {
    const { bucket: Bucket, prefix } = this.address;
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const asked = { Bucket, Prefix: prefix + folder, ...(token !== undefined && { ContinuationToken: token }) };
      const page = await this.send(({ sdk, client }) => client.send(new sdk.ListObjectsV2Command(asked)));
      for (const { Key = '', LastModified = new Date() } of page.Contents ?? [])
        yield { key: Key.slice(prefix.length), storedAt: LastModified };
      token = page.NextContinuationToken;
    }
  }
}

/** The name that S3 gives an error. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Whether a store has no room left, as those say it that have bounds. */
function isFull(error: unknown): boolean {
  const { $metadata } = (error ?? {}) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode === 507 || ['QuotaExceeded', 'XMinioStorageFull'].includes(nameOf(error));
}

/** Ends content that is waited for and does not come. A client that does not read on does not count. */
function endStalled(body: IncomingMessage): Readable {
  const { socket } = body;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const isWaitedFor = body.readableLength < body.readableHighWaterMark && !body.complete;
    if (isWaitedFor && socket.bytesRead === before)
      body.destroy(storeUnavailable(new Error('The content of an object stalls.')));
    before = socket.bytesRead;
  }, stallMs).unref();
  return body.once('close', () => clearInterval(timer));
}
