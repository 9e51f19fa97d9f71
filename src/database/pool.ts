import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Callers } from './admission.ts';
import { AdmittedPool } from './admitted.ts';
import { createClient } from './client.ts';
import type { Connection, Database, DatabaseOptions, PoolUse, Statement } from './database.ts';
import { prismaAdapter } from './prisma-adapter.ts';
import { KeptStatements } from './read/kept-statements.ts';
import { StatementNames } from './read/names.ts';
import { type Run, StatementReader } from './read/reader.ts';
import type { Replicas } from './replicas/index.ts';
import type { WriteMarker } from './replicas/marker.ts';
import type { Replica } from './replicas/replica.ts';
import { writtenBy } from './replicas/written.ts';
import {
  assertReplicated,
  commitError,
  giveBack,
  RequestClient,
  type RequestClientConfig,
  textOf,
} from './request-client.ts';
import { currentActor, currentRequester, readsOnly } from './requester.ts';
import { currentTransaction, isUndone, transact } from './transaction.ts';
import { createWriter } from './write/writer.ts';

/**
 * Sets up a session. The adapter sends timestamps without a zone and reads them as UTC, so the session must be in UTC.
 */
export const sessionSettings = `SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'`;

/** How long (ms) connecting may take. */
export const connectionTimeoutMs = 5000;

/** How long a connection is used. */
export const connectionLifetimeSeconds = 3600;

interface ContextPoolOptions {
  /** Whether a connection is kept when its statement fails; pg's own pool opens another. */
  readonly keepsFailed?: boolean;
  /** Whether requests store rows on it, rather than counts of the service's own. */
  readonly storesRows?: boolean;
  /** Marks writes, if there are replicas. */
  readonly marker?: WriteMarker | undefined;
}

/**
 * A pool whose statements run in the context that they were sent from, also when they have waited for a connection, and
 * on the connection of the current transaction if that is one of the pool's.
 */
export class ContextPool extends pg.Pool {
  readonly #keepsFailed: boolean;
  readonly #storesRows: boolean;
  readonly #marker: WriteMarker | undefined;

  constructor(
    options: pg.PoolConfig & RequestClientConfig,
    { keepsFailed = false, storesRows = true, marker }: ContextPoolOptions = {},
  ) {
    super({ ...options, Client: RequestClient, pipeline: true });
    this.#keepsFailed = keepsFailed;
    this.#storesRows = storesRows;
    this.#marker = marker;
    // A lost connection fails its current statement, and the next statement opens another. Without these listeners it
    // would also end the process, whether in the pool or checked out.
    this.on('error', () => {});
    this.on('connect', (client) => client.on('error', () => {}));
  }

  /* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-argument,
     @typescript-eslint/no-unsafe-assignment --
     one signature for all of pg's overloads: the statement, its values and the answer go through as they are */
  override async query(statement: any, values?: any): Promise<any> {
    const transaction = currentTransaction();
    if (transaction?.pool.connections === this)
      return transaction.query(values === undefined ? statement : { text: statement, values });
    const client = await this.connect();
    let failure: Error | undefined;
    try {
      const answer = await this.#mark(client, statement, () => client.query(statement, values));
      assertReplicated(client);
      return answer;
    } catch (error) {
      // pg throws only errors.
      failure = error as Error;
      throw this.#isWrite(statement) ? commitError(error) : error;
    } finally {
      giveBack(client, this.#keepsFailed ? undefined : failure);
    }
  }
  /* eslint-enable */

  /** Marks what a statement writes, where there are replicas. */
  #mark<T>(client: pg.ClientBase, statement: string | OwnStatement, send: () => Promise<T>): Promise<T> {
    if (!this.#marker || (typeof statement !== 'string' && statement.isReadLate)) return send();
    return this.#marker.around(client, writtenBy(textOf(statement)), send, isUndone);
  }

  /** Whether a statement commits what a request has asked for. */
  #isWrite(statement: string | OwnStatement): boolean {
    return this.#storesRows && currentRequester() !== undefined && writtenBy(textOf(statement)) !== 'nothing';
  }
}

/** A statement as the pools get it. */
type OwnStatement = pg.QueryConfig & Pick<Statement, 'isReadLate'>;

/** The connections by purpose, so that none waits for another. One pool may serve all purposes. */
interface Pools {
  /** Authentication, rate limits and readiness. */
  readonly authentication: pg.Pool;
  /** The statements of requests. */
  readonly requests: pg.Pool;
  /** The statements of requests that may take long, such as those of streams. */
  readonly streams: pg.Pool;
  /** The service's own work. */
  readonly background: pg.Pool;
}

/** The servers that follow the one that writes. */
interface Followers {
  readonly replicas: Replicas;
  /** Makes the pools of one of them. */
  readonly createPools: (replica: Replica) => Pick<Pools, 'requests' | 'streams'>;
}

/** The part of a `Database` that does not depend on the kind of pools. Closing it ends the pools. */
export function overPools(
  pools: Pools,
  { onQuery, preparesStatements = true }: DatabaseOptions,
  followers?: Followers,
): Pick<
  Database,
  'prisma' | 'readerOf' | 'writerOf' | 'transaction' | 'query' | 'pools' | 'replicas' | 'onReplicasUnfit' | 'close'
