// Traces and the log of slow operations of the service as it is started: what it loads, logs and sends.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { Collector } from './support/collector.ts';
import { killAll, ServiceProcess } from './support/process.ts';

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const headers = { traceparent: `00-${traceId}-${spanId}-01` };

const folder = await mkdtemp(join(tmpdir(), 'tracing-'));
let token = '';
afterEach(() => killAll());
afterAll(() => rm(folder, { recursive: true }));

/** Starts the service, which lists the modules that it loads. */
async function start(env: Record<string, string>): Promise<ServiceProcess> {
  const list = pathToFileURL(join(import.meta.dirname, 'support', 'list-modules.mjs')).href;
  const command = [process.execPath, '--import', list, 'dist/server.js'] as const;
  const service = await ServiceProcess.start({ DATA_DIR: folder, ...env }, command);
  await service.ready({ greeting: token === '' });
  // The first start prints it.
  token ||= service.token;
  return service;
}

/** Whether a service has loaded a part of its bundle that contains a text. */
async function hasLoaded({ stderr }: ServiceProcess, text: string): Promise<boolean> {
  const files = [...stderr.matchAll(/^loaded (file:.*\/dist\/.*)$/gm)].map(([, url = '']) => fileURLToPath(url));
  expect(files.length).toBeGreaterThan(3);
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return sources.some((source) => source.includes(text));
}

/** The lines of the log with a message, once there are so many. */
async function logged(service: ServiceProcess, message: string, count: number) {
  const lines = () => service.log.filter(({ msg }) => msg === message);
  for (let n = 0; n < 200 && lines().length < count; n++) await sleep(50);
  return lines();
}

test('without a collector nothing of the SDK is loaded, and a client still finds its trace in the log', async () => {
  const service = await start({ SLOW_OPERATION_MS: '1' });
  const client = service.client(token);
  expect((await client.get('/paints', {}, headers)).status).toBe(200);
  await client.get('/paints');
  await client.graphql('query PaintNames { paints(search: "hush") { nodes { name } } }');
  const answers = await logged(service, 'answered', 3);
  expect(answers.map((line) => line['trace_id'])).toEqual([traceId, undefined, undefined]);

  const slow = await logged(service, 'slow operation', 3);
  const [first] = slow;
  expect(first).toMatchObject({ level: 40, operation: 'GET /api/v1/paints', trace_id: traceId });
  expect(slow.at(-1)).toMatchObject({
    operation: 'query PaintNames',
    document: expect.stringMatching(/^[\da-f]{16}$/),
    company: expect.any(String),
    reqId: expect.any(String),
  });
  for (const { ms, statements, statementMs } of slow) {
    expect(ms).toBeGreaterThanOrEqual(1);
    expect(statements).toBeGreaterThanOrEqual(1);
    expect(statementMs).toBeGreaterThan(0);
  }
  expect(JSON.stringify(slow)).not.toContain('hush');
  expect(await hasLoaded(service, 'BatchSpanProcessor')).toBe(false);
  expect(await service.stop()).toBe(0);
});

test('with a collector it gets what had ended when the service was stopped', async () => {
  const collector = await Collector.start();
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc',
    OTEL_SERVICE_NAME: 'facilities',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    // Nothing is sent before the end.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  });
  await service.client(token).get('/paints', {}, headers);
  await logged(service, 'answered', 1);
  expect(collector.spans).toEqual([]);
  expect(await service.stop()).toBe(0);
  const [span] = collector.trace(traceId).filter(({ name }) => name === 'GET /api/v1/paints');
  expect(span).toMatchObject({
    parentSpanId: spanId,
    resource: { 'service.name': 'facilities', 'deployment.environment.name': 'test' },
  });
  expect(collector.requests[0]?.headers['x-key']).toBe('abc');
  expect(await hasLoaded(service, 'BatchSpanProcessor')).toBe(true);
  await collector.close();
});

test('a collector that is down is logged, and delays neither the answers nor the end', async () => {
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
  const client = service.client(token);
  for (let n = 0; n < 20; n++) expect((await client.get('/paints')).status).toBe(200);
  expect(await logged(service, 'traces not sent', 1)).toMatchObject([{ level: 40, spans: expect.any(Number) }]);
  const startedAt = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});
