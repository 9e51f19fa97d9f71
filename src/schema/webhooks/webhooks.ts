import type { GraphQLSchema } from 'graphql';
import { validateName } from '../../auth/accounts.ts';
import { findScopes } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import { badRequest, conflict, type FieldErrors, notFound, validationError } from '../../errors.ts';
import { createSecret, showSecret } from '../../events/signature.ts';
import { readPosition } from '../../events/snapshot.ts';
import { isUuid } from '../../formats.ts';
import type { SchemaKit } from '../../resource/index.ts';
import { mainCompanyId } from '../account/session-access.ts';
import type { LoggedType } from '../changes/change-view.ts';
import type { ChangeTypes } from '../changes/types.ts';
import { addDeliveries } from './deliveries.ts';
import { readSelection } from './selection.ts';
import { type WebhookRow, webhookType, withCompany } from './types.ts';

/** How many webhooks a user can have in a company, with its sandbox. */
const maxWebhooks = 20;

/** For how long (h) the secret before signs too. */
const rotationHours = 24;

/** The value of `CreateWebhookInput` or, each field optional, `UpdateWebhookInput`. */
interface WebhookInput {
  readonly name: string;
  readonly url: string;
  readonly resources?: readonly string[] | null;
  readonly actions?: readonly string[] | null;
  readonly selection?: string | null;
}

/** Adds the operations on webhooks: people who are signed in manage their own, and admins those of the company. */
export function addWebhooks(kit: SchemaKit, types: readonly LoggedType[], shared: ChangeTypes): void {
  const { builder } = kit;
  const { ChangedResource, ChangeAction } = shared;
  const Webhook = webhookType(kit, shared);
  const CreatedWebhook = builder.objectRef<{ webhook: WebhookRow; secret: string }>('WebhookWithSecret').implement({
    description: 'A webhook with its secret.',
    fields: (t) => ({
      secret: t.exposeString('secret', {
        description: 'The secret with which messages are signed, as of Standard Webhooks. It is shown only once.',
      }),
      webhook: t.expose('webhook', { type: Webhook, description: 'The webhook.' }),
    }),
  });
  const texts = {
    name: 'What it is for.',
    url: 'URL that messages are sent to, by POST: https.',
    resources: 'Resources whose changes are sent; all without any.',
    actions: 'Actions that are sent; all without any.',
    selection:
      'Fields of the row that are sent, as in a query, such as `{ title assignee { fullName } }`; for one resource. Without it the row before and after is sent.',
  };
  const CreateInput = builder.inputType('CreateWebhookInput', {
    description: 'A new webhook.',
    fields: (t) => ({
      name: t.string({ required: true, description: texts.name }),
      url: t.string({ required: true, description: texts.url }),
      resources: t.field({ type: [ChangedResource], description: texts.resources }),
      actions: t.field({ type: [ChangeAction], description: texts.actions }),
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
      selection: t.string({ description: texts.selection }),
      enabled: t.boolean({ description: 'Whether it is on. Changes while it is off are not sent later.' }),
    }),
  });
  const id = { description: 'ID of the webhook.', required: true } as const;

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
  kit.addOperation({
    ...inSession,
    action: 'create',
    field: 'createWebhook',
    description: 'Create a webhook. It is notified of changes to what you may read.',
    returns: CreatedWebhook,
    args: (arg) => ({ input: arg({ type: CreateInput, required: true, description: 'The new webhook.' }) }),
    async resolve({ input }, context, { schema }) {
      const { live, ...given } = input as WebhookInput & { live?: boolean | null };
      const { unscopedDb: db, caller } = context;
      assertValid(given, types, schema);
      const companyId = await companyIdOf(live ?? true, context);
      const own = { userId: caller.userId, ...(await ofCompany(context)) };
      if ((await db.webhook.count({ where: own })) >= maxWebhooks)
        throw conflict(`You have ${maxWebhooks} webhooks, which is the maximum. Delete one first.`);
      const secret = createSecret();
      const { name, url, resources, actions, selection } = given;
      const position = await readPosition(db);
      const webhook = await db.webhook.create({
        include: withCompany,
        data: {
          ...{ companyId, userId: caller.userId, name: name.trim(), url, secret, position },
          ...{ resources: [...(resources ?? [])], actions: [...(actions ?? [])], selection: selection ?? null },
        },
      });
      return { webhook, secret: showSecret(secret) };
    },
  });
  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'updateWebhook',
    description: 'Change a webhook, or switch it on or off.',
    returns: Webhook,
    args: (arg) => ({
      id: arg.id(id),
      input: arg({ type: UpdateInput, required: true, description: 'The changes.' }),
    }),
    async resolve(args, context, { schema }) {
      const before = await findWebhook(args['id'], context);
      const { enabled, ...given } = args['input'] as Partial<WebhookInput> & { enabled?: boolean | null };
      const { name, url, resources, actions, selection } = { ...before, ...withoutNull(given) };
      assertValid({ name, url, resources, actions, selection }, types, schema);
      const isOn = enabled ?? before.enabled;
      const begins = isOn && !before.enabled;
      return context.unscopedDb.webhook.update({
        where: keyOf(before),
        include: withCompany,
        data: {
          ...{
            name: name.trim(),
            url,
            enabled: isOn,
            resources: [...(resources ?? [])],
            actions: [...(actions ?? [])],
          },
          selection: given.selection === undefined ? before.selection : given.selection,
          ...(begins && {
            position: await readPosition(context.unscopedDb),
            failingSince: null,
            switchedOffReason: null,
          }),
        },
      });
    },
  });
  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'rotateWebhookSecret',
    description: `Create another secret of a webhook. For ${rotationHours} hours messages are signed with both.`,
    returns: CreatedWebhook,
    args: (arg) => ({ id: arg.id(id) }),
    async resolve(args, context) {
      const before = await findWebhook(args['id'], context);
      const secret = createSecret();
      const previousSecretUntil = new Date(Date.now() + rotationHours * 3_600_000);
      const data = { secret, previousSecret: before.secret, previousSecretUntil };
      const webhook = await context.unscopedDb.webhook.update({
        where: keyOf(before),
        include: withCompany,
        data,
      });
      return { webhook, secret: showSecret(secret) };
    },
  });
  kit.addOperation({
    ...inSession,
    action: 'delete',
    field: 'deleteWebhook',
    description: 'Delete a webhook with its log of deliveries.',
    returns: Webhook,
    args: (arg) => ({ id: arg.id(id) }),
    resolve: async (args, context) =>
      context.unscopedDb.webhook.delete({
        where: keyOf(await findWebhook(args['id'], context)),
        include: withCompany,
      }),
  });
  addDeliveries(kit, (webhookId, context) => findWebhook(webhookId, context));
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
async function findWebhook(id: unknown, context: Context): Promise<WebhookRow> {
  if (!isUuid(String(id))) throw badRequest('must be a uuid', 'id');
  const found = await context.unscopedDb.webhook.findFirst({
    where: { ...(await manageable(context)), id: String(id) },
    include: withCompany,
  });
  if (!found) throw notFound('Webhook');
  return found;
}

