// Companies share what an instance sends at once.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findDue, postponeWaiting, takeDeliveries } from '../../src/background/webhooks/deliveries.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { slowdown } from '../support/slowdown.ts';
import { dataOf, Receiver, WebhookService } from '../support/webhooks.ts';

let hooks: WebhookService;
let slow: Receiver;
beforeAll(async () => {
  [hooks, slow] = await Promise.all([WebhookService.start(), Receiver.start()]);
});
afterAll(async () => {
  await slow.close();
  await hooks.close();
});

test('slow receivers of one company keep no other company waiting', async () => {
  const { admin, otherAdmin } = hooks.people;
  const slowAnswers: (() => void)[] = [];
  slow.answer = (response) => void slowAnswers.push(() => response.writeHead(200).end());
  for (let n = 0; n < 12; n++) await hooks.create(admin, { name: `Slow ${n}`, url: `${slow.url}/${n}` });
  const { id } = await hooks.create(otherAdmin, { name: 'Fast' });
  for (let n = 0; n < 4; n++) await hooks.paint(`Slow ${n}`);
  await waitForOlderTransactions(hooks.service.database);
  await hooks.worker.turn();

  // All webhooks of the company have their turn.
  await until(() => slowAnswers.length >= 16);
  expect(new Set(slow.received.map(({ path }) => path)).size).toBe(12);

  await otherAdmin.graphql('mutation { createPaint(input: { name: "Fast" }) { id } }');
  await waitForOlderTransactions(hooks.service.database);
  await hooks.worker.turn();
  await until(() => hooks.receiver.received.length === 1);
  expect(slow.received.length).toBe(16);
  await until(async () => (await hooks.deliveries(otherAdmin, id))[0]?.['status'] === 'SUCCEEDED');

  // What waited for a slot is sent as slots become free.
  slow.answer = (response) => response.writeHead(200).end();
  for (const answer of slowAnswers) answer();
  await hooks.deliverAll();
  expect(slow.received.length).toBe(48);
});

test('a receiver that answers at once gets many messages within seconds', async () => {
  await hooks.reset();
  await hooks.create(hooks.people.admin);
  for (let n = 0; n < 40; n++) await hooks.paint(`Fast ${n}`);
  await waitForOlderTransactions(hooks.service.database);
  await hooks.worker.turn();
  // Four at once, again and again.
  await until(() => hooks.receiver.received.length === 40);
});

test('the next messages are found at once, however many of one row wait', async () => {
  await hooks.reset();
  const { id } = await hooks.create(hooks.people.admin);
  const { database } = hooks.service;
  await hooks.sql(
    `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, row_id, seq, next_at)
     SELECT company_id, gen_random_uuid(), id, 'paints.update', md5(least(seq, 3)::text)::uuid, seq,
            now() - make_interval(secs => 60000 - seq)
     FROM webhooks, generate_series(1, 20000) AS seq WHERE id = $1`,
    id,
  );
  const { rows } = await hooks.sql('SELECT id::text FROM webhook_deliveries WHERE seq <= 3 ORDER BY seq');
  const startedAt = performance.now();
  const found = await findDue(database, hooks.tenant.company.id, 32);
  // It took 25 s when each was compared with all others.
  expect(performance.now() - startedAt).toBeLessThan(3000 * slowdown());
  expect(found.map((each) => each.id)).toEqual(rows.map((row) => row['id']));
});

