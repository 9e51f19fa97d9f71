import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once as event } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './process.ts';
import { until } from './until.ts';

/** What is missing to run servers of Redis that Sentinels watch. */
export const missingForSentinel = ['redis-server', 'redis-sentinel'].flatMap((name) =>
  spawnSync(name, ['--version']).status === 0 ? [] : [`${name} is missing`],
);

const passwords = { servers: 'hush!', sentinels: 'watch/out' };
const name = 'limits';
const db = 3;
const oneAttempt = { lazyConnect: true, retryStrategy: () => null } as const;

/** Asks a server once, and disconnects. @returns undefined if it does not answer */
async function once<T>(redis: Redis, question: (redis: Redis) => Promise<T>): Promise<T | undefined> {
  redis.on('error', () => {}); // Its commands fail.
  try {
    await redis.connect();
    return await question(redis);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

/** A server of Redis. */
export class RedisServer {
  private child: ChildProcess | undefined;

  constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: readonly string[],
  ) {}

  start(): void {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--dir', this.folder];
    this.child = spawn('redis-server', [...settings, ...this.settings], { stdio: 'ignore' });
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = event(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** Runs a command on it. @returns undefined if it does not answer */
  run(command: string, ...args: string[]): Promise<unknown> {
    const redis = new Redis(this.port, '127.0.0.1', { ...oneAttempt, password: passwords.servers, db });
    return once(redis, () => redis.call(command, ...args));
  }

  /** Whether it counts the requests of a key. */
  async counts(key: string): Promise<boolean> {
    return (await this.run('EXISTS', `premises:${key}`)) === 1;
  }

  async isWriter(): Promise<boolean> {
    return String(await this.run('INFO', 'replication')).includes('role:master');
  }
}

/** Two servers of Redis, the second a replica of the first, and three Sentinels; both with passwords. */
export class SentinelCluster {
  private constructor(
    private readonly folder: string,
    readonly servers: readonly [RedisServer, RedisServer],
    private readonly sentinels: readonly ChildProcess[],
    private readonly ports: readonly number[],
    readonly url: string,
  ) {}

  static async start(): Promise<SentinelCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'sentinel-'));
    const auth = ['--requirepass', passwords.servers, '--masterauth', passwords.servers];
    const [one, two] = [await freePort(), await freePort()];
    const servers = [
      new RedisServer(one, folder, auth),
      new RedisServer(two, folder, [...auth, '--replicaof', '127.0.0.1', String(one)]),
    ] as const;
    for (const server of servers) server.start();
    await until('a replica', async () =>
      String(await servers[1].run('INFO', 'replication')).includes('link_status:up'),
    );
    const ports = [await freePort(), await freePort(), await freePort()];
    const sentinels = await Promise.all(
      ports.map(async (port) => {
        const file = join(folder, `${port}.conf`);
        const settings = [
          `port ${port}`,
          'bind 127.0.0.1',
          `dir ${folder}`,
          `requirepass ${passwords.sentinels}`,
          `sentinel sentinel-pass ${passwords.sentinels}`,
          `sentinel monitor ${name} 127.0.0.1 ${one} 2`,
          `sentinel auth-pass ${name} ${passwords.servers}`,
          `sentinel down-after-milliseconds ${name} 1000`,
          `sentinel failover-timeout ${name} 5000`,
        ];
        await writeFile(file, settings.join('\n'));
        return spawn('redis-sentinel', [file], { stdio: 'ignore' });
      }),
    );
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const [password, sentinelPassword] = [passwords.servers, passwords.sentinels].map(encodeURIComponent);
    const url = `redis+sentinel://:${password}@${hosts}/${name}/${db}?sentinelPassword=${sentinelPassword}`;
    const cluster = new SentinelCluster(folder, servers, sentinels, ports, url);
    await until('Sentinels that know each other', async () => {
      const answers = await cluster.ask((redis) => redis.info('sentinel'));
      return answers.every((text) => text?.includes('slaves=1,sentinels=3'));
    });
    return cluster;
  }

  async remove(): Promise<void> {
    for (const sentinel of this.sentinels) {
      const ended = event(sentinel, 'exit');
      sentinel.kill('SIGKILL');
      await ended;
    }
    for (const server of this.servers) await server.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Whether all Sentinels say that a server is the one to write to. */
  async leadsTo({ port }: RedisServer): Promise<boolean> {
    const answers = await this.ask((redis) => redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name));
    return answers.every((answer) => Array.isArray(answer) && answer[1] === String(port));
  }

  /** Asks each Sentinel. */
  private ask<T>(question: (redis: Redis) => Promise<T>): Promise<(T | undefined)[]> {
    return Promise.all(
      this.ports.map((port) =>
        once(new Redis(port, '127.0.0.1', { ...oneAttempt, password: passwords.sentinels }), question),
      ),
    );
  }
}
