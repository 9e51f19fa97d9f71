import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { countKeptStatements, type Database, type PoolUse, type ReplicaUse } from './database/index.ts';
import { ServiceError } from './errors.ts';
import { type Backlog, createBacklogReader } from './events/backlog.ts';
import { FenceWatch } from './events/fence.ts';
import { failureCounts } from './failure-counts.ts';
import { allowOnlyReads } from './http/errors.ts';
import { noStore } from './http/headers.ts';
import type { InFlight } from './http/in-flight.ts';
import { slowOperations } from './http/operations.ts';
import type { Mailer } from './mail/index.ts';
import { readVersion } from './root.ts';

/** What is measured, besides the process. */
export interface Measured {
  /** The token that a request for the metrics must have. */
  readonly token: string;
  readonly database: Pick<Database, 'pools' | 'query' | 'replicas'>;
  readonly inFlight: Pick<InFlight, 'replies'>;
  readonly mailer: Pick<Mailer, 'waiting'>;
  /** How many requests wait for changes. */
  readonly countWaiting: () => number;
}

/** The upper bounds (seconds) of a response's duration; requests end after 15 s. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/**
 * Serves `/metrics` in Prometheus's text format, and measures the requests of the routes that are added afterwards. No
 * label has values that clients choose: routes are labeled by their template.
 */
export function serveMetrics(app: FastifyInstance, measured: Measured): void {
  const { token, database, inFlight } = measured;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureBuild(registry);
  measureRequests(app, registry, inFlight);
  measureInProcess(registry, measured);
  measureDatabase(registry, database);
  measureWaiting(registry, database);

  const url = '/metrics';
  const expected = digest(token);
  app.get(url, { config: { alwaysAnswers: true } }, async ({ headers }, reply) => {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (!timingSafeEqual(digest(given), expected))
      throw new ServiceError('INVALID_TOKEN', 'The metrics require Authorization: Bearer <METRICS_TOKEN>.');
    return reply
      .header('cache-control', noStore)
      .type(registry.contentType)
      .send(await registry.metrics());
  });
  allowOnlyReads(app, url);
}

/** All digests have the same length, so comparing them takes the same time for any token. */
const digest = (text: string) => createHash('sha256').update(text).digest();

