// Receivers that never answer, or never end their answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

test('a receiver that is slow is given up after 10 s, and keeps no other waiting', async () => {
  slow.answer = (response, { url }) => {
    if (url === '/silent') return;
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 100);
    response.on('close', () => clearInterval(drip));
  };
  const { admin } = hooks.people;
  const ids = [];
  for (const path of ['silent', 'dripping'])
    ids.push((await hooks.create(admin, { name: path, url: `${slow.url}/${path}` })).id);
  const { id } = await hooks.create(admin);
  await hooks.paint('Sage');
  const delivered = hooks.deliverAll();
  while (hooks.receiver.received.length === 0) await sleep(20);
  for (const each of ids)
    expect(await hooks.deliveries(admin, each)).toMatchObject([{ status: 'PENDING', error: null }]);
  await delivered;
  expect(await hooks.deliveries(admin, id)).toMatchObject([{ status: 'SUCCEEDED' }]);
  for (const each of ids) {
    const [delivery] = await hooks.deliveries(admin, each);
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: 1, error: 'No response within 10 s.' });
    expect(delivery?.['durationMs']).toBeGreaterThan(9900);
    expect(delivery?.['durationMs']).toBeLessThan(15_000);
  }
});
