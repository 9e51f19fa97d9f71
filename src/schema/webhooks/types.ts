import type { Prisma } from '../../database/generated/client/client.ts';
import type { SchemaKit } from '../../resource/index.ts';
import type { ChangeTypes } from '../changes/types.ts';

/** What of a webhook's company is read with it. */
export const withCompany = { company: { select: { sandboxOfId: true } } } as const;

/** A webhook with what tells whether its company is a sandbox. */
export type WebhookRow = Prisma.WebhookGetPayload<{ include: typeof withCompany }>;

/** Creates the GraphQL type of a webhook. Its secret is not in it. */
export const webhookType = ({ builder }: SchemaKit, { ChangedResource, ChangeAction }: ChangeTypes) =>
  builder.objectRef<WebhookRow>('Webhook').implement({
    description: 'A URL that is notified of changes, as far as its owner may read them.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the webhook.' }),
      name: t.exposeString('name', { description: 'What it is for.' }),
      url: t.exposeString('url', { description: 'URL that messages are sent to.' }),
      ownerId: t.exposeID('userId', { description: 'User who created it.' }),
      resources: t.field({
        type: [ChangedResource],
        description: 'Resources whose changes are sent; all without any.',
        resolve: ({ resources }) => resources,
      }),
      actions: t.field({
        type: [ChangeAction],
        description: 'Actions that are sent; all without any.',
        resolve: ({ actions }) => actions as ('create' | 'update' | 'delete' | 'due' | 'low_stock')[],
      }),
      selection: t.exposeString('selection', {
        nullable: true,
        description: 'Fields of the row that are sent. Null for the row before and after.',
      }),
      live: t.boolean({
        description: 'Whether it is notified of changes of live data, or of the sandbox.',
        resolve: ({ company }) => company.sandboxOfId === null,
      }),
      enabled: t.exposeBoolean('enabled', { description: 'Whether it is on.' }),
      switchedOffReason: t.exposeString('switchedOffReason', {
        nullable: true,
        description: 'Why the service switched it off. Null if it did not.',
      }),
      failingSince: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Since when nothing was accepted. Null if the last message was.',
        resolve: ({ failingSince }) => failingSince,
      }),
      previousSecretUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Until when messages are signed with the secret before too.',
        resolve: ({ previousSecretUntil }) => previousSecretUntil,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time it was created.',
        resolve: ({ createdAt }) => createdAt,
      }),
    }),
  });
