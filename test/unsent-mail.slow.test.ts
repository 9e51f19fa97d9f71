// A mail server that hangs: closing its mailer takes seconds.
import { expect, test } from '@jest/globals';
import { openMailer, privateMail } from './support/mailer.ts';
import { startMailServer } from './support/smtp.ts';

test('a message for a server that hangs blocks nobody, and at most 500 others wait', async () => {
  const server = await startMailServer({ onConnect: () => {} });
  const { mailer, logged } = await openMailer(server.url);
  const { sender, message } = privateMail;
  const began = performance.now();
  for (let n = 0; n < 510; n++) mailer.send(sender, message);
  expect(performance.now() - began).toBeLessThan(2000);
  const lines = await logged();
  expect(lines).toHaveLength(10);
  expect(JSON.stringify(lines)).toContain('email dropped');
  await mailer.close();
  expect(performance.now() - began).toBeLessThan(8000);
  await server.close();
});
