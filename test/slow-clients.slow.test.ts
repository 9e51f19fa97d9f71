// Connections that keep the service waiting.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { startService } from './support/service.ts';

test.each([
  [
    'bodies',
    'POST /auth/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"em',
  ],
  ['headers', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Sl'],
])('300 half-sent %s are gone after 30 s', async (_, sent) => {
  const service = await startService();
  const started = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(sent);
      return text(socket);
    }),
  );
  expect(Date.now() - started).toBeLessThan(31_000);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 [^]*"REQUEST_TIMEOUT"/);
  await service.close();
});