/** The company, or its sandbox. @throws ServiceError VALIDATION_ERROR */
async function companyIdOf(live: boolean, context: Context): Promise<string> {
  const mainId = await mainCompanyId(context);
  await findScopes(context.unscopedDb, mainId, context.caller.userId, live);
  if (live) return mainId;
  const sandbox = await context.unscopedDb.company.findFirst({ where: { sandboxOfId: mainId } });
  if (!sandbox) throw validationError({ live: 'must be true, as the company has no sandbox' });
  return sandbox.id;
}

const withoutNull = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null)) as Partial<T>;

/** @throws ServiceError VALIDATION_ERROR */
function assertValid(
  { name, url, resources, selection }: WebhookInput,
  types: readonly LoggedType[],
  schema: GraphQLSchema,
): void {
  const errors: FieldErrors = {};
  const nameError = validateName(name);
  if (nameError) errors['name'] = nameError;
  const urlError = checkUrl(url);
  if (urlError) errors['url'] = urlError;
  if (selection != null) {
    const [type, ...others] = types.filter((each) => resources?.includes(each.type));
    const read =
      type && others.length === 0 ? readSelection(selection, type, schema) : { problem: 'requires one resource' };
    if ('problem' in read) errors['selection'] = read.problem;
  }
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

function checkUrl(text: string): string | undefined {
  if (text.length > 2000) return 'must be at most 2000 characters';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be a URL that starts with https://';
  return url.username || url.password ? 'must not contain a password' : undefined;
}