test('messages of other rows are sent, however many wait for one that failed', async () => {
  await hooks.reset();
  const { id } = await hooks.create(hooks.people.admin);
  const paint = await hooks.paint('Other');
  await waitForOlderTransactions(hooks.service.database);
  await hooks.sql(
    `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, row_id, seq, next_at)
     SELECT company_id, gen_random_uuid(), id, 'paints.update', $2, seq,
            now() + CASE WHEN seq = 1 THEN interval '1 hour' ELSE interval '-1 minute' END
     FROM webhooks, generate_series(1, 2500) AS seq WHERE id = $1`,
    id,
    randomUUID(),
  );
  await hooks.deliverAll();
  expect(hooks.receiver.receivedEvents).toEqual([['paints.create', paint]]);
  // Those that wait become due together with the first of their row.
  const times = await hooks.sql(`SELECT DISTINCT next_at FROM webhook_deliveries WHERE status = 'pending'`);
  expect(times.rows).toHaveLength(1);
});

test('many messages are postponed and taken by their keys, though none was pending when PostgreSQL last counted', async () => {
  await hooks.reset();
  const { id } = await hooks.create(hooks.people.admin);
  const { database } = hooks.service;
  const companyId = hooks.tenant.company.id;
  await hooks.sql('ANALYZE webhook_deliveries');
  await hooks.sql(
    `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, row_id, seq, next_at)
     SELECT company_id, gen_random_uuid(), id, 'paints.update', $2, seq,
            now() + CASE WHEN seq = 1 THEN interval '1 hour' ELSE interval '-1 minute' END
     FROM webhooks, generate_series(1, 20000) AS seq WHERE id = $1`,
    id,
    randomUUID(),
  );
  const { rows } = await hooks.sql('SELECT id::text FROM webhook_deliveries WHERE next_at < now() LIMIT 1000');
  const due = rows.map((row) => ({ companyId, webhookId: id, id: String(row['id']) }));
  const startedAt = performance.now();
  expect(await postponeWaiting(database, companyId)).toBe(1000);
  expect(await takeDeliveries(database.prisma, due)).not.toEqual([]);
  // Each took 10 s when the pending messages of the company were read for each.
  expect(performance.now() - startedAt).toBeLessThan(3000 * slowdown());
});

test('messages that were postponed for the first of their row follow it at once', async () => {
  await hooks.reset();
  const paint = await hooks.paint('Slow');
  await hooks.create(hooks.people.admin);
  const names = Array.from({ length: 150 }, (_, n) => `Slow ${n}`);
  for (const name of names) await hooks.client.patch(`/paints/${paint}`, { name });
  await waitForOlderTransactions(hooks.service.database);
  const arePostponed = async () =>
    (await hooks.sql(`SELECT FROM webhook_deliveries WHERE next_at > now() AND leased_until IS NULL`)).rows.length ===
    149;
  hooks.receiver.answer = (response) => {
    const isFirst = hooks.receiver.received.length === 1;
    void (isFirst ? until(arePostponed) : Promise.resolve()).finally(() => response.writeHead(200).end());
  };
  await hooks.deliverAll();
  const received = hooks.receiver.received.map(({ message }) => dataOf(message)['after'] as { name: string });
  expect(received.map(({ name }) => name)).toEqual(names);
});

test('messages of a row are sent although its first one became due after many of them', async () => {
  await hooks.reset();
  const { id } = await hooks.create(hooks.people.admin);
  // As if the first had been sent again on request, or nothing had run until it was due. None has a change in the log.
  await hooks.sql(
    `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, row_id, seq, next_at)
     SELECT company_id, ('00000000-0000-7000-8000-' || lpad(to_hex(seq), 12, '0'))::uuid, id, 'paints.update', $2, seq,
            now() - CASE WHEN seq = 1 THEN interval '1 second' ELSE interval '1 minute' END
     FROM webhooks, generate_series(1, 150) AS seq WHERE id = $1`,
    id,
    randomUUID(),
  );
  await hooks.deliverAll();
  const statuses = await hooks.sql('SELECT status, count(*)::int AS count FROM webhook_deliveries GROUP BY 1');
  expect(statuses.rows).toEqual([{ status: 'skipped', count: 150 }]);
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5000;
  while (!(await isTrue()) && Date.now() < end) await sleep(20);
  expect(await isTrue()).toBe(true);
}
