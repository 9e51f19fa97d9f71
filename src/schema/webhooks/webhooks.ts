import { parseName } from '../../auth/accounts.ts';
import { recordSecurityEvent, type SecurityAction } from '../../auth/security-log.ts';
import { lockPerson } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict, insufficientRole, notFound, validationError } from '../../errors.ts';
import { readPosition } from '../../events/log.ts';
import { createSecret, showSecret } from '../../events/signature.ts';
import {
  type Definition,
  defineOperation,
  defineType,
  type InputFields,
  lengthOf,
  type SchemaKit,
  uuidArgument,
} from '../../resource/index.ts';
import { actorOf, assertSignedInLately, mainCompanyId } from '../account/session-access.ts';
import { loggedTypes } from '../changes/change-view.ts';
import { type ChangeTypes, sharedTypes } from '../changes/types.ts';
import { deliveryOperations, deliveryTypes } from './deliveries.ts';
import { maxFilterLength } from './filter.ts';
import { assertValid } from './input.ts';
import { maxSelectionLength } from './selection.ts';
import { type WebhookRow, webhookType, withCompany } from './types.ts';

/** How many webhooks a user can have in a company, with its sandbox. */
const maxWebhooks = 20;

/** How long (h) a previous secret signs too, and how many may before it. */
const rotationHours = 24;
const maxEarlierSecrets = 10;

const webhookTypes = defineType((kit) => {
  const shared = sharedTypes(kit);
  const Webhook = webhookType(kit, shared, deliveryTypes(kit));
  const CreatedWebhook = kit.builder.objectRef<{ webhook: WebhookRow; secret: string }>('WebhookWithSecret').implement({
    description: 'A webhook with its secret.',
    fields: (t) => ({
      secret: t.exposeString('secret', {
        description: 'Secret that messages are signed with, in the form of Standard Webhooks. It is shown only once.',
      }),
      webhook: t.expose('webhook', { type: Webhook, description: 'The webhook.' }),
    }),
  });
  return { Webhook, CreatedWebhook, ...addInputs(kit, shared) };
});

const id = { description: 'ID of the webhook.', required: true } as const;
const inSession = { type: 'Webhook', path: '/webhooks', rest: false, access: 'session' } as const;

/** The webhooks of a person; for admins, of the company. */
const listWebhooks = defineOperation({
  ...inSession,
  action: 'list',
  field: 'webhooks',
  description: 'List your webhooks for the active company and its sandbox; all of the company for admins.',
  returns: (kit) => [webhookTypes(kit).Webhook],
  run: async (_args, context) =>
    context.unscopedDb.webhook.findMany({
      where: await manageable(context),
      include: withCompany,
      orderBy: { createdAt: 'desc' },
      take: 500,
    }),
});

/** Creates a webhook. */
const createWebhook = defineOperation({
  ...inSession,
  action: 'create',
  field: 'createWebhook',
  label: 'Create webhook',
  description:
    'Create a webhook. It is notified of changes to what you may read. You must have signed in within the last hour (REAUTHENTICATION_REQUIRED).',
  returns: (kit) => webhookTypes(kit).CreatedWebhook,
  args: (arg, kit) => ({
    input: arg({ type: webhookTypes(kit).CreateInput, required: true, description: 'The new webhook.' }),
  }),
  async run({ input }, context, { schema }, registry) {
    const { live, ...given } = input;
    const { unscopedDb: db, caller } = context;
    assertSignedInLately(context, 'create a webhook');
    assertValid(given, { types: loggedTypes(registry.resources), api: registry, schema, context });
    const companyId = await companyIdOf(live ?? true, context);
    const own = { userId: caller.userId, ...(await ofCompany(context)) };
    const secret = createSecret();
    const { name, url, resources, actions, filter, selection } = given;
    const position = await readPosition(db, { companyId });
    const data = {
      ...{ companyId, userId: caller.userId, name: parseName('name', name), url, secret, position },
      ...{ resources: [...(resources ?? [])], actions: [...(actions ?? [])] },
      ...{ filter: filter ?? null, selection: selection ?? null },
    };
    const webhook = await writeAndRecord('webhook_created', context, async (transaction) => {
      await lockPerson(transaction, caller.userId);
      if ((await transaction.webhook.count({ where: own })) >= maxWebhooks)
        throw conflict(`You have ${maxWebhooks} webhooks, which is the maximum. Delete one first.`);
      return transaction.webhook.create({ include: withCompany, data });
    });
    return { webhook, secret: showSecret(secret) };
  },
});

