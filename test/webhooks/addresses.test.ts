// Where webhooks are sent, and how much of an answer is read.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { runScript } from '../support/children.ts';
import type { Row } from '../support/client.ts';
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

test('redirects are not followed', async () => {
  const { id } = await hooks.create(people.admin);
  const { answer } = receiver;
  receiver.answer = (response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end();
  await hooks.paint('Sage');
  await hooks.deliverAll();
  receiver.answer = answer;
  expect(receiver.received.map(({ path }) => path)).toEqual(['/']);
  expect(await hooks.deliveries(people.admin, id)).toMatchObject([{ status: 'PENDING', answerStatus: 302 }]);
});

test.each([
  ['http://127.0.0.1', [], 'https'],
  ['https://127.0.0.1', [], 'not public'],
  ['https://localhost', [], 'not public'],
  ['https://[::1]', ['127.0.0.1'], 'not public'],
  ['https://[::ffff:127.0.0.1]', [], 'not public'],
  ['https://169.254.169.254/latest/meta-data', [], 'not public'],
  ['https://10.1.2.3', ['127.0.0.1'], 'not public'],
  ['https://2130706433', [], 'not public'],
  ['https://0.0.0.0', [], 'not public'],
])('%s, with %j allowed, is refused', async (url, allowed, text) => {
  const { id } = await hooks.create(people.admin, { url });
  await hooks.mutate(people.admin, 'sendTestWebhook', { webhookId: id }, 'id');
  const strict = hooks.startWorker(allowed);
  await strict.deliverPending();
  const refused = { status: 'PENDING', answerStatus: null, error: expect.stringContaining(text) };
  expect(await hooks.deliveries(people.admin, id)).toMatchObject([refused]);
  await strict.close();
});

test('a name that changes its address between look-up and connection reaches no private one', async () => {
  const { lookups, connections, results } = JSON.parse(await runScript('rebinding.ts')) as Row;
  expect(connections).toBe(0);
  // Each attempt looks the name up once, and connects to that address only if it is public. Nothing answers there.
  const refused = 'The address is not public.';
  expect(results).toEqual([expect.stringMatching(/^No answer|^The connection failed/), ...Array(5).fill(refused)]);
  expect(lookups).toBe(6);
});

test('a receiver that switches to another protocol has failed, and does not keep the service sending', async () => {
  const { id } = await hooks.create(people.admin);
  const { answer } = receiver;
  receiver.answer = ({ socket }) =>
    socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  await hooks.paint('Sage');
  await hooks.deliverAll();
  receiver.answer = answer;
  expect(await hooks.deliveries(people.admin, id)).toMatchObject([{ status: 'PENDING', answerStatus: 101 }]);
});

test('a response is read to 64 KB, and no further', async () => {
  const { id } = await hooks.create(people.admin);
  const { answer } = receiver;
  let sent = 0;
  const ended = new Promise<void>((resolve) => {
    receiver.answer = (response) => {
      response.writeHead(200);
      const part = Buffer.alloc(16_384, 'x');
      const write = () => {
        while (!response.destroyed && response.write(part)) sent += part.length;
      };
      response.on('drain', write).on('close', resolve);
      write();
    };
  });
  await hooks.paint('Sage');
  await hooks.deliverAll();
  await ended;
  receiver.answer = answer;
  const [delivery] = await hooks.deliveries(people.admin, id);
  expect(delivery).toMatchObject({ status: 'SUCCEEDED', answerStatus: 200 });
  expect(String(delivery?.['answer'])).toHaveLength(64 * 1024);
  // What the system has buffered besides.
  expect(sent).toBeLessThan(20_000_000);
});
