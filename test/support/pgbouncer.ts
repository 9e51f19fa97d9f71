import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unprivileged } from './postgresql.ts';
import { freePort } from './process.ts';

/** Where Debian has it; PATH has no `sbin` for some users. */
export const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) => existsSync(path));

/** A PgBouncer in transaction mode over the server of a URL, for any role without a password. */
export class Pooler {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** @param size how many sessions it opens for a database and role */
  static async start(url: string, size: number): Promise<Pooler> {
    const { hostname, port: serverPort } = new URL(url);
    const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
    const port = await freePort();
    const lines = [
      '[databases]',
      `* = host=${hostname} port=${serverPort || 5432}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${size}`,
      'max_client_conn = 500',
    ];
    // `any` ignores the role that clients name.
    lines[1] += ` user=${decodeURIComponent(new URL(url).username)}`;
    await writeFile(join(folder, 'pgbouncer.ini'), lines.join('\n'));
    await chmod(folder, 0o755);
    const child = spawn(pgbouncer ?? '', ['--quiet', join(folder, 'pgbouncer.ini')], {
      stdio: 'ignore',
      ...unprivileged,
    });
    for (let tries = 0; !(await listens(port)); tries++) {
      if (tries > 200 || child.exitCode !== null) throw new Error('PgBouncer does not listen.');
      await sleep(50);
    }
    return new Pooler(child, folder, port);
  }

  /** The address of a database through it. */
  through(url: string): string {
    const address = new URL(url);
    address.host = `127.0.0.1:${this.port}`;
    return address.href;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await rm(this.folder, { recursive: true });
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