/** Changes a webhook. */
const updateWebhook = defineOperation({
  ...inSession,
  action: 'update',
  field: 'updateWebhook',
  label: 'Save webhook',
  description:
    'Change a webhook, or turn it on or off. Admins can only turn off those of others. To change its URL you must have signed in within the last hour (REAUTHENTICATION_REQUIRED).',
  returns: (kit) => webhookTypes(kit).Webhook,
  args: (arg, kit) => ({
    id: arg.id(id),
    input: arg({ type: webhookTypes(kit).UpdateInput, required: true, description: 'The changes.' }),
  }),
  async run(args, context, { schema }, registry) {
    const before = await findWebhook(uuidArgument(args, 'id'), context);
    const { enabled, ...given } = args.input;
    const isTurnedOff = enabled === false && Object.values(given).every((value) => value === undefined);
    if (!isTurnedOff) assertOwn(before, context);
    const { name, url, resources, actions } = { ...before, ...withoutNull(given) };
    const { filter, selection } = { ...before, ...given };
    const isMoved = url !== before.url;
    if (isMoved) assertSignedInLately(context, 'change the URL of a webhook');
    const checked = { name, ...(isMoved && { url }), resources, filter, selection };
    assertValid(checked, { types: loggedTypes(registry.resources), api: registry, schema, context });
    const isOn = enabled ?? before.enabled;
    const begins = isOn && !before.enabled;
    const data = {
      ...{
        name: parseName('name', name),
        url,
        enabled: isOn,
        resources: [...(resources ?? [])],
        actions: [...(actions ?? [])],
      },
      ...{ filter, selection },
      ...(begins && {
        position: await readPosition(context.unscopedDb, before),
        failingSince: null,
        failedDeliveryId: null,
        switchedOffReason: null,
      }),
    };
    return writeAndRecord('webhook_changed', context, (transaction) =>
      transaction.webhook.update({ where: keyOf(before), include: withCompany, data }),
    );
  },
});

/** Rotates the secret of a webhook. */
const rotateWebhookSecret = defineOperation({
  ...inSession,
  action: 'update',
  field: 'rotateWebhookSecret',
  label: 'Rotate secret',
  description: `Rotate the secret of a webhook. For ${rotationHours} hours messages are signed with the old secret too. You must have signed in within the last hour (REAUTHENTICATION_REQUIRED).`,
  returns: (kit) => webhookTypes(kit).CreatedWebhook,
  args: (arg) => ({ id: arg.id(id) }),
  async run(args, context) {
    const before = await findOwn(uuidArgument(args, 'id'), context);
    assertSignedInLately(context, 'rotate a secret');
    const secret = createSecret();
    const webhook = await writeAndRecord('webhook_secret_rotated', context, async (transaction) => {
      const { secret: previousSecret } = await keepPreviousSecret(transaction, before);
      const previousSecretUntil = new Date(Date.now() + rotationHours * 3_600_000);
      const data = { secret, previousSecret, previousSecretUntil };
      return transaction.webhook.update({ where: keyOf(before), include: withCompany, data });
    });
    return { webhook, secret: showSecret(secret) };
  },
});

/**
 * Keeps the previous secret of a webhook beside the next one, where it still signs.
 *
 * @returns the webhook, locked: rotations at the same time take turns, so that each keeps the secret of the one before
 * @throws ServiceError CONFLICT after too many rotations
 */
async function keepPreviousSecret(transaction: Prisma.TransactionClient, { companyId, id }: WebhookRow) {
  await transaction.$queryRaw`
    SELECT 1 FROM webhooks WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid FOR UPDATE`;
  const webhook = await transaction.webhook.findUniqueOrThrow({ where: { companyId_id: { companyId, id } } });
  const { previousSecret, previousSecretUntil } = webhook;
  const of = { companyId, webhookId: id };
  const now = new Date();
  await transaction.webhookEarlierSecret.deleteMany({ where: { ...of, signsUntil: { lte: now } } });
  if (previousSecret === null || previousSecretUntil === null || previousSecretUntil <= now) return webhook;
  if ((await transaction.webhookEarlierSecret.count({ where: of })) >= maxEarlierSecrets)
    throw conflict(`The secret was rotated too often in the last ${rotationHours} hours. Try again later.`);
  const data = { ...of, secret: previousSecret, signsUntil: previousSecretUntil };
  await transaction.webhookEarlierSecret.create({ data });
  return webhook;
}

/** Deletes a webhook. */
const deleteWebhook = defineOperation({
  ...inSession,
  action: 'delete',
  field: 'deleteWebhook',
  label: 'Delete webhook',
  description: 'Delete a webhook with its log of deliveries.',
  returns: (kit) => webhookTypes(kit).Webhook,
  args: (arg) => ({ id: arg.id(id) }),
  async run(args, context) {
    const where = keyOf(await findWebhook(uuidArgument(args, 'id'), context));
    return writeAndRecord('webhook_deleted', context, (transaction) =>
      transaction.webhook.delete({ where, include: withCompany }),
    );
  },
});

/**
 * The operations on webhooks: people who are signed in manage their own, and admins those of the company. They read
 * across companies, as a company's webhooks for test data belong to its sandbox, which is another company.
 */
export const webhookOperations: readonly Definition[] = [
  listWebhooks,
  createWebhook,
  updateWebhook,
  rotateWebhookSecret,
  deleteWebhook,
  ...deliveryOperations({
    find: (id, context) => findWebhook(id, context),
    findOwn: (id, context) => findOwn(id, context),
  }),
];

