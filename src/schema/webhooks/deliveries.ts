import type { Context } from '../../context.ts';
import type { WebhookDelivery as DeliveryRow, Webhook } from '../../database/generated/client/client.ts';
import { badRequest, notFound } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { maxPageSize, type SchemaKit } from '../../resource/index.ts';

/** Finds a webhook that the caller may manage. */
type FindWebhook = (id: unknown, context: Context) => Promise<Webhook>;

/** The most messages that are sent again at once. */
const maxReplayed = 1000;

/** Adds the log of deliveries, and what sends messages. */
export function addDeliveries(kit: SchemaKit, findWebhook: FindWebhook): void {
  const { builder } = kit;
  const Status = builder.enumType('WebhookDeliveryStatus', {
    description: 'What became of a message.',
    values: {
      PENDING: { value: 'pending', description: 'It is sent soon, or again after a failure.' },
      SUCCEEDED: { value: 'succeeded', description: 'The receiver has accepted it.' },
      FAILED: { value: 'failed', description: 'All attempts have failed.' },
      SKIPPED: { value: 'skipped', description: 'The owner may not read what it is about.' },
    },
  });
  const Delivery = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
    description: 'A message of a webhook, with its last attempt. It is kept for 30 days.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the message, the same in all attempts: `webhook-id`.' }),
      event: t.exposeString('event', { description: 'What happened, for example `paints.update`.' }),
      status: t.field({
        type: Status,
        description: 'What became of it.',
        resolve: ({ status }) => status as 'pending' | 'succeeded' | 'failed' | 'skipped',
      }),
      attempts: t.exposeInt('attempts', { description: 'Number of attempts.' }),
      createdAt: t.field({ type: 'DateTime', description: 'Time it was created.', resolve: (row) => row.createdAt }),
      nextAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time of the next attempt. Null if there is none.',
        resolve: ({ status, nextAt }) => (status === 'pending' ? nextAt : null),
      }),
      attemptedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time of the last attempt. Null if there was none.',
        resolve: ({ attemptedAt }) => attemptedAt,
      }),
      durationMs: t.exposeInt('durationMs', { nullable: true, description: 'Duration of the last attempt in ms.' }),
      request: t.exposeString('request', { nullable: true, description: 'Body of the last attempt.' }),
      answerStatus: t.exposeInt('answerStatus', { nullable: true, description: 'HTTP status of the answer.' }),
      answer: t.exposeString('answer', { nullable: true, description: 'Body of the answer, at most 64 KB.' }),
      error: t.exposeString('error', { nullable: true, description: 'Why there is no answer.' }),
    }),
  });
  const Replayed = builder.objectRef<{ count: number }>('ReplayedWebhookDeliveries').implement({
    description: 'The result of sending messages again.',
    fields: (t) => ({ count: t.exposeInt('count', { description: 'Number of messages that are sent again.' }) }),
  });
  const ofWebhook = { required: true, description: 'ID of the webhook.' } as const;

  kit.addOperation({
    ...inSession,
    action: 'list',
    field: 'webhookDeliveries',
    description: 'List the messages of a webhook, newest first.',
    returns: [Delivery],
    args: (arg) => ({
      webhookId: arg.id(ofWebhook),
      first: arg.int({ defaultValue: 25, description: `Maximum number of messages, 1 to ${maxPageSize}.` }),
      before: arg.id({ description: 'Only messages older than this one.' }),
    }),
    async resolve(args, context) {
      const { webhookId, first: take, before } = args as { webhookId: string; first: number; before?: string | null };
      if (take < 1 || take > maxPageSize) throw badRequest(`must be between 1 and ${maxPageSize}`, 'first');
      if (before != null && !isUuid(before)) throw badRequest('must be a uuid', 'before');
      const { companyId, id } = await findWebhook(webhookId, context);
      return context.unscopedDb.webhookDelivery.findMany({
        where: { companyId, webhookId: id, ...(before != null && { id: { lt: before } }) },
        orderBy: { id: 'desc' },
        take,
      });
    },
  });
  kit.addOperation({
    ...inSession,
    action: 'create',
    field: 'sendTestWebhook',
    description: 'Send a message of the type `test` to a webhook.',
    returns: Delivery,
    args: (arg) => ({ webhookId: arg.id(ofWebhook) }),
    async resolve({ webhookId }, context) {
      const { companyId, id } = await findWebhook(webhookId, context);
      return context.unscopedDb.webhookDelivery.create({ data: { companyId, webhookId: id, event: 'test' } });
    },
  });
  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'replayWebhookDelivery',
    description: 'Send a message again.',
    returns: Delivery,
    args: (arg) => ({
      webhookId: arg.id(ofWebhook),
      id: arg.id({ required: true, description: 'ID of the message.' }),
    }),
    async resolve({ webhookId, id }, context) {
      if (!isUuid(String(id))) throw badRequest('must be a uuid', 'id');
      const { companyId, id: of } = await findWebhook(webhookId, context);
      const where = { companyId, webhookId: of, id: String(id) };
      await context.unscopedDb.webhookDelivery.updateMany({ where, data: again() });
      const found = await context.unscopedDb.webhookDelivery.findFirst({ where });
      if (!found) throw notFound('WebhookDelivery');
      return found;
    },
  });
  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'replayWebhookDeliveries',
    description: `Send the messages of a span of time again, at most ${maxReplayed}.`,
    returns: Replayed,
    args: (arg) => ({
      webhookId: arg.id(ofWebhook),
      from: arg({ type: 'DateTime', required: true, description: 'Messages that were created from this time on.' }),
      until: arg({ type: 'DateTime', required: true, description: 'Messages that were created before this time.' }),
    }),
    async resolve({ webhookId, from, until }, context) {
      const { companyId, id: of } = await findWebhook(webhookId, context);
      const { unscopedDb: db } = context;
      const found = await db.webhookDelivery.findMany({
        where: { companyId, webhookId: of, createdAt: { gte: from as Date, lt: until as Date } },
        orderBy: { id: 'asc' },
        select: { id: true },
        take: maxReplayed,
      });
      const where = { companyId, webhookId: of, id: { in: found.map(({ id }) => id) } };
      return db.webhookDelivery.updateMany({ where, data: again() });
    },
  });
}

const again = () => ({ status: 'pending', attempts: 0, nextAt: new Date(), leasedUntil: null });

const inSession = { type: 'WebhookDelivery', path: '/webhooks', rest: false, access: 'session' } as const;
