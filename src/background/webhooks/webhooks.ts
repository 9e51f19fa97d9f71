import { setTimeout as sleep } from 'node:timers/promises';
import { signMessage } from '../../events/signature.ts';
import { post } from '../../http/post.ts';
import { Shares } from '../../limits/shares.ts';
import { type LoggedType, loggedTypes } from '../../schema/changes/change-view.ts';
import { deleteOldRows } from '../cleanup.ts';
import { Repeater } from '../repeater.ts';
import { type Delivery, findDue, finishDelivery, type Outcome, skipDelivery, takeDeliveries } from './deliveries.ts';
import { bodyOf, type MessageDependencies } from './message.ts';
import { readSubscriptions } from './read-log.ts';
import { type SwitchOffDependencies, switchOff } from './switch-off.ts';

/** How often (ms) the log and the messages that are due are looked at. */
const intervalMs = 1000;

/** How many messages an instance sends at once; one company gets at most half of those that no other uses. */
const maxSending = 32;

/** For how long (ms) messages are sent as they become due, before the log is read again. */
const sendingMs = 1000;

/** For how long (days) the log of deliveries is kept, also what is pending for a webhook that is off. */
const keptDays = 30;

/** How often (ms) old messages are deleted. */
const cleanupIntervalMs = 3_600_000;

/** What the webhooks depend on. */
interface WebhookDependencies extends MessageDependencies, SwitchOffDependencies {
  readonly database: MessageDependencies['database'];
  /** The hosts that may be private. */
  readonly allowedHosts: readonly string[];
}

/**
 * Sends changes to webhooks. Each instance reads the log for webhooks that no other instance handles at the moment,
 * stores a message for each change that they subscribe to, and sends messages that are due. A message is sent at least
 * once, and those of one row in order.
 */
export class Webhooks {
  private readonly types: readonly LoggedType[];
  private readonly sending = new Set<Promise<void>>();
  private readonly shares = new Shares(maxSending);
  private readonly repeater = new Repeater(
    () => this.turn(),
    intervalMs,
    (err) => this.dependencies.log.warn({ err }, 'sending webhook messages failed'),
  );
  private cleanedAt = performance.now();

  constructor(private readonly dependencies: WebhookDependencies) {
    this.types = loggedTypes(dependencies.api.resources);
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Stops it after the messages in flight have ended. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await Promise.all(this.sending);
  }

  /**
   * Reads the log, and begins to send messages that are due; for `sendingMs` also those for which a slot becomes free.
   *
   * @returns the number of messages
   */
  async turn(): Promise<number> {
    const { database } = this.dependencies;
    await readSubscriptions(this.dependencies, this.types, () => this.repeater.isStopped);
    const end = performance.now() + sendingMs;
    let begun = 0;
    while (!this.repeater.isStopped) {
      const startedAt = performance.now();
      const taken = await this.take();
      for (const delivery of taken) this.begin(delivery);
      begun += taken.length;
      const now = performance.now();
      const left = end - now;
      if (this.sending.size === 0 || left <= 0) break;
      if (taken.length > 0) continue;
      // A message that has been sent frees its slot, and the next message of its row is due.
      await Promise.race([...this.sending, sleep(left, undefined, { ref: false })]);
      // Finding due messages takes long where many wait. Sleep as long, so that it takes at most half of the time.
      await sleep(Math.min(left, now - startedAt), undefined, { ref: false });
    }
    if (performance.now() - this.cleanedAt >= cleanupIntervalMs) {
      this.cleanedAt = performance.now();
      await deleteOldRows(database.prisma, 'webhook_deliveries', keptDays, () => this.repeater.isStopped);
    }
    return begun;
  }

  /** Processes everything that is due, and waits for it. */
  async deliverPending(): Promise<void> {
    // The next message of a row is due as soon as the previous one has ended.
    for (let isBusy = true; isBusy; ) {
      const begun = await this.turn();
      isBusy = begun > 0 || this.sending.size > 0;
      await Promise.all(this.sending);
    }
  }

  /** Takes messages that are due, as many as there are slots for. */
  private async take(): Promise<Delivery[]> {
    const { prisma } = this.dependencies.database;
    const due = await findDue(prisma, maxSending);
    const chosen = due.filter(({ companyId }) => {
      if (!this.shares.hasCapacity([companyId])) return false;
      this.shares.count(1, [companyId]);
      return true;
    });
    let taken: Delivery[] = [];
    try {
      if (chosen.length > 0) taken = await takeDeliveries(prisma, chosen);
      return taken;
    } finally {
      // Other instances have taken the others.
      const ids = new Set(taken.map(({ id }) => id));
      for (const { companyId, id } of chosen) if (!ids.has(id)) this.shares.count(-1, [companyId]);
    }
  }

  private begin(delivery: Delivery): void {
    const { companyId, webhookId } = delivery;
    const sent: Promise<void> = this.send(delivery)
      .catch((err: unknown) => this.dependencies.log.warn({ err, webhook: webhookId }, 'webhook not sent'))
      .finally(() => {
        this.sending.delete(sent);
        this.shares.count(-1, [companyId]);
      });
    this.sending.add(sent);
  }

  private async send(delivery: Delivery): Promise<void> {
    const { database, allowedHosts } = this.dependencies;
    const request = delivery.isActive ? await bodyOf(this.dependencies, delivery, this.types) : undefined;
    if (request === undefined) return skipDelivery(database.prisma, delivery);
    const startedAt = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Premises',
      ...signMessage(delivery.secrets, delivery.id, new Date(), request),
    };
    const result = await post(delivery.url, headers, request, allowedHosts).then(
      ({ status, text }) => ({ answerStatus: status, answer: text, error: null }),
      (error: Error) => ({ answerStatus: null, answer: null, error: error.message }),
    );
    const { answerStatus } = result;
    const outcome: Outcome = {
      ...result,
      isSuccess: answerStatus !== null && answerStatus >= 200 && answerStatus < 300,
      isGone: answerStatus === 410,
      request,
      durationMs: Math.round(performance.now() - startedAt),
    };
    const reason = await finishDelivery(database.prisma, delivery, outcome);
    const { companyId, webhookId: id } = delivery;
    if (reason !== undefined) await switchOff(this.dependencies, { companyId, id }, reason);
  }
}
