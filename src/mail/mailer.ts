import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { type Message, renderMessage } from './message.ts';
import type { Sender } from './sender.ts';

/** Sends email through the operator's SMTP server. */
export interface Mailer {
  /** Whether there is an SMTP server. Without one, `send` does nothing. */
  readonly isEnabled: boolean;
  /**
   * Sends a message in the background, without making anybody wait. Call it after what the message tells of was
   * committed. A message that cannot be sent is logged, without addresses and texts, and not tried again.
   */
  send(sender: Sender, message: Message): void;
  /** Waits for the messages that are being sent, for a few seconds, and disconnects. */
  close(): Promise<void>;
}

/** Sends nothing. */
export const noMailer: Mailer = { isEnabled: false, send: () => {}, close: async () => {} };

/** The most messages that wait to be sent; further ones are dropped, so that a server that hangs fills no memory. */
const maxWaiting = 500;

/** How long (ms) the server may take to accept a connection, to greet, and to answer. */
const timeouts = { dnsTimeout: 5000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** How long (ms) `close` waits. */
const closeTimeoutMs = 3000;

/** Creates the mailer for the configured SMTP server, or one that sends nothing. It connects with the first message. */
export async function createMailer(
  { smtp, publicUrl }: Pick<Config, 'smtp' | 'publicUrl'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Mailer> {
  if (!smtp) return noMailer;
  // Few installations send email.
  const { createTransport } = await import('nodemailer');
  const options = { url: smtp.url, pool: true as const, maxConnections: 2, maxRequeues: 0, ...timeouts };
  const transport = createTransport({ ...options, disableFileAccess: true, disableUrlAccess: true });
  const sending = new Set<Promise<unknown>>();
  return {
    isEnabled: true,
    send({ name, replyTo }, message) {
      if (sending.size >= maxWaiting) {
        log.warn({ waiting: sending.size }, 'email dropped, as too many are waiting');
        return;
      }
      const mail = {
        from: { name, address: smtp.from },
        // As an object, so that the address is not parsed as a list.
        to: { name: '', address: message.to },
        ...(replyTo && { replyTo: { name: '', address: replyTo } }),
        subject: message.subject,
        ...renderMessage(message, publicUrl),
        headers: { 'Auto-Submitted': 'auto-generated' },
      };
      const sent: Promise<unknown> = transport
        .sendMail(mail)
        .catch((error: unknown) => log.warn(describeFailure(error), 'email not sent'))
        .finally(() => sending.delete(sent));
      sending.add(sent);
    },
    async close() {
      const timer = new AbortController();
      const { setTimeout } = await import('node:timers/promises');
      const timeout = setTimeout(closeTimeoutMs, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([Promise.all(sending), timeout]);
      timer.abort();
      transport.close();
    },
  };
}

/** What the log has of a failure: the server's message could contain an address. */
function describeFailure(error: unknown): object {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return { code, command, responseCode };
}
