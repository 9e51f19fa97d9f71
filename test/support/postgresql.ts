import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, rm } from 'node:fs/promises';
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

function launch(folder: string, port: number, name: string): ChildProcess {
  const settings = {
    port,
    cluster_name: name,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    shared_buffers: '32MB',
  };
  const options = Object.entries(settings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
  const data = join(folder, 'data');
  return spawn(join(programs ?? '', 'postgres'), ['-D', data, ...options], {
    cwd: '/',
    stdio: 'ignore',
    ...unprivileged,
  });
}

/** The processes that a process has started, by `ps`. */
const childrenOf = (pid: number): number[] =>
  execFileSync('ps', ['-e', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [parent, child] = line.trim().split(/\s+/).map(Number);
      return parent === pid && child ? [child] : [];
    });

/** Signals a server and the processes that it has started, each of which has a group of its own. */
export function signalServer(pid: number, signal: NodeJS.Signals): void {
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(each, signal);
    } catch (error) {
      // It has ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** A PostgreSQL server of a test's own, on loopback, whose superuser `premises` needs no password. */
export class PostgresServer {
  private constructor(
    /** Its folder, which has its data and its socket. */
    readonly folder: string,
    readonly port: number,
    private readonly name: string,
    private child: ChildProcess,
  ) {}

  /** Starts one that is empty. */
  static async start(): Promise<PostgresServer> {
    return PostgresServer.serve('primary', (data) =>
      runProgram('initdb', `--pgdata=${data}`, '--username=premises', '--auth=trust', '--encoding=UTF8', '--no-sync'),
    );
  }

  /** Starts a standby of this one, which does not wait for it. @param settings of its own */
  async startFollower(settings: Record<string, string> = {}, name = 'follower'): Promise<PostgresServer> {
    return PostgresServer.serve(name, async (data) => {
      await runProgram(
        'pg_basebackup',
        ...[`--dbname=${this.url('postgres')}`, `--pgdata=${data}`],
        ...['--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
      );
      const lines = Object.entries(settings).map(([setting, value]) => `${setting} = '${value}'\n`);
      await appendFile(join(data, 'postgresql.auto.conf'), lines.join(''));
    });
  }

  /** Starts a standby of this one, which waits for its answer to each commit from then on. */
  async startStandby(): Promise<PostgresServer> {
    const standby = await this.startFollower({}, 'standby');
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await this.sql('ALTER SYSTEM SET synchronous_commit = remote_apply');
    await this.sql('SELECT pg_reload_conf()');
    return standby;
  }

  /** Starts one on a folder. @param fill fills it, as the user who runs PostgreSQL's programs */
  static async serve(name: string, fill: (data: string) => Promise<unknown>): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), `postgresql-${name}-`));
    await chmod(folder, 0o700);
    if (unprivileged.uid !== undefined) await chown(folder, unprivileged.uid, unprivileged.gid ?? 0);
    const data = join(folder, 'data');
    await fill(data);
    const port = await freePort();
    const server = new PostgresServer(folder, port, name, launch(folder, port, name));
    await server.ready();
    return server;
  }

  /** Starts it again after it was killed, with what it had. */
  async restart(): Promise<void> {
    this.child = launch(this.folder, this.port, this.name);
    await this.ready();
  }

  private async ready(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const answer = await this.sql('SELECT').catch((error: unknown) => error);
      if (!(answer instanceof Error)) return;
      if (tries > 300 || this.child.exitCode !== null) throw answer;
      await sleep(100);
    }
  }

  /** The address of one of its databases. */
  url(database: string): string {
    return `postgresql://premises@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL in one of its databases. */
  sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    return PostgresServer.run(this.url(database), text);
  }

  /** Runs SQL at an address. */
  static async run(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString });
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

  /** Ends all its processes at once, as when the power fails. */
  async crash(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  /** Stops all its processes: the system still accepts connections, but nobody answers. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  /** Lets its processes go on. */
  thaw(): void {
    this.signal('SIGCONT');
  }

  private signal(signal: NodeJS.Signals): void {
    signalServer(this.child.pid ?? 0, signal);
  }

  /** Ends it, and deletes its folder. */
  async remove(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.thaw();
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
