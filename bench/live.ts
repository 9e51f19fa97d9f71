/** `npx tsx bench/live.ts`: what 1,000 subscriptions cost an instance; see README.md. */
import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createCompany, createUser } from '../src/auth/accounts.ts';
import { createToken } from '../src/auth/tokens.ts';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { createDatabase } from './data.ts';
import { servers, start, stop } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    listeners: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '5' },
  },
});
const [listeners = 0, seconds = 0, rate = 0] = [options.listeners, options.seconds, options.rate].map(Number);
const perToken = 10;
const userCount = 100;

const url = new URL(process.env['BENCH_DATABASE_URL'] ?? 'postgresql://127.0.0.1:5432/premises_bench_live');
await createDatabase(url);
const database = await openDatabase({ databaseUrl: url.href, dataDir: '' });
await migrate(database);
const { prisma } = database;
const company = await createCompany(prisma, { slug: `live-${Date.now()}`, name: 'Live' });
const issue = async (userId: string) => {
  const given = { companyId: company.id, userId, name: 'bench', scopes: ['*'], live: true, rateLimit: 1_000_000_000 };
  return (await createToken(prisma, { ...given, expiresAt: null })).token;
};
const userIds: string[] = [];
for (let n = 0; n < userCount + 2; n++) {
  const user = { companyId: company.id, email: `u${n}@${company.slug}.example`, fullName: `User ${n}`, role: 'ADMIN' };
  userIds.push((await createUser(prisma, user as Parameters<typeof createUser>[1])).id);
}
const [first = '', second = '', ...others] = userIds;
async function tokensOf(ids: readonly string[]): Promise<string[]> {
  const tokens: string[] = [];
  for (let n = 0; n < listeners / perToken; n++) tokens.push(await issue(ids[n % ids.length] ?? first));
  return tokens;
}
const [ofOne, ofAll, writer] = [await tokensOf([first]), await tokensOf(others), await issue(second)];
await database.close();

Object.assign(process.env, {
  METRICS_TOKEN: 'bench',
  MAX_REQUESTS_WAITING: String(listeners * 4),
  MAX_REQUESTS_IN_FLIGHT: '10000',
  MAX_REQUESTS_WAITING_PER_TOKEN: String(perToken),
});
const [premises] = servers;
if (!premises) throw new Error('there is no server');
const server = await start(premises, url.href, writer);

/** How long (ms) after its write began each event arrived. */
let delays: number[] = [];

/** Subscribes as often as the tokens allow. @returns the function that ends it */
async function listen(tokens: readonly string[], filter: string): Promise<() => void> {
  const query = `subscription { serviceRequests${filter} { change { action id position } row { title status assignee { fullName } } } }`;
  const responses: IncomingMessage[] = [];
  const open = async (token: string) => {
    const headers = {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    };
    const request = sendRequest(`${server.url}/graphql`, { method: 'POST', agent: false, headers });
    request.end(JSON.stringify({ query }));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`subscription answered ${response.statusCode}`);
    response
      .on('error', () => {})
      .on('data', (data: Buffer) => {
        for (const [, began] of data.toString().matchAll(/"title":"(\d+)"/g)) delays.push(Date.now() - Number(began));
      });
    responses.push(response);
  };
  for (let n = 0; n < perToken; n++) await Promise.all(tokens.map(open));
  return () => {
    for (const response of responses) response.destroy();
  };
}

async function send(method: string, path: string, body: object): Promise<{ data: { id: string } }> {
  const headers = { authorization: `Bearer ${writer}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return (await response.json()) as { data: { id: string } };
}

/** What the server has used so far. */
async function readMetrics() {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: 'Bearer bench' } });
  const text = await response.text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce((all, [, n]) => all + Number(n), 0);
  return {
    cpu: sum('process_cpu_seconds_total'),
    memory: sum('process_resident_memory_bytes'),
    statements: sum('premises_database_statements_total'),
  };
}

/** Measures the server for a while, with or without writes. */
async function measure(name: string, writes: boolean): Promise<void> {
  const { data } = await send('POST', '/service-requests', { title: '0', assigned_to: first });
  await sleep(3000);
  delays = [];
  const before = await readMetrics();
  const until = Date.now() + seconds * 1000;
  let written = 0;
  while (Date.now() < until) {
    const next = Date.now() + 1000 / rate;
    if (writes) {
      await send('PATCH', `/service-requests/${data.id}`, { title: String(Date.now()) });
      written++;
    }
    await sleep(Math.max(0, next - Date.now()));
  }
  const after = await readMetrics();
  const sorted = delays.sort((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? '-';
  const cpu = (((after.cpu - before.cpu) / seconds) * 100).toFixed(1);
  const statements = ((after.statements - before.statements) / seconds).toFixed(1);
  const memory = Math.round(after.memory / 1_000_000);
  console.log(
    `${name}: CPU ${cpu} %, ${memory} MB, ${statements} statements/s, ${written} writes, ${delays.length} events, delay ${at(0.5)} ms, 99 %: ${at(0.99)} ms`,
  );
}

try {
  await measure('nobody listens, idle', false);
  await measure('nobody listens, writes', true);
  for (const [name, tokens, filter] of [
    ['the same rights', ofOne, ''],
    [`${userCount} users`, ofAll, ''],
    [`${userCount} users, a filter that nothing matches`, ofAll, '(filter: { status: { eq: COMPLETED } })'],
  ] as const) {
    const end = await listen(tokens, filter);
    await measure(`${listeners} listeners, ${name}, idle`, false);
    await measure(`${listeners} listeners, ${name}, writes`, true);
    end();
    await sleep(2000);
  }
} finally {
  await stop(server);
}
