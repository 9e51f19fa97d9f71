import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Thrown when another process uses the data folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';

  /** @param processId the other process, if known */
  constructor(folder: string, processId?: string) {
    super(
      `The data folder ${folder} is in use by another process${processId ? ` (${processId})` : ''}. ` +
        'Stop that one, choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL.',
    );
  }
}

/** How long (ms) another process may take to report its status before it counts as the owner of the lock. */
const replyTimeoutMs = 1000;

/** Maximum length of a socket's path, in bytes, that every system supports. */
const maxPathLength = 100;

/**
 * Locks the folder for this process until the returned function is called or the process ends, in whatever way.
 *
 * Every process that wants the lock listens on its own socket in `<folder>/lock` before it looks at the other sockets
 * there. The system closes the sockets of a dead process, so a file without a listener is stale; names are never
 * reused, so deleting it is safe. Of two processes that start at once at least one sees the other, and the one whose
 * name sorts first gets the lock. A process that does not reply properly counts as the owner: a lock is never taken
 * from a live process. The lock covers all processes of one machine, its containers included.
 *
 * @param folder an existing folder
 * @returns unlocks the folder
 * @throws FolderInUseError at once when another process has locked it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const real = await realpath(folder);
  return process.platform === 'win32' ? lockByPipe(real) : lockBySocket(real);
}

async function lockBySocket(folder: string): Promise<() => Promise<void>> {
  const sockets = join(folder, 'lock');
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  const name = `${randomBytes(6).toString('hex')}.lock`;
  const file = join(sockets, name);
  let isLocked = false;
  const server = createServer((socket) =>
    socket.on('error', () => {}).end(`${isLocked ? 'locked' : 'waiting'} ${process.pid}`),
  );
  const release = async () => {
    await rm(file, { force: true });
    server.close();
  };
  const short = await shortenPath(sockets, name.length);
  try {
    // A socket that is bound but not yet listening looks dead, so it is renamed into place once it listens.
    await listen(server, join(short.path, `${name}.new`)).catch((cause: Error) => {
      throw new Error(`Cannot create the lock's socket in the data folder ${folder}: ${cause.message}`, { cause });
    });
    await rename(`${file}.new`, file);
    for (;;) {
      const others = await findLiveProcesses(sockets, short.path, name);
      const winner = others.find(
        ({ status, name: other }) => status !== 'left' && !(status === 'waiting' && name < other),
      );
      if (winner) throw new FolderInUseError(folder, winner.processId);
      if (others.length === 0) {
        isLocked = true;
        return release;
      }
      await sleep(10);
    }
  } catch (error) {
    await release();
    throw error;
  } finally {
    await short.remove();
  }
}

/** Reads the status of every other process with a socket in the folder, and deletes stale sockets. */
async function findLiveProcesses(sockets: string, shortPath: string, ours: string) {
  const names = (await readdir(sockets)).filter((name) => name.endsWith('.lock') && name !== ours);
  const replies = await Promise.all(
    names.map(async (name) => {
      const reply = await readStatus(join(shortPath, name));
      if (reply === 'dead') await rm(join(sockets, name), { force: true });
      const [status, processId] = reply.split(' ');
      return status === 'dead' ? [] : [{ name, status, processId }];
    }),
  );
  return replies.flat();
}

/** Reads a process's status from its socket: `dead` when there is none, `left` when it ended meanwhile. */
function readStatus(path: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(path);
    socket.setEncoding('utf8').setTimeout(replyTimeoutMs, () => socket.destroy(new Error('no reply')));
    socket.on('data', (text: string) => (reply += text));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve('dead');
      else resolve(code === 'ECONNRESET' ? 'left' : 'locked');
    });
    socket.on('close', () => resolve(reply || 'left'));
  });
}

/**
 * Returns a path to the folder that is short enough for a socket with a name of `length`: systems limit the path of a
 * socket to about 100 bytes.
 */
async function shortenPath(folder: string, length: number) {
  if (Buffer.byteLength(folder) + length + '/.new'.length <= maxPathLength)
    return { path: folder, remove: async () => {} };
  const temporary = await mkdtemp(join(tmpdir(), 'premises-'));
  const path = join(temporary, 'lock');
  await symlink(folder, path);
  return { path, remove: () => rm(temporary, { recursive: true }) };
}

/** On Windows a named pipe leaves no file, and only one process can create it. */
async function lockByPipe(folder: string): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.end());
  const name = createHash('sha256').update(folder.toLowerCase()).digest('hex');
  await listen(server, `\\\\.\\pipe\\premises-${name}`).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new FolderInUseError(folder) : error;
  });
  return async () => {
    server.close();
  };
}

/** Listens without keeping the process alive. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject).listen({ path, exclusive: true }, resolve).unref();
  });
}
