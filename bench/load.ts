/** Puts load on one server at a time, and measures its latency and CPU time. */
import { readFileSync } from 'node:fs';
import autocannon, { type Options, type Request, type Result } from 'autocannon';
import type pg from 'pg';

/** Measurements of one server under load. */
export interface Round {
  /** Start and end, in microseconds of the system's monotonic clock. */
  from: number;
  to: number;
  /** Seconds. */
  duration: number;
  /** Milliseconds, one entry per response. */
  latencies: number[];
  /** CPU milliseconds of the server process, all its threads; undefined where there is no /proc. */
  serverCpu?: number;
  /** CPU milliseconds of the database's processes; undefined where the database is on another machine. */
  databaseCpu?: number;
  /** Responses that were not 2xx or carried GraphQL errors, and failed connections. */
  failures: number;
  /** Resident memory (MB) of the server at the end; undefined where there is no /proc. */
  memory?: number;
}

/** The server under load. */
export interface Target {
  /** The address, without a path. */
  url: string;
  /** The server's process. */
  pid: number;
  /** A connection to the database that the server uses. */
  client: pg.Client;
}

/**
 * Sends requests repeatedly for a given time.
 *
 * @param target the server
 * @param requests sent in turn by every connection, each from another one on
 * @param seconds how long
 * @param connections number of concurrent requests
 */
export async function load(target: Target, requests: Request[], seconds: number, connections: number): Promise<Round> {
  const latencies: number[] = [];
  const before = await readCpu(target);
  const from = now();
  const result = await new Promise<Result>((resolve, reject) => {
    const options: Options = { url: target.url, connections, duration: seconds, sampleInt: 100, requests };
    let clients = 0;
    options.setupClient = (client) => {
      const first = Math.floor((requests.length * clients++) / connections);
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    };
    // GraphQL reports most failures with a status of 200.
    if (requests.some(({ path }) => path === '/graphql')) options.verifyBody = (body) => !body.includes('"errors"');
    autocannon(options, (error, done) => (error ? reject(error) : resolve(done))).on(
      'response',
      (_client: unknown, _status: number, _bytes: number, milliseconds: number) => latencies.push(milliseconds),
    );
  });
  const to = now();
  const [serverCpu, databaseCpu] = (await readCpu(target)).since(before);
  return {
    from,
    to,
    duration: result.duration,
    latencies,
    serverCpu,
    databaseCpu,
    memory: memoryOf(target.pid),
    failures: result.errors + result.non2xx + result.mismatches,
  };
}

/** Resident memory (MB) of a process. */
export function memoryOf(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

const now = () => Number(process.hrtime.bigint() / 1000n);

/** CPU time so far of a server and of its database. */
interface CpuTimes {
  readonly server: number | undefined;
  readonly backends: Map<number, number | undefined>;
  /** CPU milliseconds since another reading, of the server and of the database; undefined where there is no /proc. */
  since(earlier: CpuTimes): [server: number | undefined, database: number | undefined];
}

/** Reads the CPU time of a server and of its database. */
export async function readCpu({ pid, client }: Target): Promise<CpuTimes> {
  const server = cpuOf(pid);
  const backends = await cpuOfBackends(client);
  return {
    server,
    backends,
    since: (earlier) => [
      server === undefined || earlier.server === undefined ? undefined : server - earlier.server,
      subtractCpuTimes(earlier.backends, backends),
    ],
  };
}

/** CPU milliseconds so far of each process that serves a connection to the database, by process id. */
async function cpuOfBackends(client: pg.Client): Promise<Map<number, number | undefined>> {
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
  );
  return new Map(rows.map(({ pid }) => [pid, cpuOf(pid, 'postgres')]));
}

/** Connections come and go, so each process is compared with itself. */
function subtractCpuTimes(
  before: Map<number, number | undefined>,
  after: Map<number, number | undefined>,
): number | undefined {
  let sum = 0;
  for (const [pid, cpu] of after) {
    if (cpu === undefined) return undefined;
    sum += cpu - (before.get(pid) ?? 0);
  }
  return sum;
}

/** CPU milliseconds of a process so far, in steps of 10; undefined when no such process has this name. */
function cpuOf(pid: number, name = ''): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /\((.*)\) /s.exec(stat)![1]!.startsWith(name) ? cpuIn(stat) : undefined;
  } catch {
    return undefined;
  }
}

/** CPU milliseconds in what /proc says of a process (`stat`), in steps of 10. */
export function cpuIn(stat: string): number {
  const fields = /.*\) (.*)/s.exec(stat)![1]!.split(' ');
  // The 14th and 15th field of proc(5): user and system time, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
