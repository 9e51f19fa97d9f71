// Companies share what an instance sends at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findDue } from '../../src/background/webhooks/deliveries.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { Receiver, WebhookService } from '../support/webhooks.ts';

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
  // Four at once, again and again within a turn.
  await hooks.worker.turn();
  expect(hooks.receiver.received.length).toBeGreaterThan(8);
});

test('the next messages are found at once, however many of one row wait', async () => {
  await hooks.reset();
  const { id } = await hooks.create(hooks.people.admin);
  const { prisma } = hooks.service.database;
  await hooks.sql(
    `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, row_id, seq, next_at)
     SELECT company_id, gen_random_uuid(), id, 'paints.update', md5(least(seq, 3)::text)::uuid, seq,
            now() - make_interval(secs => 60000 - seq)
     FROM webhooks, generate_series(1, 20000) AS seq WHERE id = $1`,
    id,
  );
  const { rows } = await hooks.sql('SELECT id::text FROM webhook_deliveries WHERE seq <= 3 ORDER BY seq');
  const startedAt = performance.now();
  const found = await findDue(prisma, 32);
  // It took 25 s when each was compared with all others.
  expect(performance.now() - startedAt).toBeLessThan(3000);
  expect(found.map((each) => each.id)).toEqual(rows.map((row) => row['id']));
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5000;
  while (!(await isTrue()) && Date.now() < end) await sleep(20);
  expect(await isTrue()).toBe(true);
}
