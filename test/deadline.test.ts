// Requests that the service works on for longer than a connection may be without traffic.
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { setDeadlines } from '../src/http/deadline.ts';

const silenceMs = 300;

let app: FastifyInstance;
let origin: string;
const afterwards: (number | undefined)[] = [];
beforeAll(async () => {
  app = Fastify({ connectionTimeout: silenceMs });
  setDeadlines(app);
  const work = async () => {
    await sleep(4 * silenceMs);
    return { done: true };
  };
  app.addHook('onSend', async ({ raw: { socket } }) => void afterwards.push(socket.timeout));
  app.post('/long', { config: { deadlineMs: 20 * silenceMs } }, work);
  app.post('/usual', work);
  await app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

test('are answered where their deadline is later; then the connection has the usual limit again', async () => {
  const reply = await fetch(`${origin}/long`, { method: 'POST' });
  expect([reply.status, await reply.json()]).toEqual([200, { done: true }]);
  expect(afterwards).toEqual([silenceMs]);
});

test('end elsewhere', async () => {
  await expect(fetch(`${origin}/usual`, { method: 'POST' })).rejects.toThrow('fetch failed');
});
