// A server that speaks S3, with a bucket `files`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './process.ts';
import { until } from './until.ts';

/** The keys of the server. */
const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' } as const;

/** A server in a process of its own: it does its work in calls that wait. */
export class S3Server {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<S3Server> {
    const server = new S3Server(await mkdtemp(join(tmpdir(), 'premises-s3-')), await freePort());
    await server.resume();
    return server;
  }

  /** The settings of a prefix in a bucket. */
  env(prefix = '', bucket = 'files') {
    return { ...keys, FILES_URL: `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(this.endpoint)}` };
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it again, with what it has. */
  async resume(): Promise<void> {
    const program = join(dirname(createRequire(import.meta.url).resolve('s3rver/package.json')), 'bin/s3rver.js');
    const given = ['--directory', this.folder, '--address', '127.0.0.1', '--port', String(this.port), '--silent'];
    // Its tokens of pages use a cipher that OpenSSL 3 counts as old.
    const args = ['--openssl-legacy-provider', program, ...given, '--configure-bucket', 'files'];
    this.child = spawn(process.execPath, args, { stdio: 'ignore' });
    await until('the S3 server', () =>
      fetch(this.endpoint).then(
        () => true,
        () => false,
      ),
    );
  }

  /** Ends it, so that nobody answers. */
  async pause(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** The names of all files that it keeps, also those of unfinished uploads. */
  async kept(): Promise<string[]> {
    const found = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return found.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }

  async stop(): Promise<void> {
    await this.pause();
    await rm(this.folder, { recursive: true });
  }
}
