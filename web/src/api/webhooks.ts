import { t } from '../texts/components.ts';
import {
  CreateWebhookDocument,
  type CreateWebhookInput,
  DeleteWebhookDocument,
  ReplayWebhookDeliveriesDocument,
  ReplayWebhookDeliveryDocument,
  RotateWebhookSecretDocument,
  SendTestWebhookDocument,
  UpdateWebhookDocument,
  type UpdateWebhookInput,
  WebhookDeliveriesDocument,
  type WebhookDeliveriesQuery,
  type WebhookFragment,
  WebhookOwnersDocument,
  WebhooksDocument,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';

/** A URL that is notified of changes, without its secret. */
export type Webhook = WebhookFragment & {
  /** The name of its owner, unless that is the signed-in person. */
  readonly ownerName?: string;
};

/** A message of a webhook, with its last attempt. */
export type Delivery = NonNullable<WebhookDeliveriesQuery['webhookDeliveries']>[number];

/** How many messages `listDeliveries` returns at most. */
export const deliveriesPageSize = 10;

/** The most owners whose names are read. */
const maxOwners = 100;

/** Lists the person's webhooks; for admins all of the company. @param personId the signed-in person */
export async function listWebhooks(personId: string): Promise<readonly Webhook[]> {
  const { webhooks } = await execute(WebhooksDocument);
  const others = new Set(webhooks.map(({ ownerId }) => ownerId).filter((id) => id !== personId));
  if (others.size === 0) return webhooks;
  const { users } = await execute(WebhookOwnersDocument, { ids: [...others].slice(0, maxOwners) });
  const names = new Map(users.nodes.map(({ id, fullName }) => [id, fullName]));
  return webhooks.map((webhook) => ({
    ...webhook,
    ...(others.has(webhook.ownerId) && { ownerName: names.get(webhook.ownerId) ?? t('anotherUser') }),
  }));
}

/** @returns the webhook's secret, which cannot be read again */
export const createWebhook = async (input: CreateWebhookInput) =>
  (await execute(CreateWebhookDocument, { input })).createWebhook.secret;

export const updateWebhook = (id: string, input: UpdateWebhookInput) => execute(UpdateWebhookDocument, { id, input });

/** @returns the webhook's new secret, which cannot be read again */
export const rotateWebhookSecret = async (id: string) =>
  (await execute(RotateWebhookSecretDocument, { id })).rotateWebhookSecret.secret;

export const deleteWebhook = (id: string) => execute(DeleteWebhookDocument, { id });

/** Lists the messages of a webhook, newest first. @param before the last message of the page before */
export const listDeliveries = async (webhookId: string, before?: string) =>
  (await execute(WebhookDeliveriesDocument, { webhookId, before: before ?? null })).webhookDeliveries;

export const sendTestWebhook = (webhookId: string) => execute(SendTestWebhookDocument, { webhookId });

export const replayDelivery = (webhookId: string, id: string) =>
  execute(ReplayWebhookDeliveryDocument, { webhookId, id });

/** Sends the messages of a span again. @param from the beginning @param until the end @returns how many */
export const replayDeliveries = async (webhookId: string, from: string, until: string) =>
  (await execute(ReplayWebhookDeliveriesDocument, { webhookId, from, until })).replayWebhookDeliveries.count;
