import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { createMailer } from '../../src/mail/index.ts';
import type { Row } from './client.ts';

/** Opens a mailer. @returns it with a function that waits for what it logs */
export async function openMailer(url: string) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const mailer = await createMailer(readConfig({ SMTP_URL: url }), log);
  const logged = async () => {
    const deadline = Date.now() + 10_000;
    while (lines.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    return lines.map((line) => JSON.parse(line) as Row);
  };
  return { mailer, logged };
}

/** What is sent to test a mailer: nothing of it may be logged. */
export const privateMail = {
  sender: { companyId: '01234567-89ab-7cde-8f01-23456789abcd', name: 'Acme', companyName: 'Acme', replyTo: null },
  message: { to: 'dora@secret.example', subject: 'Private subject', paragraphs: ['Private text'] },
};
