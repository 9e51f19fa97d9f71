import type { FastifyBaseLogger } from 'fastify';
import type { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { type Mailer, type MailResult, pauseAfter } from '../mail/index.ts';
import type { Tracer } from '../tracing/index.ts';
import type { Cause } from './queued.ts';
import { type DueCompany, findDueCompanies, WorkQueue, type WorkSource } from './work-queue.ts';

/** For how many companies messages are taken at once, and how many are sent at once, of all and of one company. */
const atOnce = { lanes: 4, slots: 8, perCompany: 2 };

/** How long (s) an instance has to send a message before another one may. */
export const leaseSeconds = 120;

/** What emails depend on. */
export interface MailDependencies {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Traces what is sent; by default nothing is. */
  readonly tracer?: Tracer;
}

/** Messages that wait in a table: sent at least once each, again for some hours after failures. */
export abstract class MailQueue<Mail, Dependencies extends MailDependencies = MailDependencies>
  implements WorkSource<Mail>
{
  /** The table of the messages, and the condition of those that are to be sent. */
  protected abstract readonly pending: Prisma.Sql;
  private readonly queue: WorkQueue<Mail>;

  /** @param failure what the log says when messages were not sent */
  constructor(
    protected readonly dependencies: Dependencies,
    failure: string,
  ) {
    const { log, tracer } = dependencies;
    this.queue = new WorkQueue(this, { name: 'mail', failure, log, tracer, ...atOnce });
  }

  abstract take(companyId: string, limit: number): PromiseLike<readonly Mail[]>;

  abstract run(mail: Mail): Promise<void>;

  abstract causeOf(mail: Mail): Promise<Cause>;

  findDue(): Promise<DueCompany[]> {
    return findDueCompanies(this.dependencies.database, this.pending);
  }

  /** Starts it. */
  start(): void {
    if (this.dependencies.mailer.isEnabled) this.queue.start();
  }

  /** Stops it after the messages in flight were sent. */
  async close(): Promise<void> {
    await this.queue.stop();
  }

  /** Sends everything that is due, and waits for it. */
  async sendAll(): Promise<void> {
    if (this.dependencies.mailer.isEnabled) await this.queue.runAll();
  }
}

/**
 * What becomes of a message after an attempt to send it.
 *
 * @param attempts how many there were
 * @returns its status, and the pause (s) before the next attempt, if there is one
 */
export function outcomeOf(
  result: MailResult,
  attempts: number,
): { readonly status: 'sent' | 'failed' | 'pending'; readonly pause?: number } {
  const pause = pauseAfter(attempts);
  if (result === 'failed' && pause !== undefined) return { status: 'pending', pause };
  return { status: result === 'sent' ? 'sent' : 'failed' };
}
