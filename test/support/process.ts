import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';

const root = join(import.meta.dirname, '..', '..');
const running = new Set<ServiceProcess>();

/** How long (ms) a start may take on a machine that does other things too. */
const startTimeoutMs = 90_000;

type Command = readonly [string, ...string[]];
/** What `npm start` runs; it is built before all tests. */
const node: Command = [process.execPath, 'dist/server.js'];

/** The service as a process of its own, with nothing in its environment but what it is given. */
export class ServiceProcess {
  /** What it printed so far. */
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it, once everything it started has ended too. */
  readonly ended: Promise<number | NodeJS.Signals>;

  private constructor(
    env: Readonly<Record<string, string>>,
    readonly origin: string,
    [command, ...args]: Command,
  ) {
    const { PATH = '', HOME = '', USER = '' } = process.env;
    this.child = spawn(command, args, {
      cwd: root,
      env: { PATH, HOME, USER, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
    running.add(this);
    void this.ended.then(() => running.delete(this));
  }

  /** Starts it on a free port, unless `env` names one. */
  static async start(env: Record<string, string>, command = node): Promise<ServiceProcess> {
    const port = env['PORT'] ?? String(await freePort());
    return new ServiceProcess({ ...env, PORT: port }, `http://localhost:${port}`, command);
  }

  /** The token that a first start prints. */
  get token(): string {
    return /svc_live_\w+/.exec(this.stdout)?.[0] ?? '';
  }

  /** The log, line by line; what is printed for people is left out. */
  get log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  client(token = this.token): Client {
    return new Client(this.origin, token);
  }

  /** Waits until it listens and, on a first start, has said its greeting. */
  async ready({ greeting = false } = {}): Promise<this> {
    await this.prints(greeting ? 'shown only once' : 'Server listening');
    return this;
  }

  /** Waits until it printed a text. */
  async prints(text: string): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    let over = false;
    void this.ended.then(() => (over = true));
    while (!this.stdout.includes(text)) {
      if (over || Date.now() > deadline) throw new Error(`It never said "${text}", but:\n${this.stdout}${this.stderr}`);
      await sleep(50);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Asks it to stop and waits until it did. */
  stop(): Promise<number | NodeJS.Signals> {
    this.kill('SIGTERM');
    return this.ended;
  }
}

/** Ends every process that a failed test left running. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map((each) => (each.kill('SIGKILL'), each.ended)));
}

/** A port that nobody listened on just now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
