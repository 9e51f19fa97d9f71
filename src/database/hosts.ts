import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { splitHosts } from '../formats.ts';

/** What a server says of itself. */
export interface Role {
  /** Whether it accepts writes, rather than follows another server. */
  readonly writes: boolean;
  /** What a server has in common with its standbys. */
  readonly system: string;
  /** Each promotion begins another one, with a higher number. */
  readonly timeline: number;
}

/**
 * Chooses the server that writes: of those that would, the one on the latest timeline. A server that was replaced may
 * come back and accept writes, which would be lost; the number of its timeline is lower than one that is known.
 *
 * @param roles of the servers that respond; others are undefined
 * @param known the latest timeline of each system that any server was seen on
 * @param present the place of the present one, which is kept where several are equal
 * @returns the place in `roles`; undefined if none may write
 */
export function chooseWriter(
  roles: readonly (Role | undefined)[],
  known: ReadonlyMap<string, number>,
  present?: number,
): number | undefined {
  let best: number | undefined;
  for (const [place, role] of roles.entries()) {
    if (!role?.writes || role.timeline < (known.get(role.system) ?? 0)) continue;
    const timeline = best === undefined ? -1 : (roles[best]?.timeline ?? -1);
    if (role.timeline > timeline || (role.timeline === timeline && place === present)) best = place;
  }
  return best;
}

/** How often (ms) each server is asked. A server that was killed is left within a second. */
const intervalMs = 250;

/** How long (ms) a server may take to answer, and after how many such failures it is silent: it is left within 5 s. */
const answerTimeoutMs = 1500;
const maxTimeouts = 2;

/**
 * The last checkpoint of a standby may be older than its timeline, but a server that writes knows its own. Where a
 * server writes is not asked on a standby, which would refuse to answer.
 */
const findRole = `
  SELECT NOT pg_is_in_recovery() AS writes, system_identifier::text AS system,
         CASE WHEN pg_is_in_recovery() THEN timeline_id::bigint
              ELSE ('x' || "left"(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint END::float8 AS timeline
  FROM pg_control_system(), pg_control_checkpoint()`;

/** PostgreSQL's class of errors for a lack of resources, such as connections: the server is as it was. */
const isBusy = ({ code }: { readonly code?: unknown }) => typeof code === 'string' && /^53\w{3}$/.test(code);

/** The errors of a server that does not answer, rather than refuses. */
const isTimeout = ({ code, message }: { readonly code?: unknown; readonly message?: unknown }) =>
  message === 'Query read timeout' || message === 'timeout expired' || code === 'ETIMEDOUT' || code === 'EHOSTUNREACH';

/** Thrown while no server is known that writes. */
class NoWriterError extends Error {
  override readonly name = 'NoWriterError';
  /** PostgreSQL's code for a connection that cannot be established. */
  readonly code = '08001';
}

/** What is needed of a connection to end it. */
type Connection = Pick<pg.Client, 'connection' | 'once'>;

/** One of the servers. */
class Host {
  /** What it said last, while it answers. */
  role: Role | undefined;
  /** Why it did not answer. */
  failure: unknown;
  /** How often in a row it has not answered in time. */
  timeouts = 0;
  readonly host: string;
  readonly port: number;
  private readonly connections = new Set<Connection>();
  private client: pg.Client | undefined;

  constructor(readonly url: string) {
    // Its defaults are those of the connections.
    ({ host: this.host, port: this.port } = new pg.Client({ connectionString: url }));
  }

  get isSilent(): boolean {
    return this.timeouts >= maxTimeouts;
  }

  /** Asks it for its role. It keeps the connection, but resolves the name again for another one. */
  async ask(): Promise<void> {
    try {
      this.client ??= await this.connect();
      // The columns of the statement, in its only row.
      const [role] = (await this.client.query<{ writes: boolean; system: string; timeline: number }>(findRole)).rows;
      this.role = role;
      this.timeouts = 0;
    } catch (error) {
      this.disconnect();
      const failure = Object(error) as { code?: unknown; message?: unknown };
      this.failure = error;
      this.timeouts = isTimeout(failure) ? this.timeouts + 1 : 0;
      // A single late answer may be this process's own lateness.
      if (this.isSilent || !(isBusy(failure) || this.timeouts > 0)) this.role = undefined;
    }
  }

