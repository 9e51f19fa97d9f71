import type { FastifyBaseLogger } from 'fastify';
import { execute, type GraphQLSchema } from 'graphql';
import { scopesOfRole } from '../auth/sessions/people.ts';
import type { Context } from '../context.ts';
import type { Database } from '../database/index.ts';
import { tenantClient } from '../database/tenant.ts';
import { readChange, readLog } from '../events/log.ts';
import { findLatestPlaces, isAfter } from '../events/news.ts';
import { decodePosition } from '../events/position.ts';
import { signMessage } from '../events/signature.ts';
import { readPosition } from '../events/snapshot.ts';
import { post } from '../http/post.ts';
import { findSender, type Mailer, noMailer } from '../mail/index.ts';
import type { Resource } from '../resource/index.ts';
import { ChangeView, type LoggedType, loggedTypes, type VisibleChange } from '../schema/changes/change-view.ts';
import { readSelection } from '../schema/webhooks/selection.ts';
import {
  type Delivery,
  deleteOldDeliveries,
  finishDelivery,
  type Outcome,
  skipDelivery,
  takeDeliveries,
} from './deliveries.ts';
import { Repeater } from './repeater.ts';

/** How often (ms) the log and the messages that are due are looked at. */
const intervalMs = 1000;

/** How many messages an instance sends at once. */
const maxSending = 16;

/** How many changes of the log are read at once. */
const pageSize = 100;

/** How often (ms) old messages are deleted. */
const cleanupIntervalMs = 3_600_000;

/** What the webhooks depend on. */
export interface WebhookDependencies {
  readonly database: Database;
  readonly resources: readonly Resource[];
  readonly schema: GraphQLSchema;
  readonly mailer: Mailer;
  /** The hosts that may be private. */
  readonly allowedHosts: readonly string[];
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** The owner of a webhook. */
interface Owner {
  readonly companyId: string;
  readonly timeZone: string;
  readonly userId: string;
  readonly role: Delivery['role'];
}

/** A webhook that is switched on, and its owner. */
interface Subscription extends Owner {
  readonly id: string;
  readonly position: string;
  readonly resources: readonly string[];
  readonly actions: readonly string[];
}

/**
 * Sends changes to webhooks. Each instance reads the log for webhooks that no other does just now, writes what it sends
 * them as messages, and sends messages that are due: at least once, those of one row in order.
 */
export class Webhooks {
  private readonly types: readonly LoggedType[];
  private readonly sending = new Set<Promise<void>>();
  private readonly repeater = new Repeater(
    () => this.turn(),
    intervalMs,
    (err) => this.dependencies.log.warn({ err }, 'webhooks missed a turn'),
  );
  private cleanedAt = performance.now();

  constructor(private readonly dependencies: WebhookDependencies) {
    this.types = loggedTypes(dependencies.resources);
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Stops it, once what is being sent has been answered. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await Promise.all(this.sending);
  }

  /** Reads the log, and begins to send what is due. */
  async turn(): Promise<void> {
    const { database } = this.dependencies;
    await this.readForAll();
    while (!this.repeater.isStopped && this.sending.size < maxSending) {
      const taken = await takeDeliveries(database.prisma, maxSending - this.sending.size);
      for (const delivery of taken) {
        const sent: Promise<void> = this.send(delivery)
          .catch((err: unknown) => this.dependencies.log.warn({ err, webhook: delivery.webhookId }, 'webhook not sent'))
          .finally(() => this.sending.delete(sent));
        this.sending.add(sent);
      }
      if (taken.length === 0) break;
    }
    if (performance.now() - this.cleanedAt < cleanupIntervalMs) return;
    this.cleanedAt = performance.now();
    await deleteOldDeliveries(database.prisma);
  }

  /** Does what there is to do, and waits until it is done. */
  async deliverPending(): Promise<void> {
    for (let more = true; more; ) {
      await this.turn();
      more = this.sending.size > 0;
      await Promise.all(this.sending);
    }
  }

  /** Reads the log for all webhooks that have news. */
  private async readForAll(): Promise<void> {
    const { database } = this.dependencies;
    const subscriptions = await database.prisma.$queryRaw<Subscription[]>`
      SELECT webhooks.company_id::text AS "companyId", webhooks.id::text, webhooks.position, webhooks.resources,
             webhooks.actions, users.id::text AS "userId", upper(users.role::text) AS role,
             companies.time_zone AS "timeZone"
      FROM webhooks
      JOIN users ON users.company_id = webhooks.company_id AND users.id = webhooks.user_id AND users.deactivated_at IS NULL
      JOIN companies ON companies.id = webhooks.company_id
      WHERE webhooks.enabled`;
    if (subscriptions.length === 0) return;
    const latest = await findLatestPlaces(database, [...new Set(subscriptions.map(({ companyId }) => companyId))]);
    for (const one of subscriptions) {
      const place = latest.get(one.companyId);
      if (!place || this.repeater.isStopped) continue;
      const from = decodePosition(one.position, 'position');
      // Positions of another log, from before a restore, are read too, and refused there.
      if (isAfter(place, from)) await this.readFor(one);
    }
  }

