/** `npm run bench`: see README.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyWithoutLog, createdTitle, prepare, unloggedSchema, usualRequests } from './data.ts';
import { load, type Round } from './load.ts';
import { functionOf, packageOf, topSelfTimes } from './profile.ts';
import { type RunningServer, type Server, servers, start, stop } from './servers.ts';
import { addTimes, canTimeStatements, describeTimes, resetTimes, type StatementTimes } from './statement-times.ts';
import { startProxy } from './statements.ts';
import { compare, countStatements, requestsOf, type Workload, workloads } from './workloads.ts';

const connections = 8;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    servers: { type: 'string', default: 'premises,fastify-prisma,fastify-pg' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    rows: { type: 'string', default: String(usualRequests) },
    profile: { type: 'boolean', default: false },
  },
});
const wanted = options.profile ? ['premises'] : options.servers.split(',');
const chosenServers = servers.filter(({ name }) => wanted.includes(name));
const chosenWorkloads = workloads.filter(({ name }) => options.only?.includes(name) ?? true);
if (!chosenServers.length || !chosenWorkloads.length)
  throw new Error(`nothing to do: the workloads are ${workloads.map(({ name }) => name).join(', ')}`);

/** The rounds of each server for one workload. */
type Results = Map<RunningServer, Round[]>;

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
const perRequest = (cpu: (number | undefined)[], requests: number) =>
  cpu.includes(undefined) ? undefined : sum(cpu as number[]) / requests;

const largest = (numbers: (number | undefined)[]) =>
  numbers.includes(undefined) ? undefined : Math.max(...(numbers as number[]));

/** One row of the table: all rounds of a server together. */
function summarize(rounds: Round[]) {
  const latencies = rounds.flatMap((round) => round.latencies).sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.floor(q * latencies.length)];
  return [
    latencies.length / sum(rounds.map(({ duration }) => duration)),
    quantile(0.5),
    quantile(0.99),
    perRequest(
      rounds.map(({ serverCpu }) => serverCpu),
      latencies.length,
    ),
    perRequest(
      rounds.map(({ databaseCpu }) => databaseCpu),
      latencies.length,
    ),
    largest(rounds.map(({ memory }) => memory)),
  ];
}

function print(name: string, cells: (number | string | undefined)[]): void {
  const shown = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : (cell ?? '-')).padStart(17));
  console.log(name.padEnd(27) + shown.join(''));
}

function report(workload: string, results: Results, statements: Map<string, number>): void {
  print(`\n${workload}`.padEnd(28), [
    'requests/s',
    'p50 ms',
    'p99 ms',
    'server CPU ms',
    'database CPU ms',
    'memory MB',
  ]);
  const rows = [...results].map(([server, rounds]) => ({
    name: server.name,
    rounds,
    cells: [...summarize(rounds), statements.get(`${server.name} ${workload}`)],
  }));
  for (const { name, cells } of rows) print(`  ${name}`, cells);
  const [subject, ...others] = rows;
  if (subject?.name !== 'premises') return;
  for (const other of others) {
    const ratios = subject.cells.map((cell, i) => cell && other.cells[i] && cell / other.cells[i]);
    const spread = subject.rounds.map((round, i) => {
      const [a, b] = [round, other.rounds[i]!].map(({ serverCpu, latencies }) => (serverCpu ?? NaN) / latencies.length);
      return a! / b!;
    });
    const range = `   server CPU by round: ${Math.min(...spread).toFixed(2)} to ${Math.max(...spread).toFixed(2)}`;
    print(`  premises / ${other.name}`, [...ratios, range]);
  }
}

/** Prints what PostgreSQL did for each server: calls and ms a request. */
function reportTimes(results: Results, times: ReadonlyMap<RunningServer, StatementTimes>): void {
  for (const [server, rounds] of results) {
    const requests = sum(rounds.map(({ latencies }) => latencies.length));
    console.log(`\n  statements of ${server.name}: calls and ms a request`);
    for (const line of describeTimes(times.get(server)!, requests, 6)) console.log(line);
  }
}

const data = await prepare(process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/', Number(options.rows));
if (chosenServers.some(({ schema }) => schema === unloggedSchema)) await copyWithoutLog(data.client);
const times = await canTimeStatements(data.client);
const profiles = mkdtempSync(join(tmpdir(), 'premises-bench-'));
const running: RunningServer[] = [];
let failures = 0;
try {
  for (const server of chosenServers) {
    const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
    running.push(await start(server, data.url, data.callers[0]!.token, nodeOptions));
  }
  const serving = <S extends Server>(all: readonly S[], { name }: Workload) =>
    all.filter(({ only }) => only?.includes(name) ?? true);
  // Before measuring, because creating changes the lists.
  for (const workload of chosenWorkloads) await compare(workload, serving(running, workload), data);

  // By other processes, behind a proxy.
  const statements = new Map<string, number>();
  const proxy = await startProxy(data.url);
  for (const server of chosenServers) {
    const counted = await start(server, proxy.url, data.callers[0]!.token);
    for (const workload of chosenWorkloads.filter((one) => serving([server], one).length > 0))
      statements.set(`${server.name} ${workload.name}`, await countStatements(workload, counted, data, proxy.count));
    await stop(counted);
  }
  proxy.close();

  const spans = new Map<string, Round[]>();
  for (const workload of chosenWorkloads) {
    const measured = serving(running, workload);
    const results: Results = new Map(measured.map((server) => [server, []]));
    const statementTimes = new Map(measured.map((server): [RunningServer, StatementTimes] => [server, new Map()]));
    const run = async (server: RunningServer, seconds: number) => {
      const target = { url: server.url, pid: server.process.pid!, client: data.client };
      const round = await load(target, requestsOf(workload, server, data), seconds, connections);
      if (round.failures) console.error(`${server.name}: ${round.failures} requests of ${workload.name} failed`);
      failures += round.failures;
      return round;
    };
    // Until V8 has optimized what serves them: on a busy machine, six seconds are some hundred requests.
    for (const server of measured) {
      let answered = 0;
      for (let n = 0; n < 10 && answered < 4000; n++) answered += (await run(server, 6)).latencies.length;
    }
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const server of measured) {
        await run(server, 0.5); // warms up its connections and caches
        if (times) await resetTimes(data.client);
        results.get(server)!.push(await run(server, Number(options.seconds)));
        if (times) await addTimes(data.client, statementTimes.get(server)!);
      }
    }
    report(workload.name, results, statements);
    if (times) reportTimes(results, statementTimes);
    spans.set(workload.name, [...results.values()].flat());
  }

  await Promise.all(running.map(stop));
  if (options.profile) {
    for (const [workload, rounds] of spans) {
      console.log(`\n${workload}: self time of premises, percent of its busy time, by package and by function`);
      for (const [nameOf, top] of [
        [packageOf, 15],
        [functionOf, 25],
      ] as const) {
        for (const { percent, name } of topSelfTimes(profiles, rounds, nameOf, top))
          console.log(`${percent.toFixed(1).padStart(7)}  ${name}`);
        console.log();
      }
    }
  }
} finally {
  await Promise.all(running.map(stop));
  await data.client.query('DELETE FROM service_requests WHERE title = $1', [createdTitle]);
  await data.client.query(`DROP SCHEMA IF EXISTS ${unloggedSchema} CASCADE`);
  await data.client.end();
  rmSync(profiles, { recursive: true });
}
if (failures) process.exitCode = 1;
