/** `npm run bench:soak`: two instances under a steady load for an hour, restarted in turn; see README.md. */
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Instance, metricsToken } from './soak-instance.ts';
import { charts, type Sample, table } from './soak-report.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    /** How long (ms) each client pauses after a request: the load is steady, not the most that is possible. */
    pause: { type: 'string', default: '150' },
    /** The folder that the samples and the report are written to. */
    out: { type: 'string', default: '.' },
  },
});
const minutes = Number(options.minutes);
const pauseMs = Number(options.pause);
const endsAt = Date.now() + minutes * 60_000;
const isOver = () => Date.now() >= endsAt;
const sampleMs = Math.max(2000, (minutes * 60_000) / 240);
const restartMs = (minutes * 60_000) / 12;
/** Rows of a writer that stay, so that the tables keep their size. */
const keptRows = 200;

const serverUrl = process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/';
const redisUrl = process.env.BENCH_REDIS_URL ?? 'redis://127.0.0.1:6379';

/** Runs SQL on a database of the server. */
async function sql<Row>(text: string, database?: string): Promise<Row[]> {
  const url = new URL(serverUrl);
  if (database) url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // The columns of the statement.
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

const database = `premises_soak_${process.pid}`;
await sql(`CREATE DATABASE ${database}`);
const databaseUrl = Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
const basePort = 4600 + (process.pid % 300);
const instances = [0, 1].map((n) => new Instance(basePort + n, databaseUrl, redisUrl));
const [first, second] = instances as [Instance, Instance];

const counts = { requests: 0, refused: 0, failed: 0, retried: 0, streams: 0, webhooks: 0 };
const failures: string[] = [];
/** Requests that a response has acknowledged, and how often each way has reported that they were created. */
const acknowledged = new Set<string>();
const ways = ['feed', 'stream', 'webhook'] as const;
const seen = Object.fromEntries(ways.map((way) => [way, new Map<string, number>()])) as Record<
  (typeof ways)[number],
  Map<string, number>
>;
const note = (way: (typeof ways)[number], id: string) => seen[way].set(id, (seen[way].get(id) ?? 0) + 1);

interface Change {
  resource: string;
  action: string;
  row_id: string;
}
const noteAll = (way: 'feed' | 'stream', changes: readonly Change[]) => {
  for (const { resource, action, row_id: id } of changes)
    if (resource === 'service_requests' && action === 'create') note(way, id);
};

let token = '';
let turn = 0;

/** Sends a request to the instances in turn, as a balancer does; one that is refused is sent to the next. */
async function send(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
  for (let tries = 0; ; tries++) {
    const { url } = instances[turn++ % instances.length] as Instance;
    counts.requests += 1;
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...more,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return { text, status: response.status };
      if (response.status !== 503) {
        counts.failed += 1;
        if (failures.length < 20) console.error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
        failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
        return undefined;
      }
      counts.refused += 1;
    } catch {
      counts.retried += 1;
    }
    if (tries > 100) throw new Error(`${method} ${path} is never answered`);
    await sleep(200);
  }
}

async function write(n: number): Promise<void> {
  const own: string[] = [];
  while (!isOver()) {
    const key = crypto.randomUUID();
    const body = { title: `Lamp ${key}`, description: 'It flickers. '.repeat(20), priority: 'high' };
    const created = await send('POST', '/api/v1/service-requests', body, { 'idempotency-key': key });
    await sleep(pauseMs);
    if (!created) continue;
    // The envelope of REST.
    const { id } = (JSON.parse(created.text) as { data: { id: string } }).data;
    acknowledged.add(id);
    own.push(id);
    await send('PATCH', `/api/v1/service-requests/${id}`, { priority: n % 2 ? 'low' : 'urgent' });
    await sleep(pauseMs);
    const oldest = own.length > keptRows ? own.shift() : undefined;
    if (oldest) await send('DELETE', `/api/v1/service-requests/${oldest}`);
    await sleep(pauseMs);
  }
}

