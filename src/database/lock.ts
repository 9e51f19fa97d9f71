import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Another process has the data folder open. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';

  /** @param processId the other process, when it told */
  constructor(folder: string, processId?: string) {
    super(
      `The data folder ${folder} is in use by another process${processId ? ` (${processId})` : ''}. ` +
        'Stop that one, choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL.',
    );
  }
}

/** How long (ms) another process may take to say what it is doing before it counts as the holder. */
const replyTimeoutMs = 1000;

/** The longest path of a socket, in bytes, that every system takes. */
const maxPathLength = 100;

/**
 * Takes the folder for this process alone, until the returned function is called or the process ends, however it ends.
 *
 * Every process that wants the folder listens on a socket of its own in `<folder>/lock`, and only then looks at the
 * others'. The system closes the sockets of a dead process, so a file that nobody answers at is a leftover; as no two
 * processes ever use the same name, deleting it can hurt nobody. Of two that start at once at least one sees the other,
 * and the one whose name sorts first goes ahead. A process that does not answer properly is taken for the holder: the
 * lock is never stolen from a live one. It holds between all processes of one machine, its containers included.
 *
 * @param folder an existing folder
 * @returns gives the folder back
 * @throws FolderInUseError at once when another process has it
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
  const short = await shortened(sockets, name.length);
  try {
    // A socket that is bound but does not listen yet looks dead, so it gets its name once it listens.
    await listen(server, join(short.path, `${name}.new`)).catch((cause: Error) => {
      throw new Error(`The data folder ${folder} cannot hold the socket that guards it: ${cause.message}`, { cause });
    });
    await rename(`${file}.new`, file);
    for (;;) {
      const others = await liveOthers(sockets, short.path, name);
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

/** Asks every socket in the folder but ours what its process is doing, and deletes the dead ones. */
async function liveOthers(sockets: string, shortPath: string, ours: string) {
  const names = (await readdir(sockets)).filter((name) => name.endsWith('.lock') && name !== ours);
  const replies = await Promise.all(
    names.map(async (name) => {
      const reply = await ask(join(shortPath, name));
      if (reply === 'dead') await rm(join(sockets, name), { force: true });
      const [status, processId] = reply.split(' ');
      return status === 'dead' ? [] : [{ name, status, processId }];
    }),
  );
  return replies.flat();
}

/** What the process at a socket says; else `dead` when there is none, or `left` when it went away meanwhile. */
function ask(path: string): Promise<string> {
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

/** A path to the folder that leaves room for a name of `length`: systems cut the path of a socket at about 100 bytes. */
async function shortened(folder: string, length: number) {
  if (Buffer.byteLength(folder) + length + '/.new'.length <= maxPathLength)
    return { path: folder, remove: async () => {} };
  const temporary = await mkdtemp(join(tmpdir(), 'premises-'));
  const path = join(temporary, 'lock');
  await symlink(folder, path);
  return { path, remove: () => rm(temporary, { recursive: true }) };
}

/** Windows keeps no file of a pipe, and lets one process alone make a pipe of a name. */
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
