// Messages that cannot be sent. Closing a mailer whose server hangs takes seconds.
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { readConfig } from '../src/config.ts';
import { createMailer } from '../src/mail/index.ts';
import type { Row } from './support/client.ts';
import { startMailServer } from './support/smtp.ts';

const secret = 'dora@secret.example';
const message = { to: secret, subject: 'Private subject', paragraphs: ['Private text'] };
const sender = { name: 'Acme', companyName: 'Acme', replyTo: null };

/** Opens a mailer. @returns it with a function that waits for what it logs */
const open = async (url: string) => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const mailer = await createMailer(readConfig({ SMTP_URL: url }), log);
  const logged = async () => {
    const deadline = Date.now() + 10_000;
    while (lines.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    return lines.map((line) => JSON.parse(line) as Row);
  };
  return { mailer, logged };
};

test('a message whose recipient the server refuses is logged without the address', async () => {
  const server = await startMailServer({
    onRcptTo: ({ address }, _, done) => done(new Error(`no such user: ${address}`)),
  });
  const { mailer, logged } = await open(server.url);
  mailer.send(sender, message);
  const lines = await logged();
  expect(lines).toMatchObject([{ level: 40, msg: 'email not sent', code: 'EENVELOPE', responseCode: 550 }]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|Private/);
  await mailer.close();
  await server.close();
});

test('a message is logged without the password that is wrong', async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_, __, done) => done(null, {}),
  });
  const { mailer, logged } = await open(server.url.replace('//', '//user:hunter2@'));
  mailer.send(sender, message);
  const lines = await logged();
  expect(lines).toMatchObject([{ msg: 'email not sent', code: 'EAUTH', responseCode: 535 }]);
  expect(JSON.stringify(lines)).not.toMatch(/hunter2|user|secret|Private/);
  await mailer.close();
  await server.close();
});

test('a message without a server is logged', async () => {
  const server = await startMailServer();
  await server.close();
  const { mailer, logged } = await open(server.url);
  mailer.send(sender, message);
  expect(await logged()).toMatchObject([{ msg: 'email not sent', code: expect.stringMatching(/ESOCKET|ECONN/) }]);
  await mailer.close();
});

test('a message for a server that hangs blocks nobody, and at most 500 others wait', async () => {
  const server = await startMailServer({ onConnect: () => {} });
  const { mailer, logged } = await open(server.url);
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