const nested =
  '{ serviceRequests(first: 20) { nodes { id title assignee { fullName } comments(first: 3) { nodes { comment } } } } }';

async function read(): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    await send('GET', `/api/v1/service-requests?limit=50&offset=${(n % 5) * 10}`);
    await sleep(pauseMs);
    await send('GET', `/api/v1/service-requests?search=${(n % 4096).toString(16)}&sort=title`);
    await sleep(pauseMs);
    await send('POST', '/graphql', { query: nested });
    await sleep(pauseMs);
    await send('POST', '/graphql', { query: `{ serviceRequests { aggregates { key { status priority } count } } }` });
    await sleep(pauseMs);
    if (n % 20 === 0) await send('GET', '/api/v1/service-requests', undefined, { accept: 'text/csv' });
  }
}

/** A page of the feed, in the envelope of REST. */
const feedPage = (text: string) =>
  (JSON.parse(text) as { data: { changes: readonly Change[]; next: string; has_more: boolean } }).data;

async function followFeed(after: string, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    const page = await send('GET', `/api/v1/changes?limit=500&after=${encodeURIComponent(after)}`);
    if (page) {
      const { changes, next, has_more: hasMore } = feedPage(page.text);
      noteAll('feed', changes);
      after = next;
      if (hasMore) continue;
    }
    await sleep(1000);
  }
}

