// Who manages webhooks, and what they can do.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { WebhookService } from '../support/webhooks.ts';

let hooks: WebhookService;
let people: WebhookService['people'];
let receiver: WebhookService['receiver'];

beforeAll(async () => {
  hooks = await WebhookService.start();
  ({ people, receiver } = hooks);
});
afterAll(() => hooks.close());
afterEach(() => hooks.reset());

test('messages can be sent again, one or those of a time range', async () => {
  const { admin } = people;
  const { id } = await hooks.create(admin);
  await hooks.paint('One');
  await hooks.paint('Two');
  await hooks.deliverAll();
  const [first] = await hooks.deliveries(admin, id);
  await hooks.mutate(admin, 'replayWebhookDelivery', { webhookId: id, id: first?.['id'] }, 'status');
  await hooks.deliverAll();
  expect(receiver.received).toHaveLength(3);
  expect(receiver.received[2]?.headers['webhook-id']).toBe(first?.['id']);
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const replay = (from: string, until: string) =>
    hooks.mutate(admin, 'replayWebhookDeliveries', { webhookId: id, from, until }, 'count');
  expect(await replay(at(-60_000), at(60_000))).toEqual({ count: 2 });
  await hooks.deliverAll();
  expect(receiver.received).toHaveLength(5);
  expect(await replay(at(-120_000), at(-60_000))).toEqual({ count: 0 });
});

test('webhooks are for the owner and admins of the company, who are signed in', async () => {
  const { admin, member, otherAdmin } = people;
  const { id } = await hooks.create(member);
  const hidden = await hooks.create(admin);
  const ids = async (browser: Client) => (await hooks.list(browser)).map((row) => row['id']);
  expect(await ids(member)).toEqual([id]);
  expect((await ids(admin)).toSorted()).toEqual([id, hidden.id].sort());
  expect(await ids(otherAdmin)).toEqual([]);
  for (const [browser, target] of [
    [otherAdmin, id],
    [member, hidden.id],
  ] as const)
    for (const query of [
      'mutation ($id: ID!) { deleteWebhook(id: $id) { id } }',
      'mutation ($id: ID!) { updateWebhook(id: $id, input: { name: "Mine" }) { id } }',
      'mutation ($id: ID!) { sendTestWebhook(webhookId: $id) { id } }',
      'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }',
      'query ($id: ID!) { webhookDeliveries(webhookId: $id) { id } }',
    ]) {
      const { errors } = await browser.graphql(query, { id: target });
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
  const asToken = await hooks.client.graphql('{ webhooks { id } }');
  expect(asToken.errors).toMatchObject([{ extensions: { code: 'INVALID_TOKEN' } }]);
  await hooks.mutate(admin, 'deleteWebhook', { id }, 'id');
  expect(await ids(member)).toEqual([]);
});

test('the security log has who created, changed and deleted a webhook, with the host of its URL alone', async () => {
  const { admin, member } = people;
  const { id } = await hooks.create(member, { name: 'Ours', url: `${receiver.url}/secret-path` });
  await hooks.mutate(admin, 'rotateWebhookSecret', { id }, 'secret');
  await hooks.mutate(admin, 'updateWebhook', { id, input: { enabled: false } }, 'id');
  await hooks.mutate(member, 'deleteWebhook', { id }, 'id');
  const { data } = await admin.graphql<{ securityEvents: Row[] }>(
    '{ securityEvents(first: 4) { action actor { email } person { email } details { name value } } }',
  );
  const [ofAdmin, ofMember] = ['Ada', 'Cleo'].map((name) => ({
    email: expect.stringMatching(new RegExp(`^${name}@`, 'i')),
  }));
  const event = (action: string, actor: unknown, enabled: string) => ({
    ...{ action, actor, person: ofMember },
    details: expect.arrayContaining([
      { name: 'webhook', value: 'Ours' },
      { name: 'host', value: new URL(receiver.url).host },
      { name: 'enabled', value: enabled },
    ]),
  });
  expect(data.securityEvents).toEqual([
    event('WEBHOOK_DELETED', ofMember, 'false'),
    event('WEBHOOK_CHANGED', ofAdmin, 'false'),
    event('WEBHOOK_SECRET_ROTATED', ofAdmin, 'true'),
    event('WEBHOOK_CREATED', ofMember, 'true'),
  ]);
  expect(JSON.stringify(data)).not.toContain('secret-path');
});

test('a webhook says whether it is for the sandbox', async () => {
  const { id } = await hooks.create(people.admin, { live: false });
  const { id: liveId } = await hooks.create(people.admin);
  const { data } = await people.admin.graphql<{ webhooks: Row[] }>('{ webhooks { id live } }');
  const expected = new Map([
    [id, false],
    [liveId, true],
  ]);
  expect(new Map(data.webhooks.map((row) => [row['id'], row['live']]))).toEqual(expected);
  expect(await hooks.mutate(people.admin, 'rotateWebhookSecret', { id }, 'webhook { live }')).toEqual({
    webhook: { live: false },
  });
});

test.each([
  [{ url: 'ftp://example.com' }, 'url'],
  [{ url: 'https://user:secret@example.com' }, 'url'],
  [{ name: ' ' }, 'name'],
  [{ resources: [], selection: '{ id }' }, 'selection'],
])('%j is refused', async (input, field) => {
  const { errors } = await hooks.tryCreate(people.admin, input);
  const details = { [field]: expect.any(String) };
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR', details } }]);
});

test('a user has at most 20 webhooks, also when several are created at once', async () => {
  const { member } = people;
  for (let n = 0; n < 18; n++) await hooks.create(member);
  const replies = await Promise.all(Array.from({ length: 6 }, () => hooks.tryCreate(member, {})));
  expect(replies.flatMap(({ errors }) => errors.map(({ extensions }) => extensions.code))).toEqual(
    Array(4).fill('CONFLICT'),
  );
  expect(await hooks.list(member)).toHaveLength(20);
});
