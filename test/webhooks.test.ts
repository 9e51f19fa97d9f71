// Webhooks, with a receiver on loopback: what is sent, to whom, and when.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Webhooks } from '../src/background/webhooks.ts';
import { noMailer } from '../src/mail/index.ts';
import { api } from '../src/schema/index.ts';
import { type Browser, signInAll } from './support/browser.ts';
import type { Client, GraphqlReply, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let admin: Browser;
let member: Browser;
let otherAdmin: Browser;
let receiver: Server;
let url: string;
let worker: Webhooks;

/** What the receiver got, and what it answers: a status for each message, 200 by default. */
const received: { headers: IncomingHttpHeaders; body: string; message: Row; at: string }[] = [];
let answers: number[] = [];
const mailed: { to: string; subject: string }[] = [];

const startWorker = (allowedHosts = ['127.0.0.1']) =>
  new Webhooks({
    database: service.database,
    ...{ resources: api.resources, schema: api.schema, allowedHosts },
    mailer: { ...noMailer, isEnabled: true, send: (_sender, message) => void mailed.push(message) },
    log: { warn: () => {} },
  });

beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  ({ admin, member } = await signInAll(service, tenant));
  ({ admin: otherAdmin } = await signInAll(service, await service.tenant()));
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push({ headers: request.headers, body, message: JSON.parse(body) as Row, at: request.url ?? '' });
      const status = answers.shift() ?? 200;
      response.writeHead(status, { location: `${url}/elsewhere` }).end('x'.repeat(100_000));
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  worker = startWorker();
});
afterAll(async () => {
  await worker.close();
  receiver.close();
  await service.close();
});
afterEach(async () => {
  await service.database.prisma.webhook.deleteMany();
  received.length = 0;
  answers = [];
  mailed.length = 0;
});

const fields = 'id name url ownerId resources actions selection enabled switchedOffReason failingSince';

