// Webhooks of a service whose instance is killed while it sends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Browser } from '../support/browser.ts';
import { testDatabaseUrl } from '../support/database.ts';
import { killAll, ServiceProcess } from '../support/process.ts';
import { dataOf, Receiver } from '../support/webhooks.ts';

/** On PostgreSQL two instances share one database; the embedded one supports one, which is started again. */
const shared = Boolean(process.env.TEST_DATABASE_URL);
let env: Record<string, string>;
let clean: () => Promise<unknown>;
let receiver: Receiver;
let instances: ServiceProcess[];

beforeAll(async () => {
  receiver = await Receiver.start();
  env = {
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:4000',
    RATE_LIMIT_TOKEN_PER_HOUR: '100000',
  };
  if (shared) {
    const { url, drop } = await testDatabaseUrl();
    env['DATABASE_URL'] = url;
    clean = drop;
  } else {
    const folder = await mkdtemp(join(tmpdir(), 'premises-webhooks-'));
    env['DATA_DIR'] = folder;
    clean = () => rm(folder, { recursive: true });
  }
  const first = await (await ServiceProcess.start(env)).ready({ greeting: true });
  instances = shared ? [first, await (await ServiceProcess.start(env)).ready()] : [first];
});
afterAll(async () => {
  await killAll();
  await receiver.close();
  await clean();
});

test('the messages of a killed instance are sent within a minute, in order for each row', async () => {
  const [first] = instances as [ServiceProcess];
  const [, email = '', password = ''] = /Email\s+(\S+)\s+Password\s+(\S+)/.exec(first.stdout) ?? [];
  const browser = new Browser(first.origin);
  expect((await browser.signIn(email, password)).status).toBe(200);
  // Enough messages at once that each instance is sending some.
  const count = 6;
  for (let n = 0; n < count; n++) {
    const input = { name: `Webhook ${n}`, url: `${receiver.url}/${n}`, resources: ['PAINTS'] };
    const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
    expect((await browser.graphql(create, { input })).errors).toEqual([]);
  }
  const { answer } = receiver;
  receiver.answer = () => {}; // It hangs.
  const client = first.client();
  const names = ['One', 'Two', 'Three'];
  const rows = new Set<unknown>();
  for (let n = 0; n < 4; n++) {
    const { row } = await client.post('/paints', { name: names[0] });
    rows.add(row['id']);
    for (const name of names.slice(1)) await client.patch(`/paints/${String(row['id'])}`, { name });
  }
  while (receiver.received.length < 16) await sleep(50);
  first.kill('SIGKILL');
  await first.ended;
  receiver.received.length = 0;
  receiver.answer = answer;
  const killedAt = Date.now();
  if (!shared) await (await ServiceProcess.start(env)).ready();

  const expected = count * rows.size * names.length;
  // The demo's paints are sent too where a transaction of another database on the server was still open when they were
  // committed: they can be read only after it, and are new to the webhooks.
  const received = () => receiver.received.filter(({ message }) => rows.has(dataOf(message)['row_id']));
  // A message that the survivor gave up is sent again too; of those each is counted once.
  const distinct = () => new Set(received().map(({ headers }) => headers['webhook-id'])).size;
  while (distinct() < expected && Date.now() < killedAt + 90_000) await sleep(100);
  expect(distinct()).toBe(expected);
  // A minute, and what a busy machine takes to send the rest.
  expect(Date.now() - killedAt).toBeLessThan(75_000);
  const receivedNames = new Map<string, unknown[]>();
  for (const { path, message } of received()) {
    const { row_id: row, after } = dataOf(message);
    const key = `${path} ${String(row)}`;
    receivedNames.set(key, [...(receivedNames.get(key) ?? []), (after as { name: unknown }).name]);
  }
  expect([...receivedNames.values()]).toEqual(Array.from({ length: count * rows.size }, () => names));
});