  /** Remembers a connection to it until that ends. */
  hold(connection: Connection): void {
    this.connections.add(connection);
    connection.once('end', () => this.connections.delete(connection));
  }

  /** Ends its connections, whose statements fail. */
  leave(): void {
    for (const { connection } of this.connections)
      connection.stream.destroy(new Error('Connection terminated, as the server no longer writes'));
  }

  disconnect(): void {
    this.client?.connection.stream.destroy();
    this.client = undefined;
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: answerTimeoutMs,
      query_timeout: answerTimeoutMs,
      application_name: 'premises',
    });
    client.on('error', () => {}); // Its statement fails, now or the next time.
    await client.connect();
    return client;
  }
}

/**
 * The servers of a URL that lists several, of which one writes. From the first connection on they are asked for their
 * roles all the time. When another one writes, or the one that did is silent, the connections to that one end.
 */
export class Hosts {
  private readonly hosts: readonly Host[];
  private readonly timelines = new Map<string, number>();
  private writer: Host | undefined;
  private started: Promise<unknown> | undefined;
  private isClosed = false;

  constructor(urls: readonly string[]) {
    this.hosts = urls.map((url) => new Host(url));
  }

  /**
   * Finds the server that writes.
   *
   * @throws NoWriterError while there is none, which counts as a database that cannot be reached
   */
  async findWriter(): Promise<Pick<Host, 'url' | 'host' | 'port' | 'hold'>> {
    // The first time all are waited for: a server that was replaced may answer before the one that replaced it.
    this.started ??= Promise.all(this.hosts.map((host) => this.look(host))).then(() => {
      this.choose();
      for (const host of this.hosts) void this.watch(host);
    });
    await this.started;
    if (this.writer) return this.writer;
    const cause = this.hosts.find(({ role }) => !role)?.failure;
    throw new NoWriterError('No server of the database accepts writes.', { cause });
  }

  /** Stops asking; the connections of others stay. */
  close(): void {
    this.isClosed = true;
    for (const host of this.hosts) host.disconnect();
  }

  private async watch(host: Host): Promise<void> {
    for (;;) {
      await sleep(intervalMs, undefined, { ref: false });
      if (this.isClosed) return;
      await this.look(host);
      this.choose();
    }
  }

  private async look(host: Host): Promise<void> {
    await host.ask();
    if (this.isClosed) host.disconnect();
    if (!host.role) return;
    const { system, timeline } = host.role;
    this.timelines.set(system, Math.max(timeline, this.timelines.get(system) ?? 0));
  }

  private choose(): void {
    if (this.isClosed) return;
    const { writer: previous } = this;
    const place = chooseWriter(
      this.hosts.map(({ role }) => role),
      this.timelines,
      previous && this.hosts.indexOf(previous),
    );
    this.writer = place === undefined ? undefined : this.hosts[place];
    if (!previous || previous === this.writer) return;
    // The connections of a server that refuses others may still work: it is about to stop, or ends them itself.
    if (this.writer || previous.isSilent || previous.role) previous.leave();
  }
}

/** The servers of a URL, if it lists several: `postgresql://premises@one:5432,two:5432/premises`. */
export function hostsOf(url: string): Hosts | undefined {
  const urls = splitHosts(url);
  return urls.length > 1 ? new Hosts(urls) : undefined;
}

/**
 * Runs work with the URL of the server that writes.
 *
 * @throws NoWriterError
 */
export async function withWriter<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const hosts = hostsOf(url);
  if (!hosts) return work(url);
  try {
    return await work((await hosts.findWriter()).url);
  } finally {
    hosts.close();
  }
}
