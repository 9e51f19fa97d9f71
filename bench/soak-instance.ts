/** The instances of `soak.ts`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a request for metrics needs. */
export const metricsToken = 'soak';

/** An instance of the service, which can be started again at the same address. */
export class Instance {
  output = '';
  starts = 0;
  private child: ChildProcess | undefined;

  constructor(
    readonly port: number,
    private readonly databaseUrl: string,
    private readonly redisUrl: string,
  ) {}

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.output = '';
    this.starts += 1;
    this.child = spawn(process.execPath, ['dist/server.js'], {
      cwd: `${import.meta.dirname}/..`,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(this.port),
        PUBLIC_URL: `http://127.0.0.1:${this.port}`,
        DATABASE_URL: this.databaseUrl,
        DATABASE_POOL_SIZE: '10',
        REDIS_URL: this.redisUrl,
        AUTH_SECRET: 'a secret of the soak, of at least 32 characters',
        DEMO: 'true',
        METRICS_TOKEN: metricsToken,
        LOG_LEVEL: 'warn',
        WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
        RATE_LIMIT_TOKEN_PER_HOUR: '1000000000',
      },
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output = `${this.output}${text}`.slice(-20_000);
    });
    for (;;) {
      const ready = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (ready?.ok) return;
      if (this.child.exitCode !== null) throw new Error(`An instance ended:\n${this.output}`);
      await sleep(200);
    }
  }

  async stop(): Promise<void> {
    if (!this.child || this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}
