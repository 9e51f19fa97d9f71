import { currentOperation } from '../../database/index.ts';
import { readTraceparents } from '../../events/causes.ts';
import { signMessage } from '../../events/signature.ts';
import { failureCounts } from '../../failure-counts.ts';
import { post } from '../../http/post.ts';
import { Planner } from '../../resource/index.ts';
import type { LoggedType } from '../../schema/changes/change-view.ts';
import type { Span, Tracer } from '../../tracing/index.ts';
import type { Cause } from '../queued.ts';
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
  /** Traces what is sent; by default nothing is. */
  readonly tracer?: Tracer;
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
    const { log, tracer, api } = dependencies;
    this.planner = new Planner(api.schema, api.reads, 'member');
    this.queue = new WorkQueue(this, {
      name: 'webhooks',
      failure: 'webhook messages not sent',
      log,
      tracer,
      ...atOnce,
    });
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

  async causeOf(delivery: Delivery): Promise<Cause> {
    const { companyId, webhookId, id, event, attempts } = delivery;
    const attributes = {
      'premises.company_id': companyId,
      'premises.webhook_id': webhookId,
      'premises.message_id': id,
      'premises.event': event,
      'premises.attempt': attempts,
    };
    const parents = await readTraceparents(this.dependencies.database.prisma, { companyId }, [delivery]);
    return { name: 'send webhook', parents, attributes };
  }

  async run(delivery: Delivery): Promise<void> {
    const { database, allowedHosts } = this.dependencies;
    const request = delivery.isActive ? await bodyOf(this.dependencies, delivery, this.types, this.planner) : undefined;
    if (request === undefined) return skipDelivery(database.prisma, delivery);
    const span = startPost(delivery);
    const startedAt = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Premises',
      ...(span && { traceparent: span.traceparent }),
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
    span?.set({ 'http.response.status_code': answerStatus ?? undefined });
    span?.end(outcome.isSuccess ? undefined : String(answerStatus ?? 'no_response'));
    if (!outcome.isSuccess) failureCounts.webhooks += 1;
    const reason = await finishDelivery(database.prisma, delivery, outcome);
    const { companyId, webhookId: id } = delivery;
    if (reason !== undefined) await switchOff(this.dependencies, { companyId, id }, reason);
  }
}

/** Begins the span of an attempt, if it is traced. Paths of receivers can be secrets, so it has the host alone. */
function startPost({ url }: Delivery): Span | undefined {
  const { hostname, port, protocol } = new URL(url);
  return currentOperation()?.span?.start('POST', {
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    },
  });
}
