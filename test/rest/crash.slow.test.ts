import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, type Reply } from '../support/client.ts';
import { testDatabaseUrl } from '../support/database.ts';
import { killAll, ServiceProcess } from '../support/process.ts';

/** On PostgreSQL two instances share one database; the embedded one supports one. */
const shared = Boolean(process.env.TEST_DATABASE_URL);
let env: Record<string, string>;
let clean: () => Promise<unknown>;
let instances: ServiceProcess[];
let token: string;

beforeAll(async () => {
  const plenty = { RATE_LIMIT_TOKEN_PER_HOUR: '100000' };
  if (shared) {
    const { url, drop } = await testDatabaseUrl();
    env = { DATABASE_URL: url, ...plenty };
    clean = drop;
  } else {
    const folder = await mkdtemp(join(tmpdir(), 'premises-crash-'));
    env = { DATA_DIR: folder, ...plenty };
    clean = () => rm(folder, { recursive: true });
  }
  const first = await (await ServiceProcess.start(env)).ready({ greeting: true });
  token = first.token;
  instances = shared ? [first, await (await ServiceProcess.start(env)).ready()] : [first];
});
afterAll(async () => {
  await killAll();
  await clean();
});

const post = (client: Client, body: unknown, key: string): Promise<Reply> =>
  client.post('/vendors', body, { 'idempotency-key': key });
const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
const count = async (client: Client, address: string) =>
  (await client.get('/vendors', { address, limit: 1 })).meta.total;

/** Sends a request until it no longer gets a 409, as a client does. */
async function retry(client: Client, body: unknown, key: string): Promise<Reply> {
  for (;;) {
    const reply = await post(client, body, key);
    if (![409, 503].includes(reply.status)) return reply;
    await sleep(100);
  }
}

/** A proxy to an instance that drops responses; `answered` resolves when one arrived. */
async function startDroppingProxy(
  to: ServiceProcess,
): Promise<{ server: Server; client: Client; answered: Promise<unknown> }> {
  let onAnswer = () => {};
  const answered = new Promise<void>((resolve) => (onAnswer = resolve));
  const server = createServer((near) => {
    const far = connect(Number(new URL(to.origin).port), '127.0.0.1');
    near.on('error', () => {}).pipe(far);
    far
      .on('error', () => {})
      .on('close', () => near.destroy())
      .on('data', onAnswer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    server,
    answered,
    client: new Client(`http://127.0.0.1:${typeof address === 'object' && address?.port}`, token),
  };
}

test('twenty concurrent requests on several instances run once', async () => {
  const key = randomUUID();
  const body = { company_name: 'Twenty', address: 'twenty' };
  const clients = instances.map((instance) => instance.client(token));
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => post(clients[n % clients.length] as Client, body, key)),
  );
  expect(new Set(replies.map(({ status }) => status)).size).toBeLessThanOrEqual(2);
  const made = replies.filter(({ status }) => status === 201);
  expect(made.filter((reply) => !replayed(reply))).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(20 - made.length);
  const later = await Promise.all(clients.map((client) => retry(client, body, key)));
  expect(new Set([...made, ...later].map(({ text }) => text)).size).toBe(1);
  expect(later.every(replayed)).toBe(true);
  expect(await count(clients[0] as Client, 'twenty')).toBe(1);
});

test('a killed process has completed a request with a key, or not begun it', async () => {
  const [first] = instances as [ServiceProcess];
  // A request whose response was being sent when the process died.
  const lost = { body: { company_name: 'Lost', address: 'lost' }, key: randomUUID() };
  const { server, client: disconnectedClient, answered } = await startDroppingProxy(first);
  const lostReply = expect(post(disconnectedClient, lost.body, lost.key)).rejects.toThrow();
  await answered;
  // And many requests that were interrupted.
  const client = first.client(token);
  const sent = Array.from({ length: 60 }, (_, n) => ({
    body: { company_name: `Vendor ${n}`, address: 'killed' },
    key: randomUUID(),
  }));
  let done = 0;
  const before = await Promise.all(
    sent.map(async ({ body, key }) => {
      const reply = await post(client, body, key).catch(() => undefined);
      if (reply?.status === 201 && ++done === 15) first.kill('SIGKILL');
      return reply;
    }),
  );
  await first.ended;
  await lostReply;
  server.close();
  const completed = before.filter((reply) => reply?.status === 201);
  expect(completed.length).toBeGreaterThanOrEqual(15);
  expect(completed.length).toBeLessThan(60);

  const survivor = (instances[1] ?? (await (await ServiceProcess.start(env)).ready())).client(token);
  const again = await retry(survivor, lost.body, lost.key);
  expect([again.status, replayed(again), await count(survivor, 'lost')]).toEqual([201, true, 1]);

  const after = await Promise.all(sent.map(({ body, key }) => retry(survivor, body, key)));
  for (const [n, reply] of after.entries()) {
    expect(reply.status).toBe(201);
    if (before[n]?.status === 201) expect([reply.text, replayed(reply)]).toEqual([before[n].text, true]);
  }
  expect(new Set(after.map(({ row }) => row['id'])).size).toBe(60);
  expect(await count(survivor, 'killed')).toBe(60);
});
