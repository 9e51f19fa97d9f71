// ClamAV's daemon, of Debian's package, with one signature of our own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

/** Where Debian has it; PATH has no `sbin` for some users. */
export const clamd = ['/usr/sbin/clamd', '/usr/local/sbin/clamd'].find((path) => existsSync(path));

/** What the signature finds, and what it is called. */
export const malware = 'X5O-PREMISES-TEST-SIGNATURE';
export const signature = 'Premises.Test.UNOFFICIAL';

/** How many bytes the daemon takes. */
export const maxScanned = 30_000_000;

/** The daemon, on a socket. */
export class ClamdServer {
  private child: ChildProcess | undefined;

  private constructor(private readonly folder: string) {}

  /** Prepares it. It runs once it is resumed. */
  static async create(): Promise<ClamdServer> {
    const folder = await mkdtemp(join(tmpdir(), 'premises-clamd-'));
    const lines = [
      `DatabaseDirectory ${folder}`,
      `LocalSocket ${join(folder, 'socket')}`,
      'Foreground yes',
      `StreamMaxLength ${maxScanned}`,
      'MaxThreads 2',
      'ConcurrentDatabaseReload no',
    ];
    await writeFile(join(folder, 'clamd.conf'), lines.join('\n'));
    await writeFile(join(folder, 'own.ndb'), `Premises.Test:0:*:${Buffer.from(malware).toString('hex')}\n`);
    return new ClamdServer(folder);
  }

  get url(): string {
    return `unix://${join(this.folder, 'socket')}`;
  }

  async resume(): Promise<void> {
    this.child = spawn(clamd ?? '', ['--config-file', join(this.folder, 'clamd.conf')], { stdio: 'ignore' });
    await until('clamd', async () => {
      const socket = createConnection(join(this.folder, 'socket'));
      return once(socket, 'connect').then(
        () => socket.destroy() && true,
        () => false,
      );
    });
  }

  async pause(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await rm(join(this.folder, 'socket'), { force: true });
  }

  async stop(): Promise<void> {
    await this.pause();
    await rm(this.folder, { recursive: true });
  }
}
