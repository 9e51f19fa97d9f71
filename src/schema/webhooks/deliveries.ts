import type { Context } from '../../context.ts';
import type { WebhookDelivery as DeliveryRow, Webhook } from '../../database/generated/client/client.ts';
import { notFound } from '../../errors.ts';
import {
  assertPageSize,
  type Definition,
  defineOperation,
  defineType,
  maxPageSize,
  uuidArgument,
} from '../../resource/index.ts';

/** Finds a webhook by its id. */
type FindWebhook = (id: string, context: Context) => Promise<Webhook>;

/** Finds webhooks: those that the caller may manage, or only their own. */
interface Finders {
  readonly find: FindWebhook;
  readonly findOwn: FindWebhook;
}

/** The most messages that are sent again at once. */
const maxReplayed = 1000;

/** The types of messages. */
export const deliveryTypes = defineType(({ builder }) => {
  const Status = builder.enumType('WebhookDeliveryStatus', {
    description: 'Status of a message.',
    values: {
      PENDING: {
        value: 'pending',
        description: 'The message is waiting to be sent, for the first time or after a failure.',
      },
      SUCCEEDED: { value: 'succeeded', description: 'The receiver has accepted the message.' },
      FAILED: { value: 'failed', description: 'All attempts have failed.' },
      SKIPPED: {
        value: 'skipped',
        description: "The message was not sent, as the webhook's owner may not read the row.",
      },
    },
  });
  const Delivery = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
    description: 'A message of a webhook, with its last attempt. It is kept for 30 days.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the message, the same in all attempts: `webhook-id`.' }),
      event: t.exposeString('event', { description: 'What happened, for example `paints.update`.' }),
      status: t.field({
        type: Status,
        description: 'Status of the message.',
        // The column is text, which only the worker writes.
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
      request: t.exposeString('request', {
        nullable: true,
        description: 'Body of the last attempt. Null to all but the owner.',
      }),
      answerStatus: t.exposeInt('answerStatus', { nullable: true, description: 'HTTP status of the response.' }),
      answer: t.exposeString('answer', {
        nullable: true,
        description: 'Body of the response, at most 64 KB. Null to all but the owner.',
      }),
      error: t.exposeString('error', { nullable: true, description: 'Reason if there was no response.' }),
    }),
  });
  const Replayed = builder.objectRef<{ count: number }>('ReplayedWebhookDeliveries').implement({
    description: 'The result of sending messages again.',
    fields: (t) => ({ count: t.exposeInt('count', { description: 'Number of messages that will be sent again.' }) }),
  });
  return { Delivery, Replayed };
});

/** The types of messages. */
export type DeliveryTypes = ReturnType<typeof deliveryTypes>;

const inSession = { type: 'WebhookDelivery', path: '/webhooks', rest: false, access: 'session' } as const;
const ofWebhook = { required: true, description: 'ID of the webhook.' } as const;

/**
 * The log of deliveries, and what sends messages. A webhook can belong to the sandbox of the active company, so its own
 * company is named.
 */
export const deliveryOperations = ({ find, findOwn }: Finders): readonly Definition[] => [
  defineOperation({
    ...inSession,
    action: 'list',
    field: 'webhookDeliveries',
    description: 'List the messages of a webhook, newest first.',
    returns: (kit) => [deliveryTypes(kit).Delivery],
    args: (arg) => ({
      webhookId: arg.id(ofWebhook),
      first: arg.int({ defaultValue: 25, description: `Maximum number of messages, 1 to ${maxPageSize}.` }),
      before: arg.id({ description: 'ID of a message: only older ones.' }),
    }),
    async run(args, context) {
      const { first: take } = args;
      assertPageSize(take);
      const before = args.before == null ? undefined : uuidArgument(args, 'before');
      const { companyId, id, userId } = await find(uuidArgument(args, 'webhookId'), context);
      const found = await context.unscopedDb.webhookDelivery.findMany({
        where: { companyId, webhookId: id, ...(before !== undefined && { id: { lt: before } }) },
        orderBy: { id: 'desc' },
        take,
      });
      return found.map((delivery) => showTo(context, userId, delivery));
    },
  }),
  defineOperation({
    ...inSession,
    action: 'create',
    field: 'sendTestWebhook',
    label: 'Send test event',
    description: 'Send a message of the type `test` to a webhook.',
    returns: (kit) => deliveryTypes(kit).Delivery,
    args: (arg) => ({ webhookId: arg.id(ofWebhook) }),
    async run(args, context) {
      const { companyId, id } = await findOwn(uuidArgument(args, 'webhookId'), context);
      return context.unscopedDb.webhookDelivery.create({ data: { companyId, webhookId: id, event: 'test' } });
    },
  }),
  defineOperation({
    ...inSession,
    action: 'update',
    field: 'replayWebhookDelivery',
    label: 'Send again',
    description: 'Send a message again.',
    returns: (kit) => deliveryTypes(kit).Delivery,
    args: (arg) => ({
      webhookId: arg.id(ofWebhook),
      id: arg.id({ required: true, description: 'ID of the message.' }),
    }),
    async run(args, context) {
      const id = uuidArgument(args, 'id');
      const { companyId, id: of } = await findOwn(uuidArgument(args, 'webhookId'), context);
      const where = { companyId, webhookId: of, id };
      await context.unscopedDb.webhookDelivery.updateMany({ where, data: again() });
      const found = await context.unscopedDb.webhookDelivery.findFirst({ where });
      if (!found) throw notFound('webhook delivery');
      return found;
    },
  }),
  defineOperation({
    ...inSession,
    action: 'update',
    field: 'replayWebhookDeliveries',
    label: 'Send again',
    description: `Send the messages of a time range again, at most ${maxReplayed}.`,
    returns: (kit) => deliveryTypes(kit).Replayed,
    args: (arg) => ({
      webhookId: arg.id(ofWebhook),
      from: arg({ type: 'DateTime', required: true, description: 'Messages that were created from this time on.' }),
      until: arg({ type: 'DateTime', required: true, description: 'Messages that were created before this time.' }),
    }),
    async run(args, context) {
      const { from, until } = args;
      const { companyId, id: of } = await findOwn(uuidArgument(args, 'webhookId'), context);
      const { unscopedDb: db } = context;
      const found = await db.webhookDelivery.findMany({
        where: { companyId, webhookId: of, createdAt: { gte: from, lt: until } },
        orderBy: { id: 'asc' },
        select: { id: true },
        take: maxReplayed,
      });
      const where = { companyId, webhookId: of, id: { in: found.map(({ id }) => id) } };
      return db.webhookDelivery.updateMany({ where, data: again() });
    },
  }),
];

/** A message as the caller sees it: a body has what the owner may read, and an answer may repeat it. */
export const showTo = ({ caller }: Context, ownerId: string, delivery: DeliveryRow): DeliveryRow =>
  ownerId === caller.userId ? delivery : { ...delivery, request: null, answer: null };

const again = () => ({ status: 'pending', attempts: 0, nextAt: new Date(), leasedUntil: null });
