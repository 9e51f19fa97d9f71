import { signMessage } from '../../events/signature.ts';
import { failureCounts } from '../../failure-counts.ts';
import { post } from '../../http/post.ts';
import { Planner } from '../../resource/index.ts';
import type { LoggedType } from '../../schema/changes/change-view.ts';
import { WorkQueue, type WorkSource } from '../work-queue.ts';
import {
  type Delivery,
  findDue,
  findDueCompanies,
  finishDelivery,
  type Outcome,
  postponeWaiting,
  skipDelivery,
  takeDeliveries,
} from './deliveries.ts';
import { bodyOf, type MessageDependencies } from './message.ts';
import { type SwitchOffDependencies, switchOff } from './switch-off.ts';

/** For how many companies due messages are looked for at once, and how many messages an instance sends at once. */
const atOnce = { lanes: 2, slots: 32 };

/** What sending depends on. */
export interface SenderDependencies extends MessageDependencies, SwitchOffDependencies {
  readonly database: MessageDependencies['database'];
  /** The hosts that may be private. */
  readonly allowedHosts: readonly string[];
}

/**
 * Sends the messages of webhooks that are due, of each company in turn. A message is sent at least once, and those of
 * one row in order.
 */
export class WebhookSender implements WorkSource<Delivery> {
  private readonly queue: WorkQueue<Delivery>;
  private readonly planner: Planner;

  /** @param types those whose changes webhooks can get */
  constructor(
    private readonly dependencies: SenderDependencies,
    private readonly types: readonly LoggedType[],
  ) {
    const { log, api } = dependencies;
    this.planner = new Planner(api.schema, api.reads, 'member');
    this.queue = new WorkQueue(this, { name: 'webhooks', failure: 'webhook messages not sent', log, ...atOnce });
  }

  /** Starts it. */
  start(): void {
    this.queue.start();
  }

  /** Stops it after the messages in flight have ended. */
  stop(): Promise<void> {
    return this.queue.stop();
  }

  /** Sends the messages of a company that are due. */
  add(companyId: string): void {
    this.queue.add(companyId);
  }

  /** Begins to send the messages of all companies that are due. */
  look(): Promise<void> {
    return this.queue.look();
  }

  /** Sends everything that is due, and waits for it. */
  sendAll(): Promise<void> {
    return this.queue.runAll();
  }

  findDue() {
    return findDueCompanies(this.dependencies.database);
  }

  async take(companyId: string, limit: number): Promise<Delivery[]> {
    const { database } = this.dependencies;
    const due = await findDue(database, companyId, limit);
    return due.length > 0 ? takeDeliveries(database.prisma, due) : [];
  }

  postponeWaiting(companyId: string) {
    return postponeWaiting(this.dependencies.database, companyId);
  }

  async run(delivery: Delivery): Promise<void> {
    const { database, allowedHosts } = this.dependencies;
    const request = delivery.isActive ? await bodyOf(this.dependencies, delivery, this.types, this.planner) : undefined;
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
    if (!outcome.isSuccess) failureCounts.webhooks += 1;
    const reason = await finishDelivery(database.prisma, delivery, outcome);
    const { companyId, webhookId: id } = delivery;
    if (reason !== undefined) await switchOff(this.dependencies, { companyId, id }, reason);
  }
}
