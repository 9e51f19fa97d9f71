import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** The database cannot be used. The message says why, and what to do. */
export class OpenError extends Error {
  override readonly name = 'OpenError';
}

/** The major version of PostgreSQL that PGlite is, which its files belong to. */
const postgresVersion = '18';

/** Free space (bytes) without which a database would only panic again: some segments of the WAL. */
const neededSpace = 64 * 1024 * 1024;

/** Whether the disk of a folder has too little space for a database to start. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < neededSpace;
}

/** @throws OpenError when another version of PostgreSQL wrote the files in the folder */
export async function assertVersion(dataDir: string): Promise<void> {
  const version = (await readFile(join(dataDir, 'pglite', 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === '' || version === postgresVersion) return;
  throw new OpenError(
    `The data folder ${dataDir} belongs to PostgreSQL ${version}, and this version of Premises reads ` +
      `${postgresVersion}. Start the version of Premises that wrote it, or choose another DATA_DIR.`,
  );
}

/** What to do about an error of the file system, by its code. */
const remedies: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written by this user. Make this user its owner, or choose another DATA_DIR.',
  EPERM: 'cannot be written by this user. Make this user its owner, or choose another DATA_DIR.',
  EROFS: 'is on a read-only file system. Choose another DATA_DIR.',
  EEXIST: 'is a file. Choose another DATA_DIR.',
  ENOTDIR: 'is inside a file. Choose another DATA_DIR.',
  ENOENT: 'cannot be created. Choose another DATA_DIR.',
};

/**
 * Explains an error of the file system, or of a lack of space, in opening a data folder; returns others as they are.
 */
export async function explainOpenError(error: unknown, dataDir: string): Promise<unknown> {
  // The properties of file system errors, if the thrown value has them.
  const { code = '', syscall } = Object(error) as { code?: string; syscall?: string };
  const remedy = syscall === undefined ? undefined : remedies[code];
  if (remedy) return new OpenError(`The data folder ${dataDir} ${remedy}`, { cause: error });
  return code === 'ENOSPC' ? fullDisk(dataDir, error) : error;
}

/** Explains that PGlite could not start: it aborts without a reason. */
export async function explainAbort(cause: unknown, dataDir: string): Promise<OpenError> {
  if (await isDiskFull(dataDir)) return fullDisk(dataDir, cause);
  return new OpenError(
    `The database in ${dataDir} cannot be opened, and may be damaged. Restore a backup, or choose another DATA_DIR to ` +
      'start anew.',
    { cause },
  );
}

const fullDisk = (dataDir: string, cause: unknown) =>
  new OpenError(`The disk of the data folder ${dataDir} is full. Free at least 64 MB, or choose another DATA_DIR.`, {
    cause,
  });
