import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** PostgreSQL's class of errors for a lack of resources, such as connections: the server is as it was. */
const isBusy = ({ code }: { readonly code?: unknown }) => typeof code === 'string' && /^53\w{3}$/.test(code);

/** The errors of a server that does not answer, rather than refuses. */
const isTimeout = ({ code, message }: { readonly code?: unknown; readonly message?: unknown }) =>
  message === 'Query read timeout' || message === 'timeout expired' || code === 'ETIMEDOUT' || code === 'EHOSTUNREACH';

/** What is needed of a connection to end it. */
type Connection = Pick<pg.Client, 'connection' | 'once'>;

/** How a server is asked. */
interface Asking {
  /** How often (ms) it is asked. */
  readonly intervalMs: number;
  /** How long (ms) it may take to answer, and after how many such failures it is silent. */
  readonly answerTimeoutMs: number;
  readonly maxTimeouts: number;
}

/** A server that is asked the same question all the time, over a connection of its own. */
export class Server<Answer> {
  /** What it said last, while it answers. */
  answer: Answer | undefined;
  /** Why it did not answer. */
  failure: unknown;
  readonly host: string;
  readonly port: number;
  private timeouts = 0;
  private isClosed = false;
  private readonly connections = new Set<Connection>();
  private client: pg.Client | undefined;

  constructor(
    readonly url: string,
    private readonly question: string,
    private readonly asking: Asking,
  ) {
    // Its defaults are those of the connections.
    ({ host: this.host, port: this.port } = new pg.Client({ connectionString: url }));
  }

  get isSilent(): boolean {
    return this.timeouts >= this.asking.maxTimeouts;
  }

  /** Asks it. It keeps the connection, but resolves the name again for another one. */
  async ask(): Promise<void> {
    try {
      this.client ??= await this.connect();
      // The columns of the question, in its only row.
      [this.answer] = (await this.client.query(this.question)).rows as Answer[];
      this.timeouts = 0;
    } catch (error) {
      this.disconnect();
      const failure = Object(error) as { code?: unknown; message?: unknown };
      this.failure = error;
      this.timeouts = isTimeout(failure) ? this.timeouts + 1 : 0;
      // A single late answer may be this process's own lateness.
      if (this.isSilent || !(isBusy(failure) || this.timeouts > 0)) this.answer = undefined;
    }
    if (this.isClosed) this.disconnect();
  }

  /** Asks it from now on. @param onAnswer called after each time, also when it did not answer */
  async watch(onAnswer: () => void): Promise<void> {
    for (;;) {
      await sleep(this.asking.intervalMs, undefined, { ref: false });
      if (this.isClosed) return;
      await this.ask();
      onAnswer();
    }
  }

  /** Remembers a connection to it until that ends. */
  hold(connection: Connection): void {
    this.connections.add(connection);
    connection.once('end', () => this.connections.delete(connection));
  }

  /** Ends its connections, whose statements fail. @param why as their error says it */
  leave(why: string): void {
    for (const { connection } of this.connections)
      connection.stream.destroy(new Error(`Connection terminated, as the server ${why}`));
  }

  /** Stops asking; the connections of others stay. */
  close(): void {
    this.isClosed = true;
    this.disconnect();
  }

  private disconnect(): void {
    this.client?.connection.stream.destroy();
    this.client = undefined;
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: this.asking.answerTimeoutMs,
      query_timeout: this.asking.answerTimeoutMs,
      application_name: 'premises',
    });
    client.on('error', () => {}); // Its statement fails, now or the next time.
    await client.connect();
    return client;
  }
}
