import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { readS3Url } from '../store-urls.ts';
import { Clamd } from './clamd.ts';
import { FolderStore } from './folder.ts';
import { S3Store } from './s3.ts';
import type { FileStore } from './store.ts';

/** Where the bytes of files are, how many a company may have, and where they are shown. */
export interface Files {
  readonly store: FileStore;
  /** How many bytes the files of a company may have together. */
  readonly maxCompanyBytes: number;
  /** The address of the service, below which files have theirs. */
  readonly publicUrl: string;
  /** The host of nothing but contents, by links, without a trailing slash; undefined where there is none. */
  readonly origin: string | undefined;
  /** Whether clients get contents from the store itself. */
  readonly redirects: boolean;
  /** Scans files for malware before anybody gets them; undefined where nothing does. */
  readonly scanner: Clamd | undefined;
}

/** What says where files are. */
export type FilesConfig = Pick<
  Config,
  | 'filesUrl'
  | 's3Keys'
  | 'filesOrigin'
  | 'redirectsToFiles'
  | 'clamdUrl'
  | 'dataDir'
  | 'maxFileBytes'
  | 'maxCompanyFileBytes'
  | 'publicUrl'
>;

/**
 * Copies all objects of a store into another one.
 *
 * @returns how many
 */
export async function copyFiles(from: Pick<Files, 'store'>, to: Pick<Files, 'store'>): Promise<number> {
  let count = 0;
  for await (const { key } of from.store.list()) {
    const content = await from.store.read(key);
    if (!content) continue;
    await to.store.write(key, content);
    count += 1;
  }
  return count;
}

/** Opens the store of files that the configuration names. */
export function openFiles(config: FilesConfig): Files {
  const { filesUrl, s3Keys, dataDir, maxFileBytes, maxCompanyFileBytes: maxCompanyBytes } = config;
  const { publicUrl, filesOrigin: origin, redirectsToFiles: redirects } = config;
  const store = filesUrl?.startsWith('s3:')
    ? new S3Store(readS3Url(filesUrl), s3Keys, maxFileBytes)
    : new FolderStore(filesUrl === undefined ? join(dataDir, 'files') : fileURLToPath(filesUrl));
  const scanner = config.clamdUrl === undefined ? undefined : new Clamd(config.clamdUrl);
  return { store, maxCompanyBytes, publicUrl, origin, redirects, scanner };
}
