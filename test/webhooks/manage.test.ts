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

test('an admin turns off and deletes the webhook of somebody else, and sees its failures without its bodies', async () => {
  const { admin, member } = people;
  const { id } = await hooks.create(member);
  receiver.statuses = [500];
  await hooks.paint('Failedword');
  await hooks.deliverAll();
  const [own] = await hooks.deliveries(member, id);
  expect(own).toMatchObject({ answerStatus: 500, request: expect.stringContaining('Failedword'), answer: 'Thanks' });
  const seen = await hooks.deliveries(admin, id);
  expect(seen).toMatchObject([{ event: 'paints.create', answerStatus: 500, request: null, answer: null }]);
  const [from, until] = [new Date(0), new Date()].map((at) => at.toISOString());
  for (const mutation of [
    `updateWebhook(id: "${id}", input: { url: "${receiver.url}/other" }) { id }`,
    `updateWebhook(id: "${id}", input: { enabled: false, selection: "{ id }" }) { id }`,
    `updateWebhook(id: "${id}", input: { enabled: true }) { id }`,
    `updateWebhook(id: "${id}", input: {}) { id }`,
    `rotateWebhookSecret(id: "${id}") { secret }`,
    `sendTestWebhook(webhookId: "${id}") { id }`,
    `replayWebhookDelivery(webhookId: "${id}", id: "${String(own?.['id'])}") { request }`,
    `replayWebhookDeliveries(webhookId: "${id}", from: "${from}", until: "${until}") { count }`,
  ]) {
    const { errors } = await admin.graphql(`mutation { ${mutation} }`);
    expect({ mutation, errors }).toMatchObject({ mutation, errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }] });
  }
  const off = { id, input: { enabled: false } };
  expect(await hooks.mutate(admin, 'updateWebhook', off, 'enabled')).toEqual({ enabled: false });
  await hooks.mutate(admin, 'deleteWebhook', { id }, 'id');
  expect(await hooks.list(member)).toEqual([]);
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
  await hooks.mutate(member, 'rotateWebhookSecret', { id }, 'secret');
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
    event('WEBHOOK_SECRET_ROTATED', ofMember, 'true'),
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

test('creating, redirecting and rotating need a sign-in within the last hour; other changes do not', async () => {
  const browser = people.member;
  const { id } = await hooks.create(browser);
  const setAge = (ms: number) =>
    hooks.service.database.prisma.session.updateMany({ data: { createdAt: new Date(Date.now() - ms) } });
  const change = (input: Row) =>
    browser.graphql(
      'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id } }',
      {
        ...{ id, input },
      },
    );
  const rotate = () => browser.graphql('mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }', { id });
  const refused = [{ extensions: { code: 'REAUTHENTICATION_REQUIRED' } }];
  await setAge(3_601_000);
  for (const { errors } of [
    await hooks.tryCreate(browser),
    await change({ url: `${receiver.url}/other` }),
    await rotate(),
  ])
    expect(errors).toMatchObject(refused);
  expect(await hooks.list(browser)).toMatchObject([{ id, url: receiver.url }]);
  expect((await change({ name: 'Renamed', url: receiver.url, enabled: false })).errors).toEqual([]);
  await setAge(0);
  for (const { errors } of [
    await hooks.tryCreate(browser),
    await change({ url: `${receiver.url}/other` }),
    await rotate(),
  ])
    expect(errors).toEqual([]);
});

test.each([
  ['http://crm.example.com/hook', 'must be https'],
  ['http://10.0.0.7/hook', 'must be https'],
  ['https://[::7f00:1]/hook', 'must have a public address'],
  ['https://[::127.0.0.1]/hook', 'must have a public address'],
  ['https://[0:0:0:0:0:0:a00:7]:8443/hook', 'must have a public address'],
  ['http://[::7f00:1]/hook', 'must be https'],
])('the URL %s is refused when it is saved', async (url, message) => {
  const { id } = await hooks.create(people.admin);
  const wrong = [{ extensions: { code: 'VALIDATION_ERROR', details: { url: message } } }];
  expect((await hooks.tryCreate(people.admin, { url })).errors).toMatchObject(wrong);
  const query = 'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id } }';
  expect((await people.admin.graphql(query, { id, input: { url } })).errors).toMatchObject(wrong);
});

test('a webhook of a host that is no longer allowed can be renamed and switched off', async () => {
  const { id } = await hooks.create(people.admin);
  await hooks.sql(`UPDATE webhooks SET url = 'http://crm.internal/hook'`);
  const input = { name: 'Former', enabled: false };
  expect(await hooks.mutate(people.admin, 'updateWebhook', { id, input }, 'name enabled')).toEqual(input);
});
