import { splitHosts } from '../formats.ts';
import { Server } from './server.ts';

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

/** A server that was killed is left within a second, and one that is silent within five. */
const asking = { intervalMs: 250, answerTimeoutMs: 1500, maxTimeouts: 2 };

/**
 * The last checkpoint of a standby may be older than its timeline, but a server that writes knows its own. Where a
 * server writes is not asked on a standby, which would refuse to answer.
 */
const findRole = `
  SELECT NOT pg_is_in_recovery() AS writes, system_identifier::text AS system,
         CASE WHEN pg_is_in_recovery() THEN timeline_id::bigint
              ELSE ('x' || "left"(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint END::float8 AS timeline
  FROM pg_control_system(), pg_control_checkpoint()`;

/** Thrown while no server is known that writes. */
class NoWriterError extends Error {
  override readonly name = 'NoWriterError';
  /** PostgreSQL's code for a connection that cannot be established. */
  readonly code = '08001';
}

/**
 * The servers of a URL that lists several, of which one writes. From the first connection on they are asked for their
 * roles all the time. When another one writes, or the one that did is silent, the connections to that one end.
 */
export class Hosts {
  private readonly hosts: readonly Server<Role>[];
  private readonly timelines = new Map<string, number>();
  private writer: Server<Role> | undefined;
  private started: Promise<unknown> | undefined;
  private isClosed = false;

  constructor(urls: readonly string[]) {
    this.hosts = urls.map((url) => new Server<Role>(url, findRole, asking));
  }

  /**
   * Finds the server that writes.
   *
   * @throws NoWriterError while there is none, which counts as a database that cannot be reached
   */
  async findWriter(): Promise<Pick<Server<Role>, 'url' | 'host' | 'port' | 'hold'>> {
    // The first time all are waited for: a server that was replaced may answer before the one that replaced it.
    this.started ??= Promise.all(this.hosts.map((host) => host.ask().then(() => this.remember(host)))).then(() => {
      this.choose();
      for (const host of this.hosts)
        void host.watch(() => {
          this.remember(host);
          this.choose();
        });
    });
    await this.started;
    if (this.writer) return this.writer;
    const cause = this.hosts.find(({ answer }) => !answer)?.failure;
    throw new NoWriterError('No server of the database accepts writes.', { cause });
  }

  /** Stops asking; the connections of others stay. */
  close(): void {
    this.isClosed = true;
    for (const host of this.hosts) host.close();
  }

  private remember({ answer }: Server<Role>): void {
    if (!answer) return;
    const { system, timeline } = answer;
    this.timelines.set(system, Math.max(timeline, this.timelines.get(system) ?? 0));
  }

  private choose(): void {
    if (this.isClosed) return;
    const { writer: previous } = this;
    const place = chooseWriter(
      this.hosts.map(({ answer }) => answer),
      this.timelines,
      previous && this.hosts.indexOf(previous),
    );
    this.writer = place === undefined ? undefined : this.hosts[place];
    if (!previous || previous === this.writer) return;
    // The connections of a server that refuses others may still work: it is about to stop, or ends them itself.
    if (this.writer || previous.isSilent || previous.answer) previous.leave('no longer writes');
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