const tryCreate = (
  browser: Client,
  input: Row = {},
): Promise<GraphqlReply<{ createWebhook: { secret: string; webhook: Row } | null }>> =>
  browser.graphql(
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ${fields} } } }`,
    { input: { name: 'CRM', url, resources: ['PAINTS'], ...input } },
  );

async function create(browser: Client, input: Row = {}): Promise<{ id: string; secret: string }> {
  // Changes that cannot be read yet are new to a webhook.
  await waitForOlderTransactions(service.database);
  const { data, errors } = await tryCreate(browser, input);
  expect(errors).toEqual([]);
  return { id: String(data.createWebhook?.webhook['id']), secret: String(data.createWebhook?.secret) };
}

async function mutate(browser: Client, field: string, args: Row, selection: string): Promise<Row> {
  const types: Record<string, string> = { input: 'UpdateWebhookInput!', from: 'DateTime!', until: 'DateTime!' };
  const declared = Object.keys(args).map((name) => `$${name}: ${types[name] ?? 'ID!'}`);
  const passed = Object.keys(args).map((name) => `${name}: $${name}`);
  const query = `mutation (${declared.join(', ')}) { ${field}(${passed.join(', ')}) { ${selection} } }`;
  const { data, errors } = await browser.graphql(query, args);
  expect(errors).toEqual([]);
  return data[field] as Row;
}

async function deliveries(browser: Client, webhookId: string): Promise<Row[]> {
  const { data } = await browser.graphql<{ webhookDeliveries: Row[] }>(
    `query ($id: ID!) { webhookDeliveries(webhookId: $id) { id event status attempts answerStatus answer error request nextAt } }`,
    { id: webhookId },
  );
  return data.webhookDeliveries.toReversed();
}

const sql = (text: string, ...values: unknown[]) => service.database.query({ text, values });

/** Sends all that is pending. */
async function deliverAll(by = worker): Promise<void> {
  await waitForOlderTransactions(service.database);
  await by.deliverPending();
}

const paint = async (name: string) => String((await client.post('/paints', { name })).row['id']);
const told = () => received.map(({ message }) => [message['type'], (message['data'] as Row)['row_id']]);
const verify = (secret: string, { body, headers }: (typeof received)[number]) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('a webhook', () => {
  test('is told of changes, signed as Standard Webhooks say', async () => {
    const { secret } = await create(admin);
    const { row } = await client.post('/paints', { name: 'Sage' });
    const path = `/paints/${String(row['id'])}`;
    await client.patch(path, { name: 'Sea' });
    await client.delete(path);
    await client.post('/vendors', { company_name: 'Ace' });
    await deliverAll();
    expect(told()).toEqual([
      ['paints.create', row['id']],
      ['paints.update', row['id']],
      ['paints.delete', row['id']],
    ]);
    const [created, updated] = received.map(({ message }) => message['data'] as Row);
    const actor = { kind: 'token', user_id: tenant.users[0]?.id };
    expect(created).toMatchObject({
      resource: 'paints',
      action: 'create',
      fields: [],
      before: null,
      after: row,
      actor,
    });
    expect(updated).toMatchObject({ fields: ['name'], before: { name: 'Sage' }, after: { name: 'Sea' } });
    for (const one of received) expect(verify(secret, one)).toEqual(one.message);
    expect(() => verify(`whsec_${Buffer.alloc(24).toString('base64')}`, received[0] as never)).toThrow();
  });

  test('signs with both secrets while they change', async () => {
    const { id, secret } = await create(admin);
    const { secret: next } = (await mutate(admin, 'rotateWebhookSecret', { id }, 'secret')) as { secret: string };
    await mutate(admin, 'sendTestWebhook', { webhookId: id }, 'id');
    await deliverAll();
    const [first] = received;
    for (const each of [secret, next]) expect(verify(each, first as never)).toMatchObject({ type: 'test' });
    await sql(`UPDATE webhooks SET previous_secret_until = now()`);
    await mutate(admin, 'sendTestWebhook', { webhookId: id }, 'id');
    await deliverAll();
    expect(() => verify(secret, received[1] as never)).toThrow();
    expect(verify(next, received[1] as never)).toMatchObject({ type: 'test' });
  });

  test('gets the actions and fields that it asks for', async () => {
    const selection = '{ title category assignee { fullName } }';
    await create(admin, { resources: ['SERVICE_REQUESTS'], actions: ['UPDATE'], selection });
    const body = { title: 'Lamp', description: 'Flickers', assigned_to: tenant.users[1]?.id };
    const { row } = await client.post('/service-requests', body);
    await client.patch(`/service-requests/${String(row['id'])}`, { title: 'Lamps' });
    await deliverAll();
    expect(received).toHaveLength(1);
    const sent = { title: 'Lamps', category: null, assignee: { fullName: tenant.users[1]?.fullName } };
    expect(received[0]?.message['data']).toMatchObject({ action: 'update', row: sent });
    expect(received[0]?.message['data']).not.toHaveProperty('after');
  });

  test.each([
    ['{ title comments { nodes { id } } }', 'lists'],
    ['{ nonsense }', 'nonsense'],
    ['{ id } } other: me { id }', 'selection'],
    ['{ ...on ServiceRequest { id } }', 'fragments'],
    ['id', 'braces'],
  ])('does not get %s', async (selection, text) => {
    const { errors } = await tryCreate(admin, { resources: ['SERVICE_REQUESTS'], selection });
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { selection: expect.stringContaining(text) } } },
    ]);
  });

  test('is told what its owner may read when it is sent', async () => {
    await create(member, { resources: ['NOTES'] });
    await client.post('/notes', { title: 'Private' });
    const { row } = await client.post('/notes', { title: 'Shared', is_shared: true });
    const { row: late } = await client.post('/notes', { title: 'Not sent', is_shared: true });
    await deliverAll();
    // Messages of several rows are sent at once.
    expect(told().toSorted()).toEqual([
      ['notes.create', row['id']],
      ['notes.create', late['id']],
    ]);
    expect(JSON.stringify(received)).not.toContain('Private');
    await client.patch(`/notes/${String(row['id'])}`, { title: 'Shared again' });
    await sql(`UPDATE users SET deactivated_at = now() WHERE company_id = $1 AND role = 'member'`, tenant.company.id);
    await deliverAll();
    expect(received).toHaveLength(2);
    await sql(`UPDATE users SET deactivated_at = NULL WHERE company_id = $1`, tenant.company.id);
    await deliverAll();
    expect(received).toHaveLength(3);
  });

  test('is not told of other companies', async () => {
    await create(otherAdmin);
    await paint('Sage');
    await deliverAll();
    expect(received).toEqual([]);
  });
});

describe('sending', () => {
  test('is tried again after growing pauses, in order for each row', async () => {
    const { id } = await create(admin);
    const [one, other] = [await paint('One'), await paint('Other')];
    await deliverAll();
    received.length = 0;
    answers = [500];
    await client.patch(`/paints/${one}`, { name: 'One!' });
    await deliverAll();
    await client.patch(`/paints/${one}`, { name: 'One!!' });
    await client.patch(`/paints/${other}`, { name: 'Other!' });
    await deliverAll();
    expect(told()).toEqual([
      ['paints.update', one],
      ['paints.update', other],
    ]);
    const [first, second] = (await deliveries(admin, id)).slice(2);
    expect(first).toMatchObject({ status: 'PENDING', attempts: 1, answerStatus: 500 });
    expect(String(first?.['answer'])).toHaveLength(64 * 1024);
    expect(second).toMatchObject({ status: 'PENDING', attempts: 0 });
    const pause = new Date(String(first?.['nextAt'])).getTime() - Date.now();
    expect(pause).toBeGreaterThan(1000);
    expect(pause).toBeLessThan(11_000);

    await sql(`UPDATE webhook_deliveries SET next_at = now() WHERE status = 'pending'`);
    await deliverAll();
    expect(received.map(({ message }) => ((message['data'] as Row)['after'] as Row)['name'])).toEqual([
      'One!',
      'Other!',
      'One!',
      'One!!',
    ]);
    // The receiver knows a message that it has got before.
    expect(received[2]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
  });

  test('ends after three days of attempts', async () => {
    const { id } = await create(admin);
    await paint('Sage');
    answers = Array<number>(20).fill(503);
    let pauses = 0;
    for (let n = 0; n < 15; n++) {
      await deliverAll();
      const [row] = (await sql(`SELECT status, extract(epoch FROM next_at - now()) AS pause FROM webhook_deliveries`))
        .rows;
      if (row?.['status'] === 'pending') pauses += Number(row['pause']);
      await sql(`UPDATE webhook_deliveries SET next_at = now() WHERE status = 'pending'`);
    }
    expect(await deliveries(admin, id)).toMatchObject([{ status: 'FAILED', answerStatus: 503 }]);
    expect(pauses / 86_400).toBeGreaterThan(2.9);
    expect(pauses / 86_400).toBeLessThan(3.3);
  });

  test('does not follow redirects', async () => {
    const { id } = await create(admin);
    answers = [302];
    await paint('Sage');
    await deliverAll();
    expect(received.map(({ at }) => at)).toEqual(['/']);
    expect(await deliveries(admin, id)).toMatchObject([{ status: 'PENDING', answerStatus: 302 }]);
  });

  test.each([
    ['http://127.0.0.1', [], 'https'],
    ['https://127.0.0.1', [], 'not public'],
    ['https://localhost', [], 'not public'],
    ['https://[::1]', ['127.0.0.1'], 'not public'],
    ['https://169.254.169.254/latest/meta-data', [], 'not public'],
    ['https://10.1.2.3', ['127.0.0.1'], 'not public'],
    ['https://2130706433', [], 'not public'],
  ])('to %s, with %j allowed, is refused', async (address, allowed, text) => {
    const { id } = await create(admin, { url: address });
    await mutate(admin, 'sendTestWebhook', { webhookId: id }, 'id');
    const strict = startWorker(allowed);
    await strict.deliverPending();
    expect(await deliveries(admin, id)).toMatchObject([
      { status: 'PENDING', answerStatus: null, error: expect.stringContaining(text) },
    ]);
    await strict.close();
  });

  test('ends where the receiver answers 410, and its owner is told', async () => {
    const { id } = await create(member);
    answers = [410];
    await paint('Sage');
    await deliverAll();
    await paint('Sea');
    await deliverAll();
    expect(received).toHaveLength(1);
    const { data } = await member.graphql<{ webhooks: Row[] }>(`{ webhooks { ${fields} } }`);
    expect(data.webhooks).toMatchObject([{ id, enabled: false, switchedOffReason: expect.stringContaining('410') }]);
    expect(mailed).toMatchObject([{ to: tenant.users[2]?.email, subject: expect.stringContaining('CRM') }]);
    await mutate(member, 'updateWebhook', { id, input: { enabled: true } }, 'enabled switchedOffReason');
    await paint('Later');
    await deliverAll();
    expect(received).toHaveLength(2);
  });

  test('ends where a receiver has only failed for three days', async () => {
    const { id } = await create(admin);
    answers = [500, 500];
    await paint('Sage');
    await deliverAll();
    await sql(`UPDATE webhooks SET failing_since = now() - interval '73 hours'`);
    await sql(`UPDATE webhook_deliveries SET next_at = now()`);
    await deliverAll();
    const { data } = await admin.graphql<{ webhooks: Row[] }>(`{ webhooks { ${fields} } }`);
    expect(data.webhooks).toMatchObject([{ id, enabled: false }]);
    expect(mailed).toHaveLength(1);
  });

  test('is shared by instances, and the work of a dead one is taken over', async () => {
    await create(admin);
    const other = startWorker();
    for (let n = 0; n < 12; n++) await paint(`Paint ${n}`);
    await Promise.all([deliverAll(), deliverAll(other)]);
    await deliverAll();
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
    expect(received).toHaveLength(12);

    // As if an instance had died while it sent a message.
    await paint('Last');
    await worker.turn();
    await worker.deliverPending();
    received.length = 0;
    await sql(
      `UPDATE webhook_deliveries SET status = 'pending', next_at = now(), leased_until = now() + interval '45 seconds' WHERE seq = (SELECT max(seq) FROM webhook_deliveries)`,
    );
    await other.deliverPending();
    expect(received).toEqual([]);
    await sql(`UPDATE webhook_deliveries SET leased_until = now(), next_at = now() WHERE status = 'pending'`);
    await other.deliverPending();
    expect(received).toHaveLength(1);
    await other.close();
  });
});

describe('managing', () => {
  test('messages are sent again, one or those of a span', async () => {
    const { id } = await create(admin);
    await paint('One');
    await paint('Two');
    await deliverAll();
    const [first] = await deliveries(admin, id);
    await mutate(admin, 'replayWebhookDelivery', { webhookId: id, id: first?.['id'] }, 'status');
    await deliverAll();
    expect(received).toHaveLength(3);
    expect(received[2]?.headers['webhook-id']).toBe(first?.['id']);
    const span = {
      from: new Date(Date.now() - 60_000).toISOString(),
      until: new Date(Date.now() + 60_000).toISOString(),
    };
    expect(await mutate(admin, 'replayWebhookDeliveries', { webhookId: id, ...span }, 'count')).toEqual({ count: 2 });
    await deliverAll();
    expect(received).toHaveLength(5);
  });

  test('is for the owner and admins of the company, who are signed in', async () => {
    const { id } = await create(member);
    const hidden = await create(admin);
    const list = async (browser: Client) =>
      (await browser.graphql<{ webhooks: Row[] | null }>('{ webhooks { id } }')).data?.webhooks?.map(
        (row) => row['id'],
      );
    expect(await list(member)).toEqual([id]);
    expect((await list(admin))?.sort()).toEqual([id, hidden.id].sort());
    expect(await list(otherAdmin)).toEqual([]);
    for (const [browser, target] of [
      [otherAdmin, id],
      [member, hidden.id],
    ] as const) {
      const query = 'mutation ($id: ID!) { deleteWebhook(id: $id) { id } }';
      expect((await browser.graphql(query, { id: target })).errors).toMatchObject([
        { extensions: { code: 'NOT_FOUND' } },
      ]);
      const log = await browser.graphql('query ($id: ID!) { webhookDeliveries(webhookId: $id) { id } }', {
        id: target,
      });
      expect(log.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
    const asToken = await client.graphql('{ webhooks { id } }');
    expect(asToken.errors).toMatchObject([{ extensions: { code: 'INVALID_TOKEN' } }]);
    await mutate(admin, 'deleteWebhook', { id }, 'id');
    expect(await list(member)).toEqual([]);
  });

  test('says which webhook is for the sandbox', async () => {
    const { id } = await create(admin, { live: false });
    const { id: liveId } = await create(admin);
    const { data } = await admin.graphql<{ webhooks: Row[] }>('{ webhooks { id live } }');
    expect(new Map(data.webhooks.map((row) => [row['id'], row['live']]))).toEqual(
      new Map([
        [id, false],
        [liveId, true],
      ]),
    );
    expect(await mutate(admin, 'rotateWebhookSecret', { id }, 'webhook { live }')).toEqual({
      webhook: { live: false },
    });
  });

  test.each([
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://user:secret@example.com' }, 'url'],
    [{ name: ' ' }, 'name'],
    [{ resources: [], selection: '{ id }' }, 'selection'],
  ])('refuses %j', async (input, field) => {
    const { errors } = await tryCreate(admin, input);
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { [field]: expect.any(String) } } },
    ]);
  });
});
