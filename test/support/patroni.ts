import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer, programs, signalServer, unprivileged } from './postgresql.ts';
import { freePort } from './process.ts';
import { until } from './until.ts';

const has = (name: string) => {
  try {
    return execFileSync(name, ['--version']).length > 0;
  } catch {
    return false;
  }
};

/** What is missing to run a cluster. */
export const missingForPatroni = [
  ...(programs ? [] : ["PostgreSQL's server programs are missing"]),
  ...['patroni', 'etcd'].filter((name) => !has(name)).map((name) => `${name} is missing`),
];

async function newFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  await chmod(folder, 0o700);
  if (unprivileged.uid !== undefined) await chown(folder, unprivileged.uid, unprivileged.gid ?? 0);
  return folder;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A member of the cluster: Patroni, and the PostgreSQL that it runs. */
export class Member {
  private patroni: ChildProcess | undefined;

  constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly api: number,
  ) {}

  start(): void {
    this.patroni = spawn('patroni', [join(this.folder, 'patroni.yaml')], {
      cwd: '/',
      stdio: 'ignore',
      ...unprivileged,
    });
  }

  /** Its role, as its own monitor says it; undefined while it does not answer. */
  async role(): Promise<string | undefined> {
    const answer = await fetch(`http://127.0.0.1:${this.api}/patroni`).catch(() => undefined);
    // What Patroni documents.
    return ((await answer?.json()) as { role?: string } | undefined)?.role;
  }

  /** Ends both at once, as when the power fails. */
  async crash(): Promise<void> {
    await kill(this.patroni);
    // The first of its processes has the folder in its command.
    const servers = execFileSync('pgrep', ['-f', `postgres -D ${this.folder}`], { encoding: 'utf8' });
    for (const pid of servers.trim().split('\n').map(Number)) signalServer(pid, 'SIGKILL');
  }

  async remove(): Promise<void> {
    await this.crash().catch(() => {}); // It may have ended already.
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Two servers and what promotes one of them: Patroni in its strict synchronous mode, with etcd. */
export class PatroniCluster {
  private constructor(
    readonly members: readonly [Member, Member],
    private readonly etcd: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const folder = await newFolder('etcd');
    const [client, peer] = [await freePort(), await freePort()];
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const etcd = spawn(
      'etcd',
      [
        ...[
          '--data-dir',
          join(folder, 'data'),
          '--listen-client-urls',
          clientUrl,
          '--advertise-client-urls',
          clientUrl,
        ],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
        ...['--initial-cluster', `default=${peerUrl}`],
      ],
      { cwd: '/', stdio: 'ignore', ...unprivileged },
    );
    const members = [await PatroniCluster.prepare('one', client), await PatroniCluster.prepare('two', client)] as const;
    const cluster = new PatroniCluster(members, etcd, folder);
    const [first, second] = members;
    first.start();
    await until('the first leader', async () => (await first.role()) === 'master');
    second.start();
    await until('a standby', async () => (await second.role()) === 'replica');
    return cluster;
  }

  /** Writes the configuration of a member. */
  private static async prepare(name: string, etcd: number): Promise<Member> {
    const folder = await newFolder(`patroni-${name}`);
    const [port, api] = [await freePort(), await freePort()];
    const settings = {
      scope: 'premises',
      name,
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      etcd3: { host: `127.0.0.1:${etcd}` },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 2,
          retry_timeout: 5,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: true, parameters: { synchronous_commit: 'remote_apply', fsync: 'off' } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, 'data'),
        bin_dir: programs,
        pgpass: join(folder, 'pgpass'),
        authentication: {
          superuser: { username: 'premises', password: 'premises' },
          replication: { username: 'replicator', password: 'replicator' },
        },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust', 'local all all trust'],
        parameters: { unix_socket_directories: folder, shared_buffers: '32MB' },
      },
    };
    // JSON is YAML.
    await writeFile(join(folder, 'patroni.yaml'), JSON.stringify(settings), { mode: 0o644 });
    return new Member(folder, port, api);
  }

  /** The member that writes. */
  async leader(): Promise<Member | undefined> {
    for (const member of this.members) if ((await member.role()) === 'master') return member;
    return undefined;
  }

  /** The address of a database of all members. */
  url(database: string): string {
    return `postgresql://premises@${this.members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`;
  }

  async remove(): Promise<void> {
    for (const member of this.members) await member.remove();
    await kill(this.etcd);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs SQL on a member. */
export const sqlOn = (member: Member, text: string, database = 'postgres') =>
  PostgresServer.run(`postgresql://premises@127.0.0.1:${member.port}/${database}`, text);
