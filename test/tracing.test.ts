// Traces: from a request to its statements, webhooks, email and jobs, as a collector gets them.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { createLimiter } from '../src/auth/limits.ts';
import { GuestMail } from '../src/background/guest-mail.ts';
import { readConfig } from '../src/config.ts';
import { createMailer } from '../src/mail/index.ts';
import { summarize } from '../src/tracing/statement.ts';
import { parseTraceparent } from '../src/tracing/traceparent.ts';
import type { Client } from './support/client.ts';
import { Collector } from './support/collector.ts';
import { NotificationSetup } from './support/notifications.ts';
import { type Service, startService } from './support/service.ts';
import { startMailServer } from './support/smtp.ts';
import { WebhookService } from './support/webhooks.ts';

/** A trace that a client has begun, and the header that says so. */
function newTrace(flags = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } };
}

/** What closes what a test has started, the last first. */
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let collector: Collector;
let env: Record<string, string>;
beforeAll(async () => {
  collector = await Collector.start();
  env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
});
afterAll(() => collector.close());

describe('of webhooks and jobs', () => {
  let hooks: WebhookService;
  beforeAll(async () => {
    hooks = await WebhookService.start(env);
  });
  afterAll(() => hooks.close());

  test('a request, its statements, the webhook, its job and the email of that are one trace', async () => {
    const { receiver, mails } = hooks;
    await hooks.create(hooks.people.admin, { url: `${receiver.url}/secret-path?secret=1` });
    const { traceId, spanId, headers } = newTrace();
    // The receiver wants nothing more, so the webhook is turned off, of which a job emails its owner.
    receiver.statuses = [410];
    const { row } = await hooks.client.post('/paints', { name: 'Secret sage' }, headers);
    await hooks.deliverAll();
    await mails.received(1);
    await hooks.worker.deliverPending();

    const answer = await collector.waitFor(traceId, 'POST /api/v1/paints');
    expect(answer).toMatchObject({ kind: 'server', parentSpanId: spanId, hasFailed: false });
    expect(answer.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/v1/paints',
      'http.response.status_code': 201,
      'url.path': '/api/v1/paints',
      'premises.company_id': hooks.tenant.company.id,
    });
    expect(answer.resource).toMatchObject({ 'service.name': 'premises', 'service.version': expect.any(String) });
    const insert = await collector.waitFor(traceId, 'INSERT paints');
    expect(insert).toMatchObject({ kind: 'client', parentSpanId: answer.spanId });
    expect(insert.attributes).toMatchObject({
      'db.system.name': 'postgresql',
      'db.operation.name': 'INSERT',
      'db.query.text': expect.stringMatching(/INSERT INTO "paints".*\$1/s),
    });

    const sending = await collector.waitFor(traceId, 'send webhook');
    expect(sending).toMatchObject({ kind: 'consumer', parentSpanId: answer.spanId });
    expect(sending.attributes).toMatchObject({ 'premises.event': 'paints.create', 'premises.attempt': 1 });
    const post = await collector.waitFor(traceId, 'POST');
    expect(post).toMatchObject({ kind: 'client', parentSpanId: sending.spanId, hasFailed: true });
    expect(post.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': 410 });
    // The receiver goes on with the span of the attempt.
    const [received] = receiver.received;
    expect(received?.message['data']).toMatchObject({ row_id: row['id'] });
    expect(received?.headers['traceparent']).toBe(`00-${traceId}-${post.spanId}-01`);

    const job = await collector.waitFor(traceId, 'job webhook-turned-off');
    expect(job).toMatchObject({ kind: 'consumer', parentSpanId: sending.spanId, hasFailed: false });
    const email = await collector.waitFor(traceId, 'send email');
    expect(email).toMatchObject({ kind: 'client', parentSpanId: job.spanId });
    const told = JSON.stringify(collector.trace(traceId));
    expect(told).not.toMatch(/[Ss]ecret|@/);
    expect(told).not.toContain(hooks.client.token);
  });

  test('a trace that is not sampled is not sent, but goes on to the receiver', async () => {
    await hooks.reset();
    await hooks.create(hooks.people.admin);
    const { traceId, headers } = newTrace('00');
    await hooks.client.post('/paints', { name: 'Moss' }, headers);
    await hooks.deliverAll();
    expect(hooks.receiver.received[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`));
    const after = newTrace();
    await hooks.client.get('/paints', {}, after.headers);
    await collector.waitFor(after.traceId, 'GET /api/v1/paints');
    expect(collector.trace(traceId)).toEqual([]);
  });

  test('what has failed says so, without what was sent', async () => {
    const { traceId, headers } = newTrace();
    const send = (query: string) => hooks.client.at('').post('/graphql', { query }, headers);
    await send('query Broken { paints(search: "hush") { nodes { nothing } } }');
    await send('query PaintNames { paints(search: "hush") { nodes { name } } }');
    await send('mutation { deletePaint(id: "00000000-0000-4000-8000-000000000000") { id } }');
    const named = await collector.waitFor(traceId, 'query PaintNames');
    expect(named.attributes).toMatchObject({ 'http.route': '/graphql', 'http.response.status_code': 200 });
    await collector.waitFor(traceId, 'mutation');
    await collector.waitFor(traceId, 'POST /graphql');
    const select = collector
      .trace(traceId)
      .find(({ name, parentSpanId }) => name === 'SELECT paints' && parentSpanId === named.spanId);
    expect(select?.kind).toBe('client');
    expect(JSON.stringify(collector.trace(traceId))).not.toContain('hush');
  });
});

test('the email of a notification belongs to the trace of its first change, and is linked to the others', async () => {
  const setup = await NotificationSetup.start(env);
  closing.push(() => setup.stop());
  const id = await setup.createRequest();
  await setup.deliver();
  const [first, second] = [newTrace(), newTrace()];
  await setup.ben.patch(`/service-requests/${id}`, { status: 'in-progress' }, first.headers);
  await setup.ben.patch(`/service-requests/${id}`, { status: 'completed' }, second.headers);
  setup.mails.messages.length = 0;
  await setup.deliver();
  expect(setup.mailTo('cleo')).toHaveLength(1);
  const sending = await collector.waitFor(first.traceId, 'send notifications');
  expect(sending).toMatchObject({ kind: 'consumer', links: [second.traceId] });
  // Somebody else gets an email of their own. One has been reported before what it is part of.
  const emails = collector.trace(first.traceId).filter(({ name }) => name === 'send email');
  expect(emails.filter(({ parentSpanId }) => parentSpanId === sending.spanId)).toHaveLength(1);
});

test('the link of a guest is sent in the trace of the registration', async () => {
  const mails = await startMailServer();
  closing.push(() => mails.close());
  const mail = { SMTP_URL: mails.url, SMTP_FROM: 'premises@acme.example' };
  const service = await startService({ ...env, ...mail });
  closing.push(() => service.close());
  await service.tenant('acme');
  const log = pino({ level: 'silent' });
  const { database, tracer } = service;
  const mailer = await createMailer(readConfig(mail), log);
  const limiter = createLimiter(database);
  const worker = new GuestMail({ database, mailer, limiter, log, tracer });
  closing.push(
    () => limiter.close(),
    () => mailer.close(),
    () => worker.close(),
  );
  const { traceId, headers } = newTrace();
  const body = { company_slug: 'acme', guest_name: 'Mira', guest_email: 'mira@halden.test', description: 'Samples' };
  await service.anonymous.post('/public/expected-packages', body, headers);
  await worker.sendAll();
  const [{ headers: sent } = { headers: undefined }] = mails.messages;
  // What names the trace is for operators.
  expect(sent?.has('traceparent')).toBe(false);
  const answer = await collector.waitFor(traceId, 'POST /api/v1/public/expected-packages');
  const sending = await collector.waitFor(traceId, 'send guest link');
  expect(sending.parentSpanId).toBe(answer.spanId);
  expect((await collector.waitFor(traceId, 'send email')).parentSpanId).toBe(sending.spanId);
  expect(JSON.stringify(collector.trace(traceId))).not.toMatch(/[Mm]ira|Samples/);
});

describe('without a collector that answers', () => {
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    service = await startService({ ...env, OTEL_TRACES_SAMPLER: 'always_on' });
    client = await (await service.tenant()).client();
  });
  afterAll(() => service.close());

  test('requests are answered as before, and closing ends', async () => {
    collector.isFrozen = true;
    for (let n = 0; n < 300; n += 1) expect((await client.get('/paints')).status).toBe(200);
    const startedAt = performance.now();
    await service.tracer.close();
    expect(performance.now() - startedAt).toBeLessThan(2000);
    collector.isFrozen = false;
  });
});

test('a request without a trace begins one where its sampler wants it', async () => {
  const service = await startService({ ...env, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  const client = await (await service.tenant()).client();
  const { traceId, headers } = newTrace();
  await client.get('/paints', {}, headers);
  await service.close();
  expect(collector.trace(traceId)).toEqual([]);
});

test('the default protocol is protobuf, and a probe is not traced', async () => {
  const own = await Collector.start();
  closing.push(() => own.close());
  const service = await startService({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${own.url}/otlp/v1/traces` });
  await service.anonymous.at('').get('/healthz');
  await service.anonymous.get('/paints');
  await service.close();
  expect(own.requests.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
    ['/otlp/v1/traces', 'application/x-protobuf'],
  ]);
  const body = own.requests[0]?.body.toString('latin1');
  expect(body).toContain('GET /api/v1/paints');
  expect(body).not.toContain('healthz');
});

describe('a traceparent', () => {
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  test.each([
    [`00-${trace}-${span}-01`, true],
    [`00-${trace}-${span}-03`, true],
    [`00-${trace}-${span}-00`, false],
    [`cc-${trace}-${span}-01-what-comes-later`, true],
  ])('is read: %p', (text, isSampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId: trace, spanId: span, isSampled });
  });

  test.each([
    undefined,
    '',
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
  ])('is none: %p', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});

test.each([
  [`SELECT "name" FROM "paints" WHERE name = 'Sage''s' AND id = $1`, 'SELECT paints'],
  [`BEGIN; SELECT set_config('premises.actor', E'{"a":"\\\\x"}', true)`, 'BEGIN'],
  [`WITH a AS (SELECT 1 FROM x FOR UPDATE) SELECT * FROM a`, 'SELECT x'],
  [`WITH a AS (SELECT 1 FROM x FOR NO KEY UPDATE SKIP LOCKED) UPDATE jobs SET a = 'Sage'`, 'UPDATE jobs'],
  [`-- it's 'so\nINSERT INTO "paints" AS p VALUES ('Sage') ON CONFLICT DO UPDATE SET a = 'Sage'`, 'INSERT paints'],
  [`DELETE FROM webhooks WHERE name = $q$Sage$q$ /* it's */ AND id = 'Sage'`, 'DELETE webhooks'],
])('of a statement, a trace has neither texts nor comments: %p', (sql, expected) => {
  const { summary, text } = summarize(sql);
  expect(summary).toBe(expected);
  expect(text).not.toMatch(/Sage|it's|\{/);
});
