import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';

const root = join(import.meta.dirname, '..', '..');
const running = new Set<ServiceProcess>();

/** How long (ms) a start may take on a busy machine, and how long an end. */
const startTimeoutMs = 110_000;
const endTimeoutMs = 60_000;

type Command = readonly [string, ...string[]];
/** The command of `npm start`; it is built before all tests. */
const node: Command = [process.execPath, 'dist/server.js'];

/** The service in its own process, with only the given environment. */
export class ServiceProcess {
  /** Its output so far. */
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it, after all its child processes have ended. */
  readonly ended: Promise<number | NodeJS.Signals>;

  private constructor(
    env: Readonly<Record<string, string>>,
    readonly origin: string,
    [command, ...args]: Command,
  ) {
    const { PATH = '', HOME = '', USER = '' } = process.env;
    this.child = spawn(command, args, {
      cwd: root,
      // On a server's database too, as most tests need somebody's token.
      env: { PATH, HOME, USER, DEMO: 'true', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
    running.add(this);
    void this.ended.then(() => running.delete(this));
  }

  /** Starts it, on a free port unless `env` has one. */
  static async start(env: Record<string, string>, command = node): Promise<ServiceProcess> {
    const port = env['PORT'] ?? String(await freePort());
    return new ServiceProcess({ ...env, PORT: port }, `http://localhost:${port}`, command);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The token that the first start printed. */
  get token(): string {
    return /svc_live_\w+/.exec(this.stdout)?.[0] ?? '';
  }

  /** The log entries, without output for people. */
  get log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  client(token = this.token): Client {
    return new Client(this.origin, token);
  }

  /** Waits until it listens and, on the first start, has printed how to sign in. */
  async ready({ greeting = false } = {}): Promise<this> {
    await this.prints(greeting ? 'shown only once' : 'Server listening');
    return this;
  }

  /** Waits until it has printed a text. */
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

  /** Stops it, and waits until it has ended. */
  stop(): Promise<number | NodeJS.Signals> {
    this.kill('SIGTERM');
    return this.ends();
  }

  /** Stops it as a person does who presses Ctrl+C: started by `script`, its terminal makes a signal of that. */
  interrupt(): Promise<number | NodeJS.Signals> {
    this.child.stdin?.write('\u0003');
    return this.ends();
  }

  /** Waits until it has ended. */
  private ends(): Promise<number | NodeJS.Signals> {
    const tooLate = sleep(endTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`It never ended, but said:\n${this.stdout}${this.stderr}`);
    });
    return Promise.race([this.ended, tooLate]);
  }
}

/** Kills every process that a failed test left running. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map((each) => (each.kill('SIGKILL'), each.ended)));
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
