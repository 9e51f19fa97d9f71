/** `npm run bench:growth`: how long requests take as the service requests of one company grow; see README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createGrowthData, type GrowthData } from './growth-data.ts';
import { type RunningServer, servers, start, stop } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    keep: { type: 'boolean', default: false },
  },
});
const sizes = options.sizes.split(',').map(Number);
const largest = 10_000_000;
if (sizes.some((size, i) => !(size > (sizes[i - 1] ?? 0) && size <= largest)))
  throw new Error(`--sizes must be ascending numbers up to ${largest}`);

const collection = '/api/v1/service-requests';
const groups = (key: string) =>
  JSON.stringify({ query: `{ serviceRequests { aggregates { key { ${key} } count } } }` });

/** What is measured: a path with its query, or the body of a GraphQL request. */
const requests: Record<string, { path: string; body?: string }> = {
  'list with total': { path: '?limit=50' },
  'the page after its cursor': { path: '?limit=50&cursor=' },
  'filtered by status': { path: '?limit=50&status=pending' },
  'by status and priority': { path: '?limit=50&status=pending&priority=high' },
  'by category': { path: '?limit=50&category=plumbing' },
  'search that finds 10 in a million': { path: '?limit=50&search=chandelier' },
  'search that finds a fifth': { path: '?limit=50&search=flickers' },
  'offset of a tenth': { path: '?limit=50&offset=' },
  'sorted by title': { path: '?limit=50&sort=title&order=asc' },
  'groups by status and priority': { path: '/graphql', body: groups('status priority') },
  'groups by month': { path: '/graphql', body: groups('createdAt { month }') },
};

/** The server, and the headers of each request. */
type MeasuredServer = RunningServer & { headers: Record<string, string> };

/** Sends one request. @returns the time (ms) until all of its response has arrived, and the response */
async function sendTo({ url, headers }: MeasuredServer, path: string, body?: string) {
  const from = performance.now();
  const response = await fetch(path.startsWith('/') ? url + path : url + collection + path, {
    ...(body !== undefined && { method: 'POST', body }),
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  const text = await response.text();
  const ms = performance.now() - from;
  if (!response.ok || text.includes('"errors"')) throw new Error(`${path}: ${text.slice(0, 500)}`);
  return { ms, text };
}

/** The median of some times (ms), fewer of what takes long. */
async function median(measure: () => Promise<number>): Promise<number> {
  await measure(); // fills caches
  const times: number[] = [];
  while (times.length < 7 && times.reduce((sum, ms) => sum + ms, 0) < 5000) times.push(await measure());
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)]!;
}

/** What the table says of a request whose statement takes longer than it may. @throws any other error */
function refusalOf(error: unknown): string {
  if (error instanceof Error && error.message.includes('SERVICE_UNAVAILABLE')) return 'refused';
  throw error;
}

/** Memory (MB) of a process: `VmRSS` now, or `VmHWM` at most since the last reset. */
const memoryOf = (pid: number, kind: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${kind}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Downloads the list as CSV. */
async function measureCsv({ url, headers, process: { pid = 0 } }: MeasuredServer, size: number) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets VmHWM
  const from = performance.now();
  const response = await fetch(url + collection, { headers: { ...headers, accept: 'text/csv' } });
  let lines = -1;
  for await (const chunk of response.body!) for (const byte of chunk as Uint8Array) if (byte === 10) lines++;
  if (lines !== size) throw new Error(`the CSV has ${lines} of ${size} rows`);
  return { seconds: (performance.now() - from) / 1000, mb: memoryOf(pid, 'VmHWM') };
}

async function measure({ url, token }: GrowthData, size: number): Promise<Record<string, string>> {
  const server = { ...(await start(servers[0]!, url, token)), headers: { authorization: `Bearer ${token}` } };
  try {
    const results: Record<string, string> = {};
    const { meta } = JSON.parse((await sendTo(server, '?limit=50')).text) as { meta: Meta };
    if (meta.total !== size) throw new Error(`the list has ${meta.total} of ${size} rows`);
    for (const [name, { path, body }] of Object.entries(requests)) {
      const whole = path.endsWith('cursor=')
        ? path + encodeURIComponent(meta.pagination.next_cursor)
        : path.endsWith('offset=')
          ? path + size / 10
          : path;
      const ms = median(async () => (await sendTo(server, whole, body)).ms);
      results[name] = await ms.then((one) => one.toFixed(0)).catch(refusalOf);
    }
    const { seconds, mb } = await measureCsv(server, size);
    results['CSV of all (s)'] = seconds.toFixed(1);
    results['memory at most meanwhile (MB)'] = mb.toFixed(0);
    return results;
  } finally {
    await stop(server);
  }
}

interface Meta {
  total: number;
  pagination: { next_cursor: string };
}

const data = await createGrowthData(process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/');
try {
  const columns: Record<string, string>[] = [];
  for (const size of sizes) {
    await data.grow(size);
    const column = await measure(data, size);
    console.error(size, column); // in case a larger one fails
    columns.push(column);
  }
  console.log(`| ms | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |`);
  console.log(`| --- |${' --: |'.repeat(sizes.length)}`);
  for (const name of Object.keys(columns[0]!))
    console.log(`| ${name} | ${columns.map((column) => column[name]).join(' | ')} |`);
} finally {
  await data.close(options.keep);
}
