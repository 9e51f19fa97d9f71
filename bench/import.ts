/** `npm run bench:import`: an import of 100,000 service requests, and COPY of the same rows; see README.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Caller, createdTitle, prepare } from './data.ts';
import { type Copies, copy, forget, readCopies, type Taken } from './import-copy.ts';
import { Receiver, type Seen, watch } from './import-probe.ts';
import { memoryOf, readCpu } from './load.ts';
import { functionOf, packageOf, topSelfTimes } from './profile.ts';
import { servers, start, stop } from './servers.ts';
import { addTimes, canTimeStatements, describeTimes, resetTimes, type StatementTimes } from './statement-times.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    rows: { type: 'string', default: '100000' },
    profile: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    cancel: { type: 'boolean', default: true },
    requests: { type: 'string', default: '10000' },
  },
  allowNegative: true,
});
const rows = Number(options.rows);
/** What the titles of all imported rows begin with. */
const title = 'Imported by the benchmark';
/** How many rows an import writes in one transaction. */
const pageRows = 500;

const data = await prepare(process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/', Number(options.requests));
const { client } = data;
const caller = data.callers[0]!;
const other = data.callers.find(({ companyId }) => companyId !== caller.companyId)!;
const folder = mkdtempSync(join(tmpdir(), 'premises-import-'));
const loopFile = join(folder, 'late.ndjson');
Object.assign(process.env, { BENCH_LOOP_DELAY_FILE: loopFile, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' });
await forget(client, caller.companyId, title);
const timesStatements = options.statements && (await canTimeStatements(client));
const receiver = new Receiver();
const profileOptions = options.profile ? ['--cpu-prof', '--cpu-prof-interval=1000', `--cpu-prof-dir=${folder}`] : [];
const server = await start(servers[0]!, data.url, caller.token, [
  '--import',
  './bench/loop-delay.mjs',
  ...profileOptions,
]);
const pid = server.process.pid!;

/** A file whose rows name people by their email addresses and buildings by their names. */
async function makeFile(count: number, { companyId, userIds, buildingIds }: Caller): Promise<string> {
  const read = async (column: string, table: string, ids: readonly string[]) =>
    (
      await client.query<{ text: string }>(
        `SELECT ${column} AS text FROM ${table} WHERE company_id = $1 AND id = ANY($2) ORDER BY id`,
        [companyId, ids],
      )
    ).rows.map(({ text }) => text);
  const emails = await read('email', 'users', userIds);
  const buildings = await read('name', 'buildings', buildingIds);
  const pick = (all: readonly string[], n: number) => all[n % all.length]!;
  // Rows of one page do not look like those of the next.
  const shuffled = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 8) % 9973;
  const lines = Array.from({ length: count }, (_, n) =>
    [
      `${title} ${n}`,
      '"The window on the north side does not close, since last week. Somebody should look at it, before the next storm."',
      pick(['low', 'normal', 'high', 'urgent'], n),
      pick(['electrical', 'plumbing', 'cleaning', ''], n >> 2),
      shuffled(n) % 10 === 0 ? '' : pick(emails, shuffled(n)),
      pick(buildings, n),
      String(n % 4),
      `Room ${n % 200}`,
    ].join(),
  );
  return ['Title,Description,Priority,Category,Assigned to,Building,Floor,Room', ...lines].join('\n');
}

async function send(method: string, path: string, body?: string, type = 'application/json') {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${caller.token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  // The envelope of REST; a file that has arrived is answered with nothing.
  return JSON.parse(text || '{}') as { data: { id: string; status: string; created: number; taken_back: number } };
}

/** Waits until an import has a status. @returns when it was seen to have each status meanwhile, in ms */
async function follow(
  id: string,
  end: string,
  onStatus?: (status: string) => Promise<void>,
): Promise<Map<string, number>> {
  const at = new Map<string, number>();
  for (;;) {
    const { data: row } = await send('GET', `/imports/${id}`);
    if (!at.has(row.status)) {
      at.set(row.status, performance.now());
      await onStatus?.(row.status);
    }
    if (row.status === 'failed') throw new Error(`The import failed: ${JSON.stringify(row)}`);
    if (row.status === end) return at;
    await sleep(50);
  }
}

interface Imported {
  readonly id: string;
  /** Seconds. */
  readonly checking: number;
  readonly writing: Taken;
  readonly whole: Taken;
  /** On the monotonic clock, in ms. */
  readonly span: { readonly from: number; readonly to: number };
}

async function importFile(file: string): Promise<Imported> {
  const { id } = (await send('POST', '/imports', JSON.stringify({ resource: 'service_requests', auto_start: true })))
    .data;
  const from = performance.now();
  await send('PUT', `/imports/${id}/file?name=requests.csv`, file, 'text/csv');
  const before = await readCpu(target);
  const cpu = new Map<string, number>();
  const at = await follow(id, 'imported', async (status) => {
    const [own = Number.NaN, database = Number.NaN] = (await readCpu(target)).since(before);
    cpu.set(status, (own + database) / 1000);
  });
  const [begun, ended] = [at.get('importing') ?? from, at.get('imported') ?? Number.NaN];
  const seconds = (ms: number) => ms / 1000;
  return {
    id,
    checking: seconds(begun - from),
    writing: {
      time: seconds(ended - begun),
      cpu: (cpu.get('imported') ?? Number.NaN) - (cpu.get('importing') ?? Number.NaN),
    },
    whole: { time: seconds(ended - from), cpu: cpu.get('imported') ?? Number.NaN },
    span: { from: begun, to: ended },
  };
}

async function cancel(id: string): Promise<number> {
  const from = performance.now();
  await send('PATCH', `/imports/${id}`, JSON.stringify({ status: 'cancelled' }));
  await follow(id, 'cancelled');
  const { data: row } = await send('GET', `/imports/${id}`);
  console.log(`  ${row.taken_back} changes were taken back`);
  return (performance.now() - from) / 1000;
}

const target = { url: server.url, pid, client };
const watched = { url: server.url, pid, other, receiver, loopFile };

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
const shown = (values: readonly number[]) =>
  values.length === 0
    ? 'none'
    : `p50 ${quantile(values, 0.5).toFixed(0)}, p99 ${quantile(values, 0.99).toFixed(0)}, max ${quantile(values, 1).toFixed(0)}`;

function describe(seen: Seen, idle: number): void {
  const worst = seen.late.toSorted((a, b) => b.lateMs - a.lateMs)[0];
  const busiest = seen.late.toSorted((a, b) => Math.min(b.lateMs, b.busyMs) - Math.min(a.lateMs, a.busyMs))[0];
  console.log(`  memory MB            ${seen.memory.toFixed(0)}, ${(seen.memory - idle).toFixed(0)} above idle`);
  for (const kind of ['healthz', 'list', 'create'] as const)
    console.log(`  ${`others' ${kind} ms`.padEnd(20)} ${shown(seen[kind])} of ${seen[kind].length}`);
  console.log(`  their webhook ms     ${shown(seen.webhook)} of ${seen.webhook.length}, ${seen.lost} lost`);
  console.log(
    `  event loop late ms   ${worst?.lateMs.toFixed(0)}, busy ${worst?.busyMs.toFixed(0)} of these; busy at most ${Math.min(busiest?.lateMs ?? 0, busiest?.busyMs ?? 0).toFixed(0)}; the benchmark's ${seen.ownLate.toFixed(0)}`,
  );
}

/** Does work, and measures also the processor time of the service and of PostgreSQL (s). */
async function measure<T>(work: () => Promise<T>) {
  const before = await readCpu(target);
  const { result, seen } = await watch(watched, work);
  const [own = Number.NaN, database = Number.NaN] = (await readCpu(target)).since(before).map((ms) => ms && ms / 1000);
  return { result, seen, cpu: `CPU s: service ${own.toFixed(1)}, PostgreSQL ${database.toFixed(1)}` };
}

const idleNow = async () => {
  const samples: number[] = [];
  for (let n = 0; n < 30; n++, await sleep(100)) samples.push(memoryOf(pid) ?? Number.NaN);
  return quantile(samples, 0.5);
};

const spans: { from: number; to: number }[] = [];
const times: StatementTimes = new Map();
try {
  const { data: feed } = (await (
    await fetch(`${server.url}/api/v1/changes?limit=1`, { headers: { authorization: `Bearer ${other.token}` } })
  ).json()) as { data: { next: string } };
  await receiver.subscribe(client, other, feed.next);
  // The compiler of V8 has seen it, and the pools are open.
  await importFile(await makeFile(1000, caller));
  await watch(watched, () => sleep(5000));
  const file = await makeFile(rows, caller);
  console.log(`${rows} rows, ${(file.length / 1e6).toFixed(1)} MB`);
  let copies: Copies | undefined;
  const taken = { writing: [] as Taken[], whole: [] as Taken[], copied: [] as Taken[], paged: [] as Taken[] };
  for (let n = 0; n < Number(options.rounds); n++) {
    await forget(client, caller.companyId, title);
    await sleep(3000);
    const idle = await idleNow();
    if (timesStatements) await resetTimes(client);
    const { result, seen, cpu } = await measure(() => importFile(file));
    if (timesStatements) await addTimes(client, times);
    const offset = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;
    spans.push({ from: result.span.from * 1000 + offset, to: result.span.to * 1000 + offset });
    taken.writing.push(result.writing);
    taken.whole.push(result.whole);
    console.log(
      `import: ${result.writing.time.toFixed(1)} s of writing (CPU ${result.writing.cpu.toFixed(1)}), ${result.checking.toFixed(1)} s before it, ${result.whole.time.toFixed(1)} s in all; ${cpu}`,
    );
    describe(seen, idle);
    copies ??= await readCopies(client, data.url, { companyId: caller.companyId, title, pageRows, folder });
    if (options.cancel) {
      await sleep(3000);
      const undone = await measure(() => cancel(result.id));
      console.log(`cancel: ${undone.result.toFixed(1)} s; ${undone.cpu}`);
      describe(undone.seen, idle);
    }
    for (const [kind, list] of [
      ['whole', taken.copied],
      ['paged', taken.paged],
    ] as const) {
      await forget(client, caller.companyId, title);
      await sleep(2000);
      list.push(copy(data.url, copies, kind));
      console.log(
        `COPY ${kind === 'whole' ? 'in one transaction' : `by pages of ${pageRows}`}: ${list.at(-1)!.time.toFixed(1)} s (CPU ${list.at(-1)!.cpu.toFixed(1)})`,
      );
    }
  }
  const sum = (all: readonly Taken[], kind: keyof Taken) => all.reduce((total, each) => total + each[kind], 0);
  const shares = (imported: readonly Taken[]) =>
    [taken.copied, taken.paged].flatMap((copied) =>
      (['time', 'cpu'] as const).map((kind) => (sum(copied, kind) / sum(imported, kind)).toFixed(3)),
    );
  const print = (name: string, cells: readonly string[]) =>
    console.log(name.padEnd(24) + cells.map((cell) => cell.padStart(12)).join(''));
  print('\nCOPY as a share of', ['one', 'its CPU', 'by pages', 'its CPU']);
  print('an import, writing', shares(taken.writing));
  print('with checking', shares(taken.whole));
  if (timesStatements)
    console.log(
      `\ncalls and ms a page\n${describeTimes(times, (rows / pageRows) * Number(options.rounds), 25).join('\n')}`,
    );
} finally {
  await stop(server);
  if (options.profile)
    for (const nameOf of [packageOf, functionOf])
      for (const { percent, name } of topSelfTimes(folder, spans, nameOf, 40))
        console.log(`${percent.toFixed(1).padStart(6)} %  ${name}`);
  receiver.close();
  await forget(client, caller.companyId, title);
  await client.query('DELETE FROM service_requests WHERE title = $1', [createdTitle]);
  await client.query('DELETE FROM imports');
  await client.query('DELETE FROM webhooks');
  await client.end();
  rmSync(folder, { recursive: true });
}
