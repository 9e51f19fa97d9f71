import { wholeCompany } from '../../database/index.ts';
import { isAfter, type LogPosition } from '../../events/change-notifier.ts';
import type { LoggedChange, LogPage } from '../../events/log.ts';
import { readOutOfOrderChanges } from '../../events/out-of-order.ts';
import { decodePosition } from '../../events/position.ts';
import { failureCounts } from '../../failure-counts.ts';
import type { LoggedType } from '../../schema/changes/change-view.ts';
import type { TurnEnd } from '../company-turns.ts';
import { type LogPart, type LogReader, lockLog } from '../log-turns.ts';
import type { MessageDependencies } from './message.ts';
import { chooseChanges, createSubscriber, SharedViews, type Subscriber } from './subscribers.ts';
import { findSubscriptions, storeMessages } from './subscriptions.ts';
import { type SwitchOffDependencies, switchOff } from './switch-off.ts';

/** For how many webhooks a page of the log is read at once. */
const maxSubscribers = 50;

/** How long (ms) a webhook whose page cannot be read waits for the next attempt. */
const retryMs = 30_000;

/** What the reader depends on. */
export type WebhookReaderDependencies = Pick<MessageDependencies, 'database' | 'api'> & SwitchOffDependencies;

/**
 * Reads the log for webhooks, and stores their messages. One read of a page serves all webhooks of its company that are
 * at most as far, and one statement applies their filters, so the webhooks of a company soon have the same position.
 */
export class WebhookLogReader implements LogReader {
  readonly name = 'webhooks';
  readonly looks = 1;
  /** Webhooks that are read for alone, as a page with others failed, each with the time (ms) of the next attempt. */
  private readonly alone = new Map<string, number>();

  /**
   * @param types those whose changes webhooks can get
   * @param onStored called with a company whose messages were stored
   */
  constructor(
    private readonly dependencies: WebhookReaderDependencies,
    private readonly types: readonly LoggedType[],
    private readonly onStored: (companyId: string) => void,
  ) {}

  findPositions(companyIds: readonly string[]) {
    return this.dependencies.database.prisma.$queryRaw<{ companyId: string; position: string }[]>`
      SELECT DISTINCT company_id::text AS "companyId", position FROM webhooks
      WHERE company_id = ANY(${[...companyIds]}::uuid[]) AND enabled`;
  }

  async findPart(companyId: string, newest: LogPosition): Promise<LogPart | TurnEnd> {
    const unread = await this.findSubscribers(companyId, newest);
    const now = performance.now();
    const ready = unread.filter(({ id }) => (this.alone.get(id) ?? 0) <= now);
    const [first] = ready;
    if (!first) return unread.length > 0 ? 'later' : 'done';
    const isAlone = ({ id }: Subscriber) => this.alone.has(id);
    const chosen = isAlone(first) ? [first] : ready.filter((one) => !isAlone(one)).slice(0, maxSubscribers);
    return {
      after: first.after,
      tables: [...new Set(chosen.flatMap(({ view }) => view.tables))],
      read: async (page) => {
        const end = await this.read(companyId, chosen, page);
        return end === 'done' && chosen.length < unread.length ? 'more' : end;
      },
    };
  }

  private async read(
    companyId: string,
    subscribers: readonly Subscriber[],
    page: () => Promise<LogPage>,
  ): Promise<TurnEnd> {
    const now = performance.now();
    try {
      const read = async () => this.readFor(companyId, subscribers, await page());
      const end = await lockLog(this.dependencies.database, this.name, companyId, read);
      if (end === 'later') return end;
      for (const { id } of subscribers) this.alone.delete(id);
      this.onStored(companyId);
      return end;
    } catch (err) {
      // One of them may be the cause, for example by a filter that takes too long.
      const retryAt = subscribers.length > 1 ? now : now + retryMs;
      for (const { id } of subscribers) this.alone.set(id, retryAt);
      failureCounts.webhooks += 1;
      const webhooks = subscribers.map(({ id }) => id);
      this.dependencies.log.warn({ err, company: companyId, webhooks }, 'log not read');
      return 'more';
    }
  }

  /** The webhooks of a company with new changes, the least far first. Those that cannot be read for are turned off. */
  private async findSubscribers(companyId: string, newest: LogPosition): Promise<Subscriber[]> {
    const { database, api } = this.dependencies;
    const views = new SharedViews(database, api, this.types);
    const subscribers: Subscriber[] = [];
    for (const subscription of await findSubscriptions(database.prisma, companyId)) {
      if (!isAfter(newest, decodePosition(subscription.position, 'position'))) continue;
      const created = createSubscriber(subscription, views, api);
      if ('problem' in created) await switchOff(this.dependencies, subscription, created.problem);
      else subscribers.push(created);
    }
    return subscribers.sort((one, other) => (isAfter(one.after, other.after) ? 1 : -1));
  }

  /** Reads the page that follows the first webhook's position, for all that are not beyond it. */
  private async readFor(companyId: string, subscribers: readonly Subscriber[], page: LogPage): Promise<TurnEnd> {
    const { database, api } = this.dependencies;
    const { prisma } = database;
    const end = decodePosition(page.next, 'next');
    const readers = subscribers.filter((one) => isAfter(end, one.after));
    const changes = [...page.changes, ...(await this.readOutOfOrder(companyId, page.changes, page.next))];
    const moved = await storeMessages(
      prisma,
      companyId,
      readers,
      page.next,
      await chooseChanges(readers, changes, database.readerOf(wholeCompany(companyId, api.storage.models))),
    );
    // Without any, another instance has read for them meanwhile.
    return page.hasMore || moved === 0 || readers.length < subscribers.length ? 'more' : 'done';
  }

  /** Changes that others of the page follow: another instance may send those before the next page is read. */
  private async readOutOfOrder(companyId: string, changes: readonly LoggedChange[], next: string) {
    if (changes.length === 0) return [];
    const { prisma } = this.dependencies.database;
    return readOutOfOrderChanges(prisma, { companyId }, changes, decodePosition(next, 'next'));
  }
}
