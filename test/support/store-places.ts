// Places where stores of files are, each by a name, that are copied as operators copy them: without this service.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CopyObjectCommand, CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';

const run = promisify(execFile);

/** Where stores are. */
export interface StorePlace {
  /** The settings of the store with a name. */
  env(name: string): Record<string, string>;
  /** Adds to one store what is in another one, or below a folder of it. */
  copy(from: string, to: string, folder?: string): Promise<void>;
  close(): Promise<void>;
}

/** Stores in folders. */
export async function storeInFolder(): Promise<StorePlace> {
  const place = await mkdtemp(join(tmpdir(), 'premises-stores-'));
  return {
    env: (name) => ({ FILES_URL: pathToFileURL(join(place, name)).href }),
    async copy(from, to, folder = '') {
      const target = join(place, to, folder);
      await mkdir(target, { recursive: true });
      await run('cp', ['--archive', `${join(place, from, folder)}/.`, target]);
    },
    close: () => rm(place, { recursive: true }),
  };
}

/** A server that speaks S3. */
interface Server {
  readonly endpoint: string;
  env(prefix: string): { readonly [name in 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'FILES_URL']: string };
  stop(): Promise<void>;
}

/** Stores below prefixes of a bucket `files`, which is created where there is none. */
export async function storeInS3(server: Server): Promise<StorePlace> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = server.env('');
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const Bucket = 'files';
  await client.send(new CreateBucketCommand({ Bucket })).catch((error: Error) => {
    if (!error.name.startsWith('BucketAlready')) throw error;
  });
  return {
    env: (name) => server.env(name),
    async copy(from, to, folder = '') {
      for (let ContinuationToken: string | undefined, isFirst = true; isFirst || ContinuationToken; isFirst = false) {
        const asked = { Bucket, Prefix: `${from}/${folder}`, ...(ContinuationToken && { ContinuationToken }) };
        const page = await client.send(new ListObjectsV2Command(asked));
        for (const { Key = '' } of page.Contents ?? []) {
          const copy = { Bucket, Key: to + Key.slice(from.length), CopySource: `${Bucket}/${Key}` };
          await client.send(new CopyObjectCommand(copy));
        }
        ContinuationToken = page.NextContinuationToken;
      }
    },
    async close() {
      client.destroy();
      await server.stop();
    },
  };
}