> {
  const { authentication, requests, streams, background } = pools;
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  types.setTypeParser(pg.types.builtins.DATE, String);
  types.setTypeParser(pg.types.builtins.NUMERIC, String);
  const callers = new Callers();
  const { replicas } = followers ?? {};
  const admit = (pool: pg.Pool) => new AdmittedPool(pool, callers, onQuery, replicas?.marker);
  const forRequests = admit(requests);
  const admitted = (pool: pg.Pool) => (pool === requests ? forRequests : admit(pool));
  const [forStreams, forBackground] = [admitted(streams), admitted(background)];
  // The statements of authentication need no admission.
  const forAuthentication = { statements: 0 };
  const poolOf = () => {
    const requester = currentRequester();
    const pool = requester?.isLongRunning ? forStreams : requester ? forRequests : forBackground;
    return currentTransaction()?.pool ?? pool;
  };
  // The pools may be the same one, so they share the names.
  const names = new StatementNames(!preparesStatements);
  const servers: readonly Replica[] = replicas?.replicas ?? [];
  for (const replica of servers) {
    const own = followers?.createPools(replica);
    if (own) replica.pools = { requests: admit(own.requests), streams: admit(own.streams) };
  }
  const ofReplicas = servers.flatMap(({ pools }) => Object.values(pools));
  const all = [...new Set([forRequests, forStreams, forBackground, ...ofReplicas])];
  const prisma = createClient(prismaAdapter(all, poolOf, names));
  const statements = new KeptStatements();
  const run: Run = async ({ text, values, tables }, isLast) => {
    const statement = new TextStatement(names.nameOf(text), text, [...values]);
    const transaction = currentTransaction();
    // Every value is text.
    if (transaction && isLast) return (await transaction.last(statement)).rows as (string | null)[][];
    const pool = poolOf();
    const { rows } = await pool.run(text, () => pool.connections.query<(string | null)[]>(statement), [...tables]);
    return rows;
  };
  /** Where the reads of a company run: on a replica, as far as they may and one has what they need. */
  const useOfReplicas = () =>
    replicas && readsOnly() && !currentTransaction()
      ? currentRequester()?.isLongRunning
        ? 'streams'
        : 'requests'
      : undefined;
  const runOf = (company: string): Run => {
    if (!replicas) return run;
    return async (compiled, isLast) => {
      const use = useOfReplicas();
      const { text, values, tables } = compiled;
      const read =
        use &&
        (await replicas.run(company, use, (pool, query) =>
          pool.run(text, () => query<(string | null)[]>(new TextStatement(names.nameOf(text), text, [...values])), [
            ...tables,
          ]),
        ));
      return read ? read.result : run(compiled, isLast);
    };
  };
  return {
    prisma,
    readerOf: (access) => new StatementReader(runOf(access.companyId), access, statements),
    writerOf: (models) => createWriter(run, currentActor, models),
    async transaction(work, options) {
      const company = options?.readsOf;
      const read =
        company === undefined || !replicas || currentTransaction()
          ? undefined
          : await replicas.run(company, 'streams', (pool) => transact(pool, work, options));
      return read ? read.result : transact(poolOf(), work, options);
    },
    async query({ text, values, isPrepared = false, isReadLate }) {
      onQuery?.(text);
      forAuthentication.statements += 1;
      const name = isPrepared ? names.nameOf(text) : undefined;
      const { rows, rowCount } = await authentication.query<Record<string, unknown>>({
        ...{ name, text, values, types, isReadLate },
      });
      return { rows, rowCount: rowCount ?? 0 };
    },
    pools() {
      if (authentication === requests) return [useOf('all', requests, forRequests, forAuthentication)];
      return [
        useOf('authentication', authentication, forAuthentication),
        useOf('requests', requests, forRequests),
        useOf('streams', streams, forStreams),
        useOf('background', background, forBackground),
        ...servers.flatMap(usesOf),
      ];
    },
    ...(replicas && { replicas: () => replicas.uses(), onReplicasUnfit: (report) => replicas.onUnfit(report) }),
    async close() {
      await prisma.$disconnect();
      const ends = [authentication, requests, streams, background, ...ofReplicas.map(({ connections }) => connections)];
      await Promise.all([...new Set(ends)].map((pool) => pool.end()));
    },
  };
}

/**
 * A statement whose values are read as PostgreSQL's text; the reader knows their types. pg copies a query's own
 * properties on each use, but not inherited ones, so the options are on the prototype.
 */
class TextStatement {
  declare readonly rowMode: 'array';
  declare readonly types: pg.CustomTypesConfig;

  constructor(
    readonly name: string | undefined,
    readonly text: string,
    readonly values: unknown[],
  ) {}

  static {
    Object.assign(this.prototype, { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } });
  }
}

/** The use of the connections to a replica. */
const usesOf = ({ pools: { requests, streams }, server: { host, port } }: Replica): PoolUse[] => [
  useOf(`requests on ${host}:${port}`, requests.connections, requests),
  useOf(`streams on ${host}:${port}`, streams.connections, streams),
];

/** The use of a pool's connections. @param users counts of those who use it */
function useOf(
  name: string,
  pool: pg.Pool,
  ...users: readonly (Pick<AdmittedPool, 'statements'> & Partial<AdmittedPool>)[]
): PoolUse {
  const admission = users.find((user) => user.admission)?.admission;
  return {
    name,
    size: pool.options.max,
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount + (admission?.waiting ?? 0),
    statements: users.reduce((sum, user) => sum + user.statements, 0),
    admission: admission?.counts ?? { waits: 0, waitedMs: 0, refusals: 0 },
  };
}

/** A pool of one connection, in the form that migrations need. */
export const overConnection = (single: pg.Pool): Connection => ({
  adapter: new PrismaPg(single),
  execute: (sql) => single.query(sql),
  read: async (text, values) => (await single.query<(string | null)[]>({ text, values, rowMode: 'array' })).rows,
  describe: async (sql, values) =>
    (await single.query({ text: `SELECT * FROM (${sql}) AS result LIMIT 0`, values })).fields,
});
