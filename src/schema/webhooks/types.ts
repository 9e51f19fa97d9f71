import type { Context } from '../../context.ts';
import type { WebhookDelivery as DeliveryRow, Prisma } from '../../database/generated/client/client.ts';
import { loadTogether, type SchemaKit } from '../../resource/index.ts';
import type { ChangeTypes } from '../changes/types.ts';
import { type DeliveryTypes, showTo } from './deliveries.ts';

/** The columns of its company that are read with a webhook. */
export const withCompany = { company: { select: { sandboxOfId: true } } } as const;

/** A webhook, and whether its company is a sandbox. */
export type WebhookRow = Prisma.WebhookGetPayload<{ include: typeof withCompany }>;

/** Creates the GraphQL type of a webhook. Its secret is not in it. */
export const webhookType = (
  { builder }: SchemaKit,
  { ChangedResource, ChangeAction }: ChangeTypes,
  { Delivery }: DeliveryTypes,
) =>
  builder.objectRef<WebhookRow>('Webhook').implement({
    description: 'A URL that is notified of the changes that its owner may read.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the webhook.' }),
      name: t.exposeString('name', { description: 'Purpose of the webhook.' }),
      url: t.exposeString('url', { description: 'URL that messages are sent to.' }),
      ownerId: t.exposeID('userId', { description: 'User who created it.' }),
      resources: t.field({
        type: [ChangedResource],
        description: 'Resources whose changes are sent; all if empty.',
        resolve: ({ resources }) => resources,
      }),
      actions: t.field({
        type: [ChangeAction],
        description: 'Actions that are sent; all if empty.',
        // The column is text, which is written from values of the enum.
        resolve: ({ actions }) => actions as ('create' | 'update' | 'delete' | 'due' | 'low_stock')[],
      }),
      filter: t.exposeString('filter', {
        nullable: true,
        description: 'Conditions that a row must match for its changes to be sent. Null for all rows.',
      }),
      selection: t.exposeString('selection', {
        nullable: true,
        description: 'Fields of the row that are sent. Null for the row before and after.',
      }),
      live: t.boolean({
        description: 'Whether it is notified of changes of live data, or of the sandbox.',
        resolve: ({ company }) => company.sandboxOfId === null,
      }),
      enabled: t.exposeBoolean('enabled', { description: 'Whether the webhook is on.' }),
      switchedOffReason: t.exposeString('switchedOffReason', {
        nullable: true,
        description: 'Reason if the service turned it off.',
      }),
      failingSince: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time since which all messages have failed. Null if the latest was accepted.',
        resolve: ({ failingSince }) => failingSince,
      }),
      lastFailure: t.field({
        type: Delivery,
        nullable: true,
        description: 'Message whose attempt failed last. Null if the latest was accepted.',
        async resolve({ companyId, userId, failingSince, failedDeliveryId: id }, _args, context) {
          if (failingSince === null || id === null) return null;
          const found = await loadTogether(context, 'Webhook.lastFailure', `${companyId}/${id}`, (keys) =>
            findDeliveries(keys, context),
          );
          return found ? showTo(context, userId, found) : null;
        },
      }),
      previousSecretUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time until which messages are also signed with the previous secret. Null if there is none.',
        resolve: ({ previousSecretUntil }) => previousSecretUntil,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time it was created.',
        resolve: ({ createdAt }) => createdAt,
      }),
    }),
  });

/** Finds messages by their company and id: webhooks of a sandbox have another company. */
async function findDeliveries(keys: readonly string[], { unscopedDb }: Context): Promise<Map<string, DeliveryRow>> {
  const found = await unscopedDb.webhookDelivery.findMany({
    where: { OR: keys.map((key) => key.split('/')).map(([companyId, id]) => ({ companyId, id })) },
  });
  return new Map(found.map((delivery) => [`${delivery.companyId}/${delivery.id}`, delivery]));
}