  /** Reads the log for a webhook, unless another instance does, and writes the messages that it gets. */
  private async readFor(subscription: Subscription): Promise<void> {
    const { prisma, transaction } = this.dependencies.database;
    const { companyId, id, resources, actions } = subscription;
    const chosen = resources.length === 0 ? this.types : this.types.filter(({ type }) => resources.includes(type));
    const view = new ChangeView(chosen, this.contextOf(subscription, id));
    for (let more = true; more && !this.repeater.isStopped; )
      more = await transaction(async () => {
        const [locked] = await prisma.$queryRaw<{ position: string }[]>`
          SELECT position FROM webhooks
          WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND enabled FOR NO KEY UPDATE SKIP LOCKED`;
        if (!locked) return false;
        const after = decodePosition(locked.position, 'position');
        const page = await readLog(prisma, { companyId }, { after, tables: view.tables, limit: pageSize }).catch(
          async (error: unknown) => {
            if ((error as { code?: unknown }).code !== 'GONE') throw error;
            // What was missed is gone from the log.
            return { changes: [], next: await readPosition(prisma), hasMore: false };
          },
        );
        const visible = view
          .projectAll(page.changes)
          .filter(({ action }) => actions.length === 0 || actions.includes(action));
        await prisma.webhookDelivery.createMany({
          data: visible.map(({ rowId, xid, seq, ...change }) => {
            return { companyId, webhookId: id, event: eventOf(change), rowId, xid: BigInt(xid), seq: BigInt(seq) };
          }),
        });
        await prisma.webhook.update({
          where: { companyId_id: { companyId, id } },
          data: { position: page.next },
          select: { id: true },
        });
        return page.hasMore;
      });
  }

  private async send(delivery: Delivery): Promise<void> {
    const { database, allowedHosts } = this.dependencies;
    const request = delivery.isActive ? await this.bodyOf(delivery) : undefined;
    if (request === undefined) return skipDelivery(database.prisma, delivery);
    const startedAt = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Premises',
      ...signMessage(delivery.secrets, delivery.id, new Date(), request),
    };
    const result = await post(delivery.url, headers, request, allowedHosts).then(
      ({ status, text }) => ({ answerStatus: status, answer: text, error: null }),
      (error: unknown) => ({ answerStatus: null, answer: null, error: (error as Error).message }),
    );
    const { answerStatus } = result;
    const outcome: Outcome = {
      ...result,
      isSuccess: answerStatus !== null && answerStatus >= 200 && answerStatus < 300,
      isGone: answerStatus === 410,
      request,
      durationMs: Math.round(performance.now() - startedAt),
    };
    if (await finishDelivery(database.prisma, delivery, outcome)) await this.notifyOwner(delivery);
  }

  /** Makes the body of a message, of what the owner may read now; undefined if that is nothing. */
  private async bodyOf(delivery: Delivery): Promise<string | undefined> {
    const { prisma } = this.dependencies.database;
    const { companyId, event, createdAt, resources, selection } = delivery;
    if (delivery.rowId === null)
      return JSON.stringify({ type: event, timestamp: createdAt.toISOString(), data: { webhook: delivery.name } });
    const found = await readChange(prisma, { companyId }, delivery);
    const chosen = resources.length === 0 ? this.types : this.types.filter(({ type }) => resources.includes(type));
    const context = this.contextOf(delivery, delivery.id);
    const change = found && new ChangeView(chosen, context).project(found);
    if (!change) return undefined;
    const row = selection === null ? undefined : await this.readRow(change, selection, context);
    const { at, seq, rowType, rowId, action, fields, before, after, actor } = change;
    const data = {
      version: seq,
      resource: rowType.name.toLowerCase(),
      row_id: rowId,
      action,
      fields,
      // With a selection, it says what is sent of the row.
      ...(row === undefined ? { before: before?.inRest() ?? null, after: after?.inRest() ?? null } : { row }),
      actor: actor && { kind: actor.kind, user_id: actor.user_id ?? null },
    };
    return JSON.stringify({ type: event, timestamp: at.toISOString(), data });
  }

  /** Reads the selected fields of a row as it is now; null of one that is gone or out of sight. */
  private async readRow({ rowType, rowId }: VisibleChange, selection: string, contextValue: Context): Promise<unknown> {
    const { schema } = this.dependencies;
    const read = readSelection(selection, rowType, schema);
    if ('problem' in read) return null;
    const { data } = await execute({ schema, document: read.document, variableValues: { id: rowId }, contextValue });
    const rows = data?.['rows'] as { readonly nodes: readonly unknown[] } | null | undefined;
    return rows?.nodes[0] ?? null;
  }

  /** The context in which the owner of a webhook reads. */
  private contextOf({ companyId, timeZone, userId, role }: Owner, requestId: string): Context {
    const { prisma, reader, writer, transaction } = this.dependencies.database;
    const scopes = scopesOfRole(role);
    return {
      caller: { kind: 'token', id: requestId, companyId, timeZone, userId, role, scopes, rateLimit: 0 },
      unscopedDb: prisma,
      reader,
      writer,
      transaction,
      db: tenantClient({ prisma, writer }, companyId),
      mailer: noMailer,
      requestId,
      ip: '',
      refusedFields: new Set(),
    };
  }

  private async notifyOwner({ companyId, email, name }: Delivery): Promise<void> {
    const { database, mailer, log } = this.dependencies;
    log.warn({ company: companyId }, 'webhook switched off');
    const sender = await findSender(database.prisma, companyId);
    if (!sender) return;
    mailer.send(sender, {
      to: email,
      subject: `Webhook switched off: ${name}`,
      paragraphs: [`The webhook "${name}" of ${sender.companyName} only failed, and was switched off.`],
      link: { label: 'Open the webhooks', path: '/webhooks' },
    });
  }
}

/** What happened, as receivers see it. */
const eventOf = ({ rowType, action }: Pick<VisibleChange, 'rowType' | 'action'>): string =>
  `${rowType.name.toLowerCase()}.${action}`;