/** Reads the feed as a stream from one instance, and continues at the last event whenever it ends. */
async function followStream(instance: Instance, after: string, isDone: () => boolean, counts_: boolean): Promise<void> {
  while (!isDone()) {
    counts.streams += 1;
    await new Promise<void>((resolve) => {
      const request = get(
        `${instance.url}/api/v1/changes?after=${encodeURIComponent(after)}`,
        { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' }, agent: false },
        (response) => {
          let rest = '';
          const timer = setInterval(() => isDone() && response.destroy(), 500);
          response.setEncoding('utf8').on('data', (part: string) => {
            const events = (rest + part).split('\n\n');
            rest = events.pop() ?? '';
            for (const event of events) {
              const [, id, data] = /^id: (.*)\ndata: (.*)$/m.exec(event) ?? [];
              if (id === undefined || data === undefined) continue;
              after = id;
              if (counts_) noteAll('stream', (JSON.parse(data) as { changes: Change[] }).changes);
            }
          });
          response.on('error', () => {}).on('close', () => (clearInterval(timer), resolve()));
        },
      );
      request.on('error', () => resolve());
    });
    await sleep(500);
  }
}

/** Receives webhooks. */
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => (body += part));
  request.on('end', () => {
    counts.webhooks += 1;
    const message = JSON.parse(body) as { type: string; data: { row_id: string } };
    if (message.type === 'service_requests.create') note('webhook', message.data.row_id);
    response.end();
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

const samples: Sample[] = [];
const startedAt = Date.now();

async function sample(): Promise<void> {
  const values: Sample['values'] = {};
  for (const [n, { url }] of instances.entries()) {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } }).catch(
      () => undefined,
    );
    const text = response?.ok ? await response.text() : '';
    const read = (name: string) => Number(new RegExp(`^${name}(?:\\{\\})? (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    values[`heap ${n + 1} (MB)`] = read('nodejs_heap_size_used_bytes') / 1e6;
    values[`memory ${n + 1} (MB)`] = read('process_resident_memory_bytes') / 1e6;
    values[`descriptors ${n + 1}`] = read('process_open_fds');
    values[`prepared statements ${n + 1}`] = read('premises_database_kept_statements');
  }
  const [row] = await sql<Sample['values']>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'premises') AS connections,
            sum(pg_table_size(relid))::float8 / 1e6 AS "tables (MB)", sum(pg_indexes_size(relid))::float8 / 1e6 AS "indexes (MB)",
            sum(n_dead_tup)::float8 AS "dead rows", sum(n_live_tup)::float8 AS "rows",
            sum(pg_total_relation_size(relid)) FILTER (WHERE relname IN ('changes', 'status_periods', 'activity_entries'))::float8 / 1e6 AS "of the log (MB)",
            sum(pg_total_relation_size(relid)) FILTER (WHERE relname = 'service_requests')::float8 / 1e6 AS "of service requests (MB)",
            sum(pg_total_relation_size(relid)) FILTER (WHERE relname = 'webhook_deliveries')::float8 / 1e6 AS "of deliveries (MB)"
     FROM pg_stat_user_tables`,
    database,
  );
  Object.assign(values, row);
  samples.push({ minute: (Date.now() - startedAt) / 60_000, values });
  log.write(`${JSON.stringify(samples.at(-1))}\n`);
}
const log = createWriteStream(`${options.out}/soak.ndjson`);

function report(): string {
  const found = ways.map((way) => {
    const once_ = [...acknowledged].filter((id) => seen[way].get(id) === 1).length;
    const missing = [...acknowledged].filter((id) => !seen[way].has(id)).length;
    const twice = [...seen[way].values()].filter((count) => count > 1).length;
    return `| ${way} | ${once_} | ${missing} | ${twice} |`;
  });
  return `${table(samples)}

| ${acknowledged.size} created, reported by | once | never | more often |
| --- | --: | --: | --: |
${found.join('\n')}

${counts.requests} requests, ${counts.refused} refused with 503 and repeated, ${counts.retried} without an answer and
repeated, ${counts.failed} failed; ${counts.webhooks} messages of webhooks; ${counts.streams} streams opened;
${instances.map(({ starts }) => starts).join(' and ')} starts.

${charts(samples, Math.round(minutes))}
${failures.length > 0 ? `\nFailures:\n\n${failures.slice(0, 20).join('\n')}\n` : ''}`;
}

try {
  await first.start();
  while (!first.output.includes('shown only once')) await sleep(200);
  token = /svc_live_\w+/.exec(first.output)?.[0] ?? '';
  // The demo's token has a limit of its own.
  await sql('UPDATE api_tokens SET rate_limit = 1000000000', database);
  const [, email = ''] = /Email +(\S+)/.exec(first.output) ?? [];
  const [, password = ''] = /Password +(\S+)/.exec(first.output) ?? [];
  await second.start();

  const signedIn = await fetch(`${first.url}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: first.url },
    body: JSON.stringify({ email, password }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { port } = receiver.address() as AddressInfo; // it listens on a port
  const made = await fetch(`${first.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: first.url, cookie },
    body: JSON.stringify({
      query: `mutation { createWebhook(input: { name: "Soak", url: "http://127.0.0.1:${port}/", resources: [SERVICE_REQUESTS] }) { webhook { id } } }`,
    }),
  });
  const answer = await made.text();
  if (answer.includes('"errors"')) throw new Error(answer);

  const start = await send('GET', '/api/v1/changes?limit=1');
  const { next } = feedPage(start?.text ?? '');
  // Changes are held back while older transactions run, and messages take their time.
  const isDone = () => Date.now() > endsAt + 30_000;
  const sampling = (async () => {
    while (!isOver()) {
      await sample().catch((error: unknown) => console.error(error));
      await sleep(sampleMs);
    }
  })();
  const restarting = (async () => {
    for (let n = 0; ; n++) {
      await sleep(restartMs);
      if (Date.now() > endsAt - restartMs / 2) return;
      const instance = instances[n % 2] as Instance;
      await instance.stop();
      await instance.start();
      console.log(`${Math.round((Date.now() - startedAt) / 60_000)} min`, JSON.stringify(counts));
    }
  })();
  await Promise.all([
    sampling,
    restarting,
    ...[0, 1, 2].map(write),
    ...[0, 1].map(read),
    followFeed(next, isDone),
    followStream(first, next, isDone, true),
    followStream(second, next, isDone, false),
  ]);
  const text = report();
  writeFileSync(`${options.out}/soak.md`, text);
  console.log(text);
} finally {
  await Promise.all(instances.map((instance) => instance.stop()));
  receiver.closeAllConnections();
  receiver.close();
  log.end();
  await sql(`DROP DATABASE ${database} WITH (FORCE)`);
}