/** Adds what webhooks are created and changed with. */
function addInputs({ builder }: SchemaKit, { ChangedResource, ChangeAction }: ChangeTypes) {
  const texts = {
    name: 'Purpose of the webhook.',
    url: 'URL that messages are sent to, by POST: https, or http where the operator of the service allows its host.',
    resources: 'Resources whose changes are sent; all if empty.',
    actions: 'Actions that are sent; all if empty.',
    filter:
      'Conditions on the row, as those of its list in GraphQL, such as `{ status: { eq: PENDING } }`; for one resource. Only changes of rows that match are sent. By default, all are sent.',
    selection:
      'Fields of the row that are sent, as in a query, such as `{ title assignee { fullName } }`; for one resource. By default, the row before and after the change is sent.',
  };
  const fields = { maxLength: maxSelectionLength, label: 'Fields' };
  const sent = (t: InputFields) => ({
    resources: t.field({ type: [ChangedResource], description: texts.resources }),
    actions: t.field({ type: [ChangeAction], description: texts.actions }),
    filter: t.string({ description: texts.filter, extensions: { maxLength: maxFilterLength } }),
    selection: t.string({ description: texts.selection, extensions: fields }),
  });
  const CreateInput = builder.inputType('CreateWebhookInput', {
    description: 'A new webhook.',
    fields: (t) => ({
      name: t.string({ required: true, description: texts.name, extensions: lengthOf('Webhook', 'name') }),
      url: t.string({ required: true, description: texts.url, extensions: lengthOf('Webhook', 'url') }),
      ...sent(t),
      live: t.boolean({
        defaultValue: true,
        description: 'Whether it is notified of changes of live data, or of the sandbox.',
      }),
    }),
  });
  const UpdateInput = builder.inputType('UpdateWebhookInput', {
    description: 'Changes of a webhook.',
    fields: (t) => ({
      name: t.string({ description: texts.name, extensions: lengthOf('Webhook', 'name') }),
      url: t.string({ description: texts.url, extensions: lengthOf('Webhook', 'url') }),
      ...sent(t),
      enabled: t.boolean({ description: 'Whether the webhook is on. Changes made while it is off are never sent.' }),
    }),
  });
  return { CreateInput, UpdateInput };
}

/**
 * Writes a webhook, and an event of the security log in the same transaction. The event has only the host of the URL,
 * as the rest may be secret.
 */
async function writeAndRecord(
  action: SecurityAction,
  context: Context,
  write: (transaction: Prisma.TransactionClient) => Promise<WebhookRow>,
): Promise<WebhookRow> {
  const companyId = await mainCompanyId(context);
  return context.unscopedDb.$transaction(async (transaction) => {
    const webhook = await write(transaction);
    const { userId: personId, name, url, enabled } = webhook;
    const details = { webhook: name, host: new URL(url).host, enabled };
    await recordSecurityEvent(transaction, { action, actor: actorOf(context), companyId, personId, details });
    return webhook;
  });
}

const keyOf = ({ companyId, id }: WebhookRow) => ({ companyId_id: { companyId, id } });

/** Selects the webhooks of the active company and its sandbox. */
async function ofCompany(context: Context) {
  const id = await mainCompanyId(context);
  return { company: { OR: [{ id }, { sandboxOfId: id }] } };
}

/** Selects those that the caller may manage. */
const manageable = async (context: Context) => ({
  ...(await ofCompany(context)),
  ...(context.caller.role !== 'ADMIN' && { userId: context.caller.userId }),
});

/** @throws ServiceError NOT_FOUND */
async function findWebhook(id: string, context: Context): Promise<WebhookRow> {
  const found = await context.unscopedDb.webhook.findFirst({
    where: { ...(await manageable(context)), id },
    include: withCompany,
  });
  if (!found) throw notFound('webhook');
  return found;
}

/**
 * Rejects a caller who does not own a webhook: its messages have what the owner may read, and an admin could send them
 * elsewhere.
 *
 * @throws ServiceError INSUFFICIENT_SCOPE
 */
function assertOwn({ userId }: WebhookRow, { caller }: Context): void {
  if (userId !== caller.userId)
    throw insufficientRole('Only the owner of this webhook can do this; admins can turn it off and delete it.');
}

/** @throws ServiceError NOT_FOUND, or INSUFFICIENT_SCOPE for an admin who does not own it */
async function findOwn(id: string, context: Context): Promise<WebhookRow> {
  const found = await findWebhook(id, context);
  assertOwn(found, context);
  return found;
}

/** The company, or its sandbox. @throws ServiceError VALIDATION_ERROR */
async function companyIdOf(live: boolean, context: Context): Promise<string> {
  const mainId = await mainCompanyId(context);
  if (live) return mainId;
  const sandbox = await context.unscopedDb.company.findFirst({ where: { sandboxOfId: mainId } });
  if (!sandbox) throw validationError({ live: 'must be true, as the company has no sandbox' });
  return sandbox.id;
}

/** The properties of an object that are set. */
const withoutNull = <T extends object>(given: T): { [Key in keyof T]?: NonNullable<T[Key]> } =>
  // The compiler does not know that the filter leaves these.
  Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };
