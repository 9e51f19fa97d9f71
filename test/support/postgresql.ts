import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './process.ts';

const run = promisify(execFile);

/** PostgreSQL's programs refuse to run as root. */
export const unprivileged: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 && existsSync('/var/lib/postgresql')
    ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) }
    : {};

/** The folder of PostgreSQL's server programs, the newest if there are several; Debian keeps them out of PATH. */
export const programs = [...versionFolders(), ...(process.env.PATH ?? '').split(':')].find((folder) =>
  existsSync(join(folder, 'initdb')),
);

function versionFolders(): string[] {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions.sort((one, other) => Number(other) - Number(one)).map((version) => join(root, version, 'bin'));
}

const runProgram = (name: string, ...args: string[]) =>
  run(join(programs ?? '', name), args, { cwd: '/', ...unprivileged });

/** A PostgreSQL server of a test's own, on loopback, whose superuser `premises` needs no password. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  /** Starts one that is empty. */
  static async start(): Promise<PostgresServer> {
    return PostgresServer.serve('primary', (data) =>
      runProgram('initdb', `--pgdata=${data}`, '--username=premises', '--auth=trust', '--encoding=UTF8', '--no-sync'),
    );
  }

  /** Starts a standby of this one, which waits for its answer to each commit from then on. */
  async startStandby(): Promise<PostgresServer> {
    const standby = await PostgresServer.serve('standby', (data) =>
      runProgram(
        'pg_basebackup',
        ...[`--dbname=${this.url('postgres')}`, `--pgdata=${data}`],
        ...['--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
      ),
    );
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await this.sql('ALTER SYSTEM SET synchronous_commit = remote_apply');
    await this.sql('SELECT pg_reload_conf()');
    return standby;
  }

  private static async serve(name: string, fill: (data: string) => Promise<unknown>): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), `postgresql-${name}-`));
    await chmod(folder, 0o700);
    if (unprivileged.uid !== undefined) await chown(folder, unprivileged.uid, unprivileged.gid ?? 0);
    const data = join(folder, 'data');
    await fill(data);
    const port = await freePort();
    const settings = {
      port,
      cluster_name: name,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      fsync: 'off',
      shared_buffers: '32MB',
    };
    const options = Object.entries(settings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
    const child = spawn(join(programs ?? '', 'postgres'), ['-D', data, ...options], {
      cwd: '/',
      stdio: 'ignore',
      ...unprivileged,
    });
    const server = new PostgresServer(folder, port, child);
    for (let tries = 0; ; tries++) {
      const answer = await server.sql('SELECT').catch((error: unknown) => error);
      if (!(answer instanceof Error)) return server;
      if (tries > 300 || child.exitCode !== null) throw answer;
      await sleep(100);
    }
  }

  /** The address of one of its databases. */
  url(database: string): string {
    return `postgresql://premises@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL in one of its databases. */
  async sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Dumps one of its databases into another, new one, as operators do. */
  async copy(from: string, to: string): Promise<void> {
    const file = join(this.folder, `${from}.dump`);
    await runProgram('pg_dump', '--format=custom', `--file=${file}`, this.url(from));
    await runProgram('createdb', `--maintenance-db=${this.url('postgres')}`, to);
    await runProgram('pg_restore', `--dbname=${this.url(to)}`, file);
  }

  /** Ends it at once, without a checkpoint: connections end, and transactions are lost that have not ended. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGQUIT');
    await ended;
  }

  /** Ends it, and deletes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
