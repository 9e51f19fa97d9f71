import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import { FolderInUseError, lockFolder } from '../src/database/lock.ts';
import { diff, migrate } from '../src/database/migrate.ts';
import { beginGeneration } from '../src/events/generation.ts';
import { startScript } from './support/children.ts';

const root = await mkdtemp(join(tmpdir(), 'premises-test-'));
afterAll(() => rm(root, { recursive: true }));

let folders = 0;
async function newFolder(name = `${++folders}`): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  return folder;
}

const children: ChildProcess[] = [];
afterEach(() => Promise.all(children.splice(0).map(kill)));

async function start(): Promise<ChildProcess> {
  const child = startScript('lock.ts');
  children.push(child);
  await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Sends a message to a child process, and returns its reply. */
async function ask(child: ChildProcess, message: { take?: string; give?: boolean }): Promise<string> {
  const answer = once(child, 'message');
  child.send(message);
  return String((await answer)[0]);
}

/** Creates the stale socket of a dead process in a folder. */
async function leaveBehind(folder: string): Promise<void> {
  await mkdir(join(folder, 'lock'));
  const socket = join(folder, 'lock', 'socket');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  await link(socket, join(folder, 'lock', '0123456789ab.lock'));
  server.close(); // deletes the name it was created under, and leaves the other
  await once(server, 'close');
}

describe('the lock of the data folder', () => {
  test('rejects a second process at once, names the first, and can be released', async () => {
    const folder = await newFolder();
    const [first, second] = await Promise.all([start(), start()]);
    expect(await ask(first, { take: folder })).toBe('taken');
    const started = Date.now();
    const refusal = await ask(second, { take: folder });
    expect(Date.now() - started).toBeLessThan(1000);
    expect(refusal).toContain(`The data folder ${folder} is in use by another process (${first.pid})`);
    await symlink(folder, join(root, 'alias'));
    expect(await ask(second, { take: join(root, 'alias') })).toContain('in use');
    expect(await ask(first, { give: true })).toBe('given');
    expect(await ask(second, { take: folder })).toBe('taken');
    expect(await readdir(join(folder, 'lock'))).toHaveLength(1);
  });

  test('rejects the same process too', async () => {
    const folder = await newFolder();
    const release = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    await release();
    await (await lockFolder(folder))();
    expect(await readdir(join(folder, 'lock'))).toEqual([]);
  });

  test('is released when its process is killed', async () => {
    const folder = await newFolder();
    const [first, second] = await Promise.all([start(), start()]);
    expect(await ask(first, { take: folder })).toBe('taken');
    await kill(first);
    expect(await readdir(join(folder, 'lock'))).toHaveLength(1);
    expect(await ask(second, { take: folder })).toBe('taken');
    expect(await readdir(join(folder, 'lock'))).toHaveLength(1);
  });

  test('is not taken from a live process that does not respond', async () => {
    const folder = await newFolder();
    const [first, second] = await Promise.all([start(), start()]);
    expect(await ask(first, { take: folder })).toBe('taken');
    first.kill('SIGSTOP');
    expect(await ask(second, { take: folder })).toContain('in use');
    first.kill('SIGCONT');
    expect(await ask(first, { give: true })).toBe('given');
    expect(await ask(second, { take: folder })).toBe('taken');
  });

  test('goes to exactly one of several that find a stale file at once', async () => {
    const starters = await Promise.all([start(), start(), start()]);
    const [holder, ...rest] = starters;
    for (let round = 0; round < 150; round++) {
      const folder = await newFolder();
      await leaveBehind(folder);
      const answers = await Promise.all(starters.map((child) => ask(child, { take: folder })));
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
      const losers = answers.filter((answer) => answer.startsWith('FolderInUseError'));
      expect(losers).toHaveLength(rest.length);
      const winner = starters[answers.indexOf('taken')] ?? holder;
      if (winner) expect(await ask(winner, { give: true })).toBe('given');
      expect(await readdir(join(folder, 'lock'))).toEqual([]);
    }
  });

  test('works in a folder with a path too long for a socket', async () => {
    const folder = await newFolder('long/'.repeat(40));
    const release = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    expect(await readdir(join(folder, 'lock'))).toHaveLength(1);
    await release();
    expect(await readdir(join(folder, 'lock'))).toEqual([]);
  });

  test('does not keep a process alive', async () => {
    const child = await start();
    expect(await ask(child, { take: await newFolder() })).toBe('taken');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('the embedded database', () => {
  test('stores its rows in a private folder, for one process at a time', async () => {
    const dataDir = join(root, 'data');
    const first = await openDatabase({ dataDir });
    expect(await migrate(first)).toEqual([]); // it begins with the one that the build has migrated
    expect(await diff(first)).toBeUndefined(); // the migrations result in exactly prisma/schema
    expect(await first.query({ text: 'SELECT FROM change_logs' })).toMatchObject({ rows: [] });
    expect((await stat(dataDir)).mode & 0o077).toBe(0);
    await first.prisma.company.create({ data: { name: 'Acme', slug: 'acme' } });
    await expect(openDatabase({ dataDir })).rejects.toThrow(FolderInUseError);
    await first.close();
    const again = await openDatabase({ dataDir });
    expect(await migrate(again)).toEqual([]);
    expect(await again.prisma.company.count()).toBe(1);
    await again.close();
  });

  test('is copied anew where a process was killed while it copied it', async () => {
    const dataDir = await newFolder('killed');
    await mkdir(join(dataDir, 'pglite.new'));
    await writeFile(join(dataDir, 'pglite.new', 'PG_VERSION'), '18');
    const database = await openDatabase({ dataDir });
    expect(await database.prisma.company.count()).toBe(0);
    await database.close();
    expect(await readdir(dataDir)).not.toContain('pglite.new');
  });

  test('has a log of changes of its own', async () => {
    const labels = new Set<unknown>();
    for (const name of ['one', 'other']) {
      const dataDir = await newFolder(name);
      const database = await openDatabase({ dataDir });
      // It is the first, so nothing was restored.
      expect(await beginGeneration(database, dataDir)).toBe(false);
      const { rows } = await database.query({ text: 'SELECT generation, label FROM change_logs' });
      expect(rows).toMatchObject([{ generation: 0 }]);
      labels.add(rows[0]?.['label']);
      await database.close();
    }
    expect(labels.size).toBe(2);
  });
});
