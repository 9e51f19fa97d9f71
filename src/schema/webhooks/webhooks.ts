import { recordSecurityEvent, type SecurityAction } from '../../auth/security-log.ts';
import { lockPerson } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict, notFound, validationError } from '../../errors.ts';
import { createSecret, showSecret } from '../../events/signature.ts';
import { readPosition } from '../../events/snapshot.ts';
import { type SchemaKit, uuidArgument } from '../../resource/index.ts';
import { actorOf, mainCompanyId } from '../account/session-access.ts';
import type { LoggedType } from '../changes/change-view.ts';
import type { ChangeTypes } from '../changes/types.ts';
import { addDeliveries } from './deliveries.ts';
import { assertValid } from './input.ts';
import { type WebhookRow, webhookType, withCompany } from './types.ts';

/** How many webhooks a user can have in a company, with its sandbox. */
const maxWebhooks = 20;

/** How long (h) the previous secret signs too. */
const rotationHours = 24;

/**
 * Adds the operations on webhooks: people who are signed in manage their own, and admins those of the company. They
 * read across companies, as a company's webhooks for test data belong to its sandbox, which is another company.
 */
export function addWebhooks(kit: SchemaKit, types: readonly LoggedType[], shared: ChangeTypes): void {
  const webhookTypes = addTypes(kit, shared);
  addList(kit, webhookTypes);
  addCreation(kit, webhookTypes, types);
  addChange(kit, webhookTypes, types);
  addRotation(kit, webhookTypes);
  addDeletion(kit, webhookTypes);
  addDeliveries(kit, findWebhook);
}

function addTypes(kit: SchemaKit, shared: ChangeTypes) {
  const Webhook = webhookType(kit, shared);
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
}

type WebhookTypes = ReturnType<typeof addTypes>;

const id = { description: 'ID of the webhook.', required: true } as const;

function addList(kit: SchemaKit, { Webhook }: WebhookTypes): void {
  kit.addOperation({
    ...inSession,
    action: 'list',
    field: 'webhooks',
    description: 'List your webhooks for the active company and its sandbox; all of the company for admins.',
    returns: [Webhook],
    args: () => ({}),
    resolve: async (_args, context) =>
      context.unscopedDb.webhook.findMany({
        where: await manageable(context),
        include: withCompany,
        orderBy: { createdAt: 'desc' },
        take: 500,
      }),
  });
}

function addCreation(
  kit: SchemaKit,
  { CreatedWebhook, CreateInput }: WebhookTypes,
  types: readonly LoggedType[],
): void {
  kit.addOperation({
    ...inSession,
    action: 'create',
    field: 'createWebhook',
    description: 'Create a webhook. It is notified of changes to what you may read.',
    returns: CreatedWebhook,
    args: (arg) => ({ input: arg({ type: CreateInput, required: true, description: 'The new webhook.' }) }),
    async resolve({ input }, context, { schema }) {
      const { live, ...given } = input;
      const { unscopedDb: db, caller } = context;
      assertValid(given, { types, api: kit, schema, context });
      const companyId = await companyIdOf(live ?? true, context);
      const own = { userId: caller.userId, ...(await ofCompany(context)) };
      const secret = createSecret();
      const { name, url, resources, actions, filter, selection } = given;
      const position = await readPosition(db);
      const data = {
        ...{ companyId, userId: caller.userId, name: name.trim(), url, secret, position },
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
}

function addChange(kit: SchemaKit, { Webhook, UpdateInput }: WebhookTypes, types: readonly LoggedType[]): void {
  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'updateWebhook',
    description: 'Change a webhook, or turn it on or off.',
    returns: Webhook,
    args: (arg) => ({
      id: arg.id(id),
      input: arg({ type: UpdateInput, required: true, description: 'The changes.' }),
    }),
    async resolve(args, context, { schema }) {
      const before = await findWebhook(uuidArgument(args, 'id'), context);
      const { enabled, ...given } = args.input;
      const { name, url, resources, actions } = { ...before, ...withoutNull(given) };
      const { filter, selection } = { ...before, ...given };
      assertValid({ name, url, resources, filter, selection }, { types, api: kit, schema, context });
      const isOn = enabled ?? before.enabled;
      const begins = isOn && !before.enabled;
      const data = {
        ...{ name: name.trim(), url, enabled: isOn, resources: [...(resources ?? [])], actions: [...(actions ?? [])] },
        ...{ filter, selection },
        ...(begins && {
          position: await readPosition(context.unscopedDb),
          failingSince: null,
          switchedOffReason: null,
        }),
      };
      return writeAndRecord('webhook_changed', context, (transaction) =>
        transaction.webhook.update({ where: keyOf(before), include: withCompany, data }),
      );
    },
  });
}

function addRotation(kit: SchemaKit, { CreatedWebhook }: WebhookTypes): void {
  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'rotateWebhookSecret',
    description: `Rotate the secret of a webhook. For ${rotationHours} hours messages are signed with both the new and the old secret.`,
    returns: CreatedWebhook,
    args: (arg) => ({ id: arg.id(id) }),
    async resolve(args, context) {
      const before = await findWebhook(uuidArgument(args, 'id'), context);
      const secret = createSecret();
      const previousSecretUntil = new Date(Date.now() + rotationHours * 3_600_000);
      const data = { secret, previousSecret: before.secret, previousSecretUntil };
      const webhook = await writeAndRecord('webhook_secret_rotated', context, (transaction) =>
        transaction.webhook.update({ where: keyOf(before), include: withCompany, data }),
      );
      return { webhook, secret: showSecret(secret) };
    },
  });
}

function addDeletion(kit: SchemaKit, { Webhook }: WebhookTypes): void {
  kit.addOperation({
    ...inSession,
    action: 'delete',
    field: 'deleteWebhook',
    description: 'Delete a webhook with its log of deliveries.',
    returns: Webhook,
    args: (arg) => ({ id: arg.id(id) }),
    async resolve(args, context) {
      const where = keyOf(await findWebhook(uuidArgument(args, 'id'), context));
      return writeAndRecord('webhook_deleted', context, (transaction) =>
        transaction.webhook.delete({ where, include: withCompany }),
      );
    },
  });
}

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
  const CreateInput = builder.inputType('CreateWebhookInput', {
    description: 'A new webhook.',
    fields: (t) => ({
      name: t.string({ required: true, description: texts.name }),
      url: t.string({ required: true, description: texts.url }),
      resources: t.field({ type: [ChangedResource], description: texts.resources }),
      actions: t.field({ type: [ChangeAction], description: texts.actions }),
      filter: t.string({ description: texts.filter }),
      selection: t.string({ description: texts.selection }),
      live: t.boolean({
        defaultValue: true,
        description: 'Whether it is notified of changes of live data, or of the sandbox.',
      }),
    }),
  });
  const UpdateInput = builder.inputType('UpdateWebhookInput', {
    description: 'Changes of a webhook.',
    fields: (t) => ({
      name: t.string({ description: texts.name }),
      url: t.string({ description: texts.url }),
      resources: t.field({ type: [ChangedResource], description: texts.resources }),
      actions: t.field({ type: [ChangeAction], description: texts.actions }),
      filter: t.string({ description: texts.filter }),
      selection: t.string({ description: texts.selection }),
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

const inSession = { type: 'Webhook', path: '/webhooks', rest: false, access: 'session' } as const;

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
  if (!found) throw notFound('Webhook');
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
