// OpenStack Swift with its S3 API, of Debian's packages: another implementation of S3 than that of the fast tests.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './process.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const kinds = ['account', 'container', 'object'] as const;
const programs = ['ring-builder', 'proxy-server', ...kinds.map((kind) => `${kind}-server`)];

/** Whether its programs are installed: `swift-proxy`, `swift-account`, `swift-container` and `swift-object`. */
export const hasSwift = programs.every((name) => existsSync(`/usr/bin/swift-${name}`));

/** How many objects a page of a list has. */
const pageSize = 10;

/** A Swift on this machine, with one replica of everything. */
export class Swift {
  private constructor(
    private readonly children: readonly ChildProcess[],
    private readonly folder: string,
    readonly endpoint: string,
  ) {}

  static async start(): Promise<Swift> {
    const folder = await mkdtemp(join(tmpdir(), 'premises-swift-'));
    const write = (name: string, lines: readonly string[]) => writeFile(join(folder, name), lines.join('\n'));
    await mkdir(join(folder, 'devices', 'one'), { recursive: true });
    await write('swift.conf', ['[swift-hash]', 'swift_hash_path_suffix = x', '[storage-policy:0]', 'name = one']);
    const server = (port: number) => [
      '[DEFAULT]',
      'bind_ip = 127.0.0.1',
      `bind_port = ${port}`,
      'workers = 0',
      `user = ${userInfo().username}`,
      `swift_dir = ${folder}`,
      `devices = ${join(folder, 'devices')}`,
      'mount_check = false',
      'disable_fallocate = true',
      'log_level = ERROR',
      '[pipeline:main]',
    ];
    const port = await freePort();
    const ports = [port];
    for (const kind of kinds) {
      const port = await freePort();
      ports.push(port);
      const builder = join(folder, `${kind}.builder`);
      for (const args of [['create', '2', '1', '0'], ['add', `r1z1-127.0.0.1:${port}/one`, '1'], ['rebalance']])
        await run('/usr/bin/swift-ring-builder', [builder, ...args]);
      const app = `${kind}-server`;
      await write(`${app}.conf`, [...server(port), `pipeline = ${app}`, `[app:${app}]`, `use = egg:swift#${kind}`]);
    }
    const filters = ['catch_errors', 'cache', 's3api', 'tempauth', 'copy', 'slo'];
    const settings: Record<string, readonly string[]> = {
      // The filter must be there, and does without a server.
      cache: ['use = egg:swift#memcache', 'memcache_servers = 127.0.0.1:1'],
      s3api: ['use = egg:swift#s3api', `max_bucket_listing = ${pageSize}`],
      tempauth: ['use = egg:swift#tempauth', 'user_test_tester = testing .admin'],
    };
    await write('proxy-server.conf', [
      ...server(port),
      `pipeline = ${filters.join(' ')} proxy-server`,
      ...['[app:proxy-server]', 'use = egg:swift#proxy', 'account_autocreate = true'],
      ...filters.flatMap((name) => [`[filter:${name}]`, ...(settings[name] ?? [`use = egg:swift#${name}`])]),
    ]);
    const children = [...kinds, 'proxy'].map((kind) =>
      spawn(`/usr/bin/swift-${kind}-server`, [join(folder, `${kind}-server.conf`)], { stdio: 'ignore' }),
    );
    const swift = new Swift(children, folder, `http://127.0.0.1:${port}`);
    const answers = (each: number) => fetch(`http://127.0.0.1:${each}/`).catch(() => undefined);
    await until('Swift', async () => (await Promise.all(ports.map(answers))).every((answer) => answer));
    return swift;
  }

  /** The settings of a prefix in a bucket. */
  env(prefix: string, bucket = 'files') {
    const FILES_URL = `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(this.endpoint)}`;
    return { FILES_URL, AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing' };
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await rm(this.folder, { recursive: true });
  }
}
