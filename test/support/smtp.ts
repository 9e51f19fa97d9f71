import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail server on this machine. */
export interface MailServer {
  /** Its `SMTP_URL`. */
  readonly url: string;
  /** The messages so far, with the addresses of their envelopes. */
  readonly messages: (ParsedMail & { readonly recipients: readonly string[] })[];
  /** Waits until there are so many messages. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a mail server that accepts everything. @param options what it does otherwise */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const messages: MailServer['messages'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onData(stream, { envelope: { rcptTo } }, done) {
      simpleParser(stream).then((mail) => {
        messages.push({ ...mail, recipients: rcptTo.map(({ address }) => address) });
        done();
      }, done);
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A client that was closed while it waited for an answer.
  server.on('error', () => {});
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages,
    async received(count) {
      const deadline = Date.now() + 10_000;
      while (messages.length < count) {
        if (Date.now() > deadline) throw new Error(`${messages.length} of ${count} messages after 10 s`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
