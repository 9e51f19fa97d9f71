// How webhooks are sent: in order for each row, again after failures, and by several instances.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { dataOf, WebhookService } from '../support/webhooks.ts';

let hooks: WebhookService;
let people: WebhookService['people'];
let receiver: WebhookService['receiver'];

beforeAll(async () => {
  hooks = await WebhookService.start();
  ({ people, receiver } = hooks);
});
afterAll(() => hooks.close());
afterEach(() => hooks.reset());

const rename = (id: string, name: string) => hooks.client.patch(`/paints/${id}`, { name });
/** The message of the only webhook that failed last. */
const lastFailure = async (reader: Client) => {
  const fields = 'id event status attempts nextAt answerStatus error request';
  const { data, errors } = await reader.graphql<{ webhooks: { lastFailure: Row | null }[] }>(
    `{ webhooks { lastFailure { ${fields} } } }`,
  );
  expect(errors).toEqual([]);
  return data.webhooks[0]?.lastFailure;
};
const names = () => receiver.received.map(({ message }) => (dataOf(message)['after'] as { name: unknown }).name);

test('a message is sent again after growing pauses, in order for each row', async () => {
  const { id } = await hooks.create(people.admin);
  const [one, other] = [await hooks.paint('One'), await hooks.paint('Other')];
  await hooks.deliverAll();
  receiver.received.length = 0;
  receiver.statuses = [500];
  await rename(one, 'One!');
  await hooks.deliverAll();
  await rename(one, 'One!!');
  await rename(other, 'Other!');
  await hooks.deliverAll();
  expect(names()).toEqual(['One!', 'Other!']);
  const [first, second] = (await hooks.deliveries(people.admin, id)).slice(2);
  expect(first).toMatchObject({ status: 'PENDING', attempts: 1, answerStatus: 500, answer: 'Thanks' });
  expect(second).toMatchObject({ status: 'PENDING', attempts: 0 });
  const pause = new Date(String(first?.['nextAt'])).getTime() - Date.now();
  expect(pause).toBeGreaterThan(1000);
  expect(pause).toBeLessThan(11_000);

  await hooks.pass(10);
  await hooks.deliverAll();
  expect(names()).toEqual(['One!', 'Other!', 'One!', 'One!!']);
  // The receiver knows a message that it has got before.
  expect(receiver.received[2]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
});

test('a receiver that is down for ten minutes gets everything later, in order for each row', async () => {
  const { id } = await hooks.create(people.admin);
  const [one, other] = [await hooks.paint('One'), await hooks.paint('Other')];
  await hooks.deliverAll();
  receiver.received.length = 0;
  await receiver.close();
  for (let minute = 0; minute < 10; minute++) {
    await rename(one, `One ${minute}`);
    if (minute % 3 === 0) await rename(other, `Other ${minute}`);
    await hooks.deliverAll();
    await hooks.pass(60);
  }
  const [waiting] = (await hooks.deliveries(people.admin, id)).slice(2);
  expect(waiting).toMatchObject({
    status: 'PENDING',
    answerStatus: null,
    error: expect.stringContaining('ECONNREFUSED'),
  });
  expect((await hooks.list(people.admin))[0]).toMatchObject({ enabled: true, failingSince: expect.any(String) });
  // The list says what failed last, as the log does.
  const timeOf = ({ attemptedAt }: Row) => (attemptedAt === null ? 0 : Date.parse(attemptedAt as string));
  const log = await hooks.deliveries(people.admin, id);
  const latest = log.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
  expect(latest).toMatchObject({ event: 'paints.update', status: 'PENDING', nextAt: expect.any(String) });
  expect(latest['attempts']).toBeGreaterThan(2);
  expect(await lastFailure(people.admin)).toMatchObject({ id: latest['id'], attempts: latest['attempts'] });

  await receiver.listen();
  // Within the next pause, which is half an hour.
  await hooks.pass(1800);
  await hooks.deliverAll();
  const namesFrom = (name: string) => names().filter((each) => String(each).startsWith(name));
  expect(namesFrom('One')).toEqual(Array.from({ length: 10 }, (_, minute) => `One ${minute}`));
  expect(namesFrom('Other')).toEqual([0, 3, 6, 9].map((minute) => `Other ${minute}`));
  expect((await hooks.list(people.admin))[0]).toMatchObject({ enabled: true, failingSince: null });
  expect(await lastFailure(people.admin)).toBeNull();
});

test('an admin sees the failure of a webhook of somebody else, without the bodies', async () => {
  await hooks.create(people.member);
  await hooks.paint('Sage');
  receiver.statuses = [503];
  await hooks.deliverAll();
  const seen = { event: 'paints.create', attempts: 1, answerStatus: 503, error: null };
  expect(await lastFailure(people.member)).toMatchObject({ ...seen, request: expect.stringContaining('Sage') });
  expect(await lastFailure(people.admin)).toMatchObject({ ...seen, request: null });
});

test('a message whose response was lost is sent again with the same ID', async () => {
  const { id } = await hooks.create(people.admin);
  const { answer } = receiver;
  receiver.answer = (response) => response.destroy();
  await hooks.paint('Sage');
  await hooks.deliverAll();
  receiver.answer = answer;
  await hooks.pass(10);
  await hooks.deliverAll();
  expect(await hooks.deliveries(people.admin, id)).toMatchObject([{ status: 'SUCCEEDED', attempts: 2 }]);
  const [first, second] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect([second?.headers['webhook-id'], second?.body]).toEqual([first?.headers['webhook-id'], first?.body]);
});

test('attempts end after three days', async () => {
  const { id } = await hooks.create(people.admin);
  await hooks.paint('Sage');
  receiver.statuses = Array<number>(20).fill(503);
  let seconds = 0;
  for (let attempt = 0; attempt < 15; attempt++) {
    await hooks.deliverAll();
    const [row] = (
      await hooks.sql(`SELECT status, extract(epoch FROM next_at - now()) AS pause FROM webhook_deliveries`)
    ).rows;
    if (row?.['status'] !== 'pending') break;
    seconds += Number(row['pause']);
    // Without the time in which the webhook only fails.
    await hooks.sql(`UPDATE webhook_deliveries SET next_at = now()`);
  }
  expect(await hooks.deliveries(people.admin, id)).toMatchObject([{ status: 'FAILED', answerStatus: 503 }]);
  expect(seconds / 86_400).toBeGreaterThan(2.9);
  expect(seconds / 86_400).toBeLessThan(3.3);
});

test('a webhook whose receiver responds with 410 is turned off, and its owner is notified', async () => {
  const { id } = await hooks.create(people.member);
  receiver.statuses = [410];
  await hooks.paint('Sage');
  await hooks.deliverAll();
  await hooks.paint('Sea');
  await hooks.deliverAll();
  expect(receiver.received).toHaveLength(1);
  const reason = expect.stringContaining('410');
  expect(await hooks.list(people.member)).toMatchObject([{ id, enabled: false, switchedOffReason: reason }]);
  await hooks.mails.received(1);
  const subject = expect.stringContaining('CRM');
  const link = expect.stringContaining('https://premises.example/webhooks');
  const mail = { recipients: [hooks.tenant.users[2]?.email], subject, text: link };
  expect(hooks.mails.messages).toMatchObject([mail]);
  const input = { enabled: true };
  expect(await hooks.mutate(people.member, 'updateWebhook', { id, input }, 'enabled switchedOffReason')).toEqual({
    enabled: true,
    switchedOffReason: null,
  });
  await hooks.paint('Later');
  await hooks.deliverAll();
  expect(receiver.received).toHaveLength(2);
});

test.each([
  [true, 1],
  [false, 0],
])('a webhook that has only failed for three days is turned off: live %s, %i emails', async (live, mails) => {
  const { id } = await hooks.create(people.admin, { live });
  const count = 40;
  receiver.statuses = Array<number>(count).fill(500);
  await hooks.mutate(people.admin, 'sendTestWebhook', { webhookId: id }, 'id');
  for (let hour = 0; hour < 71; hour += 10) {
    await hooks.deliverAll();
    expect(await hooks.list(people.admin)).toMatchObject([{ enabled: true }]);
    await hooks.pass(36_000);
  }
  await hooks.mutate(people.admin, 'sendTestWebhook', { webhookId: id }, 'id');
  await hooks.deliverAll();
  expect(await hooks.list(people.admin)).toMatchObject([{ enabled: false, switchedOffReason: expect.any(String) }]);
  // Earlier emails are sent before this one.
  const other = await hooks.create(people.otherAdmin);
  await hooks.mutate(people.otherAdmin, 'sendTestWebhook', { webhookId: other.id }, 'id');
  receiver.statuses = [410];
  await hooks.deliverAll();
  await hooks.mails.received(mails + 1);
  expect(hooks.mails.messages).toHaveLength(mails + 1);
});

test('instances share the work, and the work of one that died is taken over within a minute', async () => {
  await hooks.create(people.admin);
  const other = hooks.startWorker();
  for (let n = 0; n < 12; n++) await hooks.paint(`Paint ${n}`);
  await Promise.all([hooks.deliverAll(), hooks.deliverAll(other)]);
  await hooks.deliverAll();
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
  expect(receiver.received).toHaveLength(12);

  // As if an instance had died while it sent a message.
  receiver.received.length = 0;
  await hooks.sql(`
    UPDATE webhook_deliveries SET status = 'pending', next_at = now(), leased_until = now() + interval '45 seconds'
    WHERE seq = (SELECT max(seq) FROM webhook_deliveries)`);
  await other.deliverPending();
  expect(receiver.received).toEqual([]);
  await hooks.pass(59);
  await other.deliverPending();
  expect(receiver.received).toHaveLength(1);
  await other.close();
});
