/** `npm run bench:batch`: the CPU time of a batch of creates, and of as many single ones; see README.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createdTitle, prepare } from './data.ts';
import { readCpu } from './load.ts';
import { servers, start, stop } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '10000' },
    settle: { type: 'string', default: '3' },
  },
});
const rows = Number(options.rows);

/** What is sent: both kinds create the same rows. */
const bodies = Array.from({ length: rows }, (_, n) => ({
  title: createdTitle,
  priority: 'high',
  description: `The benchmark's row ${n}`,
}));
const kinds = ['batch', 'single'] as const;

const data = await prepare(process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/', Number(options.requests));
const { token } = data.callers[0]!;
const server = await start(servers[0]!, data.url, token);

async function post(path: string, body: unknown): Promise<void> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
}

const send = {
  batch: () => post('/service-requests/batch', { operations: bodies.map((create) => ({ create })) }),
  async single() {
    for (const body of bodies) await post('/service-requests', body);
  },
};

/** The CPU time (s) of the server and of the database, with what follows from the rows after the response. */
async function measure(kind: (typeof kinds)[number]) {
  const target = { url: server.url, pid: server.process.pid!, client: data.client };
  const before = await readCpu(target);
  const from = performance.now();
  await send[kind]();
  const seconds = (performance.now() - from) / 1000;
  await sleep(Number(options.settle) * 1000);
  const [serverCpu = NaN, databaseCpu = NaN] = (await readCpu(target)).since(before).map((ms) => ms && ms / 1000);
  return { serverCpu, databaseCpu, cpu: serverCpu + databaseCpu, seconds };
}
type Measured = Awaited<ReturnType<typeof measure>>;

const print = (name: string, cells: readonly (number | string)[]) =>
  console.log(
    name.padEnd(18) + cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(3) : cell).padStart(16)).join(''),
  );
const cellsOf = ({ serverCpu, databaseCpu, cpu, seconds }: Measured) => [serverCpu, databaseCpu, cpu, seconds];

try {
  // The compiler of V8 and the plans of the database have seen both.
  for (const kind of kinds) await send[kind]();
  const sums: Record<(typeof kinds)[number], number> = { batch: 0, single: 0 };
  print(`${rows} rows`, ['server CPU s', 'database CPU s', 'both', 'until answered']);
  for (let n = 0; n < Number(options.rounds); n++)
    for (const kind of kinds) {
      const measured = await measure(kind);
      sums[kind] += measured.cpu;
      print(kind, cellsOf(measured));
    }
  console.log(`\nA batch takes ${(sums.batch / sums.single).toFixed(3)} of the CPU time of single requests.`);
} finally {
  await stop(server);
  await data.client.query('DELETE FROM service_requests WHERE title = $1', [createdTitle]);
  await data.client.end();
}