function measureBuild(registry: Registry): void {
  new Gauge({
    name: 'premises_build_info',
    help: 'Always 1; the label has the version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: readVersion() }, 1);
}

function measureRequests(app: FastifyInstance, registry: Registry, { replies }: Measured['inFlight']): void {
  const durations = new Histogram({
    name: 'premises_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'premises_rate_limit_refusals_total',
    help: 'Requests refused with 429.',
    registers: [registry],
  });
  new Gauge({
    name: 'premises_http_requests_in_flight',
    help: 'Requests without a complete response, this one included.',
    registers: [registry],
    collect() {
      this.set(replies.size);
    },
  });
  new Counter({
    name: 'premises_slow_operations_total',
    help: 'Operations that took longer than SLOW_OPERATION_MS.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(slowOperations.count);
    },
  });
  app.addHook('onResponse', ({ method, routeOptions: { url: route } }, { statusCode, elapsedTime }, done) => {
    const status = `${Math.floor(statusCode / 100)}xx`;
    // At unknown addresses clients choose the method.
    durations.observe(route ? { method, route, status } : { method: 'any', route: 'none', status }, elapsedTime / 1000);
    if (statusCode === 429) refusals.inc();
    done();
  });
}

/** What waits in this process alone. */
function measureInProcess(registry: Registry, { mailer, countWaiting }: Measured): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `premises_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('http_requests_waiting', 'Requests that wait for changes.', countWaiting);
  gauge('email_waiting', 'Messages that no table has, and that wait to be sent or sent again.', () => mailer.waiting);
}

function measureDatabase(registry: Registry, database: Measured['database']): void {
  const gauge = (name: string, help: string, valueOf: (pool: PoolUse) => number) =>
    new Gauge({
      name: `premises_database_${name}`,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const pool of database.pools()) this.set({ pool: pool.name }, valueOf(pool));
      },
    });
  const counter = (name: string, help: string, valueOf: (pool: PoolUse) => number) =>
    new Counter({
      name: `premises_database_${name}_total`,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        // The database counts by itself.
        this.reset();
        for (const pool of database.pools()) this.inc({ pool: pool.name }, valueOf(pool));
      },
    });
  gauge('pool_size', 'Maximum number of connections.', ({ size }) => size);
  gauge('connections_in_use', 'Connections that run a statement or transaction.', ({ inUse }) => inUse);
  gauge('connections_idle', 'Idle connections.', ({ idle }) => idle);
  gauge('waiting', 'Statements and transactions that wait for a connection.', ({ waiting }) => waiting);
  counter('statements', 'SQL statements sent.', ({ statements }) => statements);
  counter('admission_waits', 'Waits for a connection that have ended.', ({ admission }) => admission.waits);
  counter('admission_wait_seconds', 'Time of these waits.', ({ admission }) => admission.waitedMs / 1000);
  counter('admission_refusals', 'Statements that got no connection in time.', ({ admission }) => admission.refusals);
  new Gauge({
    name: 'premises_database_kept_statements',
    help: 'Statements that PostgreSQL keeps for the connections.',
    registers: [registry],
    collect() {
      this.set(countKeptStatements());
    },
  });
  if (database.replicas) measureReplicas(registry, database.replicas);
}

function measureReplicas(registry: Registry, list: NonNullable<Database['replicas']>): void {
  const common = { labelNames: ['replica'], registers: [registry] };
  const gauge = (name: string, help: string, valueOf: (replica: ReplicaUse) => number) =>
    new Gauge({
      name: `premises_database_replica_${name}`,
      help,
      ...common,
      collect() {
        for (const replica of list()) this.set({ replica: replica.name }, valueOf(replica));
      },
    });
  gauge('lag_seconds', 'How far a replica is behind the primary.', ({ lagSeconds }) => lagSeconds);
  gauge('used', 'Whether reads may run on a replica: 1 or 0.', ({ isUsed }) => Number(isUsed));
  new Counter({
    name: 'premises_database_replica_repeated_reads_total',
    help: 'Reads that a replica could not run, and the primary did.',
    ...common,
    collect() {
      this.reset();
      for (const { name, repeated } of list()) this.inc({ replica: name }, repeated);
    },
  });
}

function measureWaiting(registry: Registry, database: Measured['database']): void {
  const fence = new FenceWatch(database);
  const gauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void>) =>
    new Gauge({
      name: `premises_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        // A database that does not answer must not hide the other metrics.
        await collect(this).catch(() => this.reset());
      },
    });
  gauge('changes_held_back_seconds', 'Age of the transaction that changes wait for.', [], async (metric) =>
    metric.set((await fence.find())?.seconds ?? 0),
  );
  const backlog = (what: 'messages' | 'jobs' | 'changes', state: string, label: string, help: string) => {
    const read = createBacklogReader(database, what);
    const set = (valueOf: (backlog: Backlog) => number) => async (metric: Gauge) => {
      const found = await read();
      // A kind of which nothing waits any more is not found.
      metric.reset();
      for (const each of found) metric.set({ [label]: each.name }, valueOf(each));
    };
    gauge(
      `${what}_${state}`,
      help,
      [label],
      set(({ count }) => count),
    );
    gauge(
      `${what}_oldest_${state}_seconds`,
      'Age of the oldest of them.',
      [label],
      set(({ seconds }) => seconds ?? 0),
    );
  };
  backlog('messages', 'pending', 'queue', 'Messages that wait to be sent, or to be sent again.');
  backlog('jobs', 'pending', 'kind', 'Jobs that wait to be run or run, of the 10,000 oldest.');
  backlog('changes', 'unread', 'reader', 'Changes of the log that are to be read.');
  gauge('webhooks_failing', 'Webhooks whose messages only fail.', [], async (metric) => {
    const text = 'SELECT count(*)::int AS count FROM webhooks WHERE enabled AND failing_since IS NOT NULL';
    metric.set(Number((await database.query({ text })).rows[0]?.['count']));
  });
  new Counter({
    name: 'premises_failures_total',
    help: 'Attempts to send a message, or to read the log of changes, that failed.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [queue, count] of Object.entries(failureCounts)) this.inc({ queue }, count);
    },
  });
}
