import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { currentOperation } from '../database/index.ts';
import { failureCounts } from '../failure-counts.ts';
import { Turns } from '../limits/turns.ts';
import { headersOf, type Message, renderMessage } from './message.ts';
import { pauseAfter } from './retries.ts';
import type { Sender } from './sender.ts';

/** How an attempt to send a message ended: it may be tried again after `failed`, and not after `refused`. */
export type MailResult = 'sent' | 'failed' | 'refused';

/** Sends email through the operator's SMTP server. */
export interface Mailer {
  /** Whether there is an SMTP server. Without one, nothing is sent. */
  readonly isEnabled: boolean;
  /** How many messages that `send` got have neither been sent nor given up. */
  readonly waiting: number;
  /**
   * Sends a message in the background, without making anybody wait. Call it after the transaction that the message is
   * about was committed. A message that cannot be sent is tried again for some hours, while the process runs.
   */
  send(sender: Sender, message: Message): void;
  /**
   * Sends a message, once. A failure is logged, without addresses and texts.
   * @returns how it ended; `failed` without an SMTP server
   */
  sendOnce(sender: Sender, message: Message): Promise<MailResult>;
  /** Waits for the messages that are being sent, for a few seconds, and disconnects. */
  close(): Promise<void>;
}

/** Sends nothing. */
export const noMailer: Mailer = {
  isEnabled: false,
  waiting: 0,
  send: () => {},
  sendOnce: async () => 'failed',
  close: async () => {},
};

/**
 * The most messages that wait to be sent, of a company and of all; further ones are dropped, so that a server that
 * hangs fills no memory.
 */
const maxWaitingOfCompany = 500;
const maxWaiting = 5000;

/** The most connections, and so the most messages that are sent at once. */
const maxConnections = 2;

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
  const [{ createTransport }, { setTimeout: wait }] = await Promise.all([
    import('nodemailer'),
    import('node:timers/promises'),
  ]);
  const options = { url: smtp.url, pool: true as const, maxConnections, maxRequeues: 0, ...timeouts };
  const transport = createTransport({ ...options, disableFileAccess: true, disableUrlAccess: true });
  const server = { 'server.address': new URL(smtp.url).hostname };
  const sending = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const slots = new Turns(maxConnections);
  const waiting = new Map<string, number>();
  let allWaiting = 0;

  function countWaiting(companyId: string, change: 1 | -1): void {
    const count = (waiting.get(companyId) ?? 0) + change;
    if (count > 0) waiting.set(companyId, count);
    else waiting.delete(companyId);
    allWaiting += change;
  }

  async function sendOnce({ companyId, name, replyTo }: Sender, message: Message): Promise<MailResult> {
    const mail = {
      from: { name, address: smtp?.from ?? '' },
      // As an object, so that the address is not parsed as a list.
      to: { name: '', address: message.to },
      ...(replyTo && { replyTo: { name: '', address: replyTo } }),
      subject: message.subject,
      ...renderMessage(message, publicUrl),
      headers: headersOf(message, publicUrl),
      ...(message.attachments && { attachments: [...message.attachments] }),
      ...(message.id !== undefined && { messageId: `<${message.id}@${new URL(publicUrl).hostname}>` }),
    };
    const span = currentOperation()?.span?.start('send email', { kind: 'client', attributes: server });
    const sent: Promise<MailResult> = slots
      .run(companyId, () => transport.sendMail(mail))
      .then(
        () => 'sent' as const,
        (error: unknown) => {
          failureCounts.mail += 1;
          log.warn(describeFailure(error), 'email not sent');
          return isRefusal(error) ? 'refused' : 'failed';
        },
      )
      .then((result) => {
        sending.delete(sent);
        span?.end(result === 'sent' ? undefined : result);
        return result;
      });
    sending.add(sent);
    return sent;
  }

  async function sendWithRetries(sender: Sender, message: Message): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      const result = await sendOnce(sender, message);
      const pause = pauseAfter(attempts);
      if (result !== 'failed' || pause === undefined || closing.signal.aborted) return;
      await wait(pause * 1000, undefined, { ref: false, signal: closing.signal });
    }
  }

  return {
    isEnabled: true,
    get waiting() {
      return allWaiting;
    },
    sendOnce,
    send(sender, message) {
      const { companyId: company } = sender;
      if (allWaiting >= maxWaiting || (waiting.get(company) ?? 0) >= maxWaitingOfCompany) {
        failureCounts.mail += 1;
        log.warn({ company, waiting: allWaiting }, 'email dropped, as too many are waiting');
        return;
      }
      countWaiting(company, 1);
      sendWithRetries(sender, message)
        .catch(() => {}) // The mailer was closed between two attempts.
        .finally(() => countWaiting(company, -1));
    },
    async close() {
      const timer = new AbortController();
      const timeout = wait(closeTimeoutMs, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([Promise.all(sending), timeout]);
      closing.abort();
      timer.abort();
      transport.close();
    },
  };
}

/**
 * Whether the server will never accept a message, such as one to an address that it does not know. It may refuse the
 * sender, or a sign-in, until the operator has changed something.
 */
function isRefusal(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** The part of a failure that is logged: the server's message could contain an address. */
function describeFailure(error: unknown): object {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return { code, command, responseCode };
}
