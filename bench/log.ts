/** `npm run bench:log`: what the log of changes costs a write; see README.md. */
import { parseArgs } from 'node:util';
import type { Request } from 'autocannon';
import { createdTitle, prepare, writtenTables } from './data.ts';
import { load, type Round } from './load.ts';
import { type RunningServer, servers, start, stop } from './servers.ts';
import { requestsOf, type Workload, workloads } from './workloads.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
});

/** Changes a row: the same one to another floor each time. */
const change: Workload = {
  name: 'change',
  requests: (_server, { serviceRequestIds }) =>
    [1, 2].flatMap((floor) =>
      serviceRequestIds.map(
        (id): Request => ({
          method: 'PATCH',
          path: `/api/v1/service-requests/${id}`,
          body: JSON.stringify({ floor: String(floor) }),
        }),
      ),
    ),
  comparable: ({ data }) => data,
};
const measured = [...workloads.filter(({ name }) => name === 'create'), change];

const data = await prepare(process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/');
const switchTriggers = async (isOn: boolean) => {
  for (const table of writtenTables)
    await data.client.query(`ALTER TABLE ${table} ${isOn ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
};

/** The CPU time (ms) of a request, of the server and of the database, and the requests per second. */
function summarize(rounds: readonly Round[]): number[] {
  const count = rounds.reduce((sum, { latencies }) => sum + latencies.length, 0);
  const total = (of: (round: Round) => number) => rounds.reduce((sum, round) => sum + of(round), 0);
  return [
    total(({ serverCpu }) => serverCpu ?? NaN) / count,
    total(({ databaseCpu }) => databaseCpu ?? NaN) / count,
    count / total(({ duration }) => duration),
  ];
}

const print = (name: string, cells: readonly (number | string)[]) =>
  console.log(
    name.padEnd(24) + cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(3) : cell).padStart(17)).join(''),
  );

async function measure(server: RunningServer, workload: Workload): Promise<void> {
  const target = { url: server.url, pid: server.process.pid!, client: data.client };
  const run = (seconds: number) =>
    load(target, requestsOf(workload, server, data), seconds, Number(options.connections));
  const rounds: Record<'without' | 'with', Round[]> = { without: [], with: [] };
  await run(2);
  for (let n = 0; n < Number(options.rounds); n++) {
    for (const kind of ['without', 'with'] as const) {
      await switchTriggers(kind === 'with');
      await run(0.5); // plans statements again
      rounds[kind].push(await run(Number(options.seconds)));
    }
  }
  const failures = [...rounds.with, ...rounds.without].reduce((sum, round) => sum + round.failures, 0);
  if (failures > 0) throw new Error(`${failures} requests of ${workload.name} failed`);
  const [off, on] = [summarize(rounds.without), summarize(rounds.with)];
  print(`\n${workload.name}`.padEnd(25), ['server CPU ms', 'database CPU ms', 'requests/s']);
  print('  without the log', off);
  print('  with the log', on);
  print(
    '  ratio',
    on.map((cell, n) => cell / off[n]!),
  );
}

const server = await start(servers[0]!, data.url, data.callers[0]!.token);
try {
  for (const workload of measured) await measure(server, workload);
} finally {
  await stop(server);
  await switchTriggers(true);
  await data.client.query('DELETE FROM service_requests WHERE title = $1', [createdTitle]);
  await data.client.end();
}
