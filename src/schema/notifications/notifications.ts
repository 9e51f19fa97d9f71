import type { Context } from '../../context.ts';
import {
  assertPageSize,
  type Definition,
  defineOperation,
  defineType,
  maxPageSize,
  type SchemaKit,
  uuidArgument,
} from '../../resource/index.ts';
import { idsArgument, isInSandbox } from '../account/session-access.ts';
import { type LoggedType, loggedTypes } from '../changes/change-view.ts';
import {
  deliveries,
  deliveryOf,
  kindNames,
  type NotificationDelivery,
  type NotificationKind,
  notificationKinds,
} from './kinds.ts';
import { readNotifications } from './read.ts';
import type { NotificationView } from './view.ts';

/** How a person is notified of a kind. */
interface Preference {
  readonly kind: NotificationKind;
  readonly delivery: NotificationDelivery;
}

/** A page of notifications. */
interface Page {
  readonly notifications: readonly NotificationView[];
  readonly next: string | null;
  readonly unread: number;
  readonly isEmailed: boolean;
}

const types = defineType((kit) => {
  const kinds = addKindTypes(kit);
  const NotificationPage = addPageType(kit, kinds);
  const NotificationPreference = addPreferenceType(kit, kinds);
  const Read = kit.builder.objectRef<{ count: number }>('ReadNotifications').implement({
    description: 'The result of marking notifications as read.',
    fields: (t) => ({ count: t.exposeInt('count', { description: 'Number of notifications that were unread.' }) }),
  });
  return { ...kinds, NotificationPage, NotificationPreference, Read };
});

const ofPeople = { type: 'Notification', path: '/notifications', rest: false, access: 'session' } as const;

/** The notifications of the signed-in person. Tokens have no scope for them. */
const listNotifications = defineOperation({
  ...ofPeople,
  action: 'read',
  field: 'notifications',
  description: 'List your notifications, newest first. They are kept for 90 days.',
  returns: (kit) => types(kit).NotificationPage,
  args: (arg) => ({
    first: arg.int({ defaultValue: 25, description: `Maximum number of notifications, 1 to ${maxPageSize}.` }),
    before: arg.id({ description: 'Where to continue: `next` of an earlier part.' }),
  }),
  run: (args, context, _info, { resources }) => listOwn(args, loggedTypes(resources), context),
});

/** Marks notifications as read. */
const markRead = defineOperation({
  ...ofPeople,
  action: 'update',
  field: 'markNotificationsRead',
  label: 'Mark as read',
  description: 'Mark your notifications as read.',
  returns: (kit) => types(kit).Read,
  args: (arg) => ({
    ids: arg.idList({ description: `IDs of notifications, at most ${maxPageSize}. By default, all of yours.` }),
  }),
  async run({ ids }, context) {
    return context.db.notification.updateMany({
      where: { ...ofCaller(context), readAt: null, ...(ids && { id: { in: idsArgument(ids) } }) },
      data: { readAt: new Date() },
    });
  },
});

/** How the person is notified of each kind. */
const listKinds = defineOperation({
  ...ofPeople,
  type: 'NotificationPreference',
  action: 'list',
  field: 'notificationPreferences',
  description: 'List how you receive each kind of notification in the active company.',
  returns: (kit) => [types(kit).NotificationPreference],
  run: (_args, context) => listPreferences(context),
});

/** Chooses how the person is notified of a kind. */
const choosePreference = defineOperation({
  ...ofPeople,
  type: 'NotificationPreference',
  action: 'update',
  field: 'setNotificationPreference',
  label: 'Choose',
  description:
    'Choose how you receive one kind of notification in the active company. Returns all of your preferences.',
  returns: (kit) => [types(kit).NotificationPreference],
  args: (arg, kit) => ({
    kind: arg({ type: types(kit).Kind, required: true, description: 'The kind of notification.' }),
    delivery: arg({ type: types(kit).Delivery, required: true, description: 'How you are notified.' }),
  }),
  async run({ kind, delivery }, context) {
    await setPreference({ kind, delivery }, context);
    return listPreferences(context);
  },
});

/** The notifications of the signed-in person. */
export const notifications: readonly Definition[] = [listNotifications, markRead, listKinds, choosePreference];

function addKindTypes({ builder }: SchemaKit) {
  const Kind = builder.enumType('NotificationKind', {
    description: 'Kind of notification.',
    values: Object.fromEntries(
      kindNames.map((kind) => {
        const { description, label } = notificationKinds[kind];
        return [kind.toUpperCase(), { value: kind, description, extensions: { label } }];
      }),
    ),
  });
  const Delivery = builder.enumType('NotificationDelivery', {
    description: 'How a person is notified.',
    values: {
      OFF: { value: 'off', description: 'Not at all.' },
      LIST: { value: 'list', description: 'In the list of notifications.', extensions: { label: 'In the list' } },
      EMAIL: {
        value: 'email',
        description: 'In the list of notifications, and by email.',
        extensions: { label: 'In the list and by email' },
      },
    },
  });
  return { Kind, Delivery };
}

type KindTypes = ReturnType<typeof addKindTypes>;

function addPageType({ builder }: SchemaKit, { Kind }: KindTypes) {
  const Notification = builder.objectRef<NotificationView>('Notification').implement({
    description: 'Something that you are notified of.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the notification.' }),
      kind: t.field({ type: Kind, description: 'What it is about.', resolve: ({ kind }) => kind }),
      resource: t.exposeString('resource', { description: 'GraphQL type of the row that it is about.' }),
      rowId: t.field({ type: 'ID', description: 'ID of the row.', resolve: ({ rowId }) => rowId }),
      title: t.exposeString('title', { description: 'Name of the row.' }),
      text: t.exposeString('text', { description: 'What happened, as a sentence.' }),
      path: t.exposeString('path', {
        nullable: true,
        description: "Path of a page that shows the row, relative to the service's address. Null for a deleted row.",
      }),
      at: t.field({ type: 'DateTime', description: 'Time of the change.', resolve: ({ at }) => at }),
      readAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time you marked it as read. Null if it is unread.',
        resolve: ({ readAt }) => readAt,
      }),
    }),
  });
  return builder.objectRef<Page>('NotificationPage').implement({
    description: 'A part of your notifications.',
    fields: (t) => ({
      notifications: t.field({
        type: [Notification],
        description: 'The notifications, newest first.',
        resolve: (page) => [...page.notifications],
      }),
      next: t.field({
        type: 'ID',
        nullable: true,
        description: 'Where to continue. Pass it as `before`. Null at the end.',
        resolve: ({ next }) => next,
      }),
      unread: t.exposeInt('unread', { description: 'Number of all unread notifications.' }),
      isEmailed: t.exposeBoolean('isEmailed', {
        description: 'Whether email is sent: only if the service has a mail server, and not from a sandbox.',
      }),
    }),
  });
}

function addPreferenceType({ builder }: SchemaKit, { Kind, Delivery }: KindTypes) {
  return builder.objectRef<Preference>('NotificationPreference').implement({
    description: 'How you receive one kind of notification.',
    fields: (t) => ({
      kind: t.field({ type: Kind, description: 'The kind of notification.', resolve: ({ kind }) => kind }),
      delivery: t.field({ type: Delivery, description: 'How you are notified.', resolve: ({ delivery }) => delivery }),
      description: t.string({
        description: 'When you are notified.',
        resolve: ({ kind }) => notificationKinds[kind].description,
      }),
    }),
  });
}

const ofCaller = ({ caller: { userId } }: Context) => ({ userId });

/** @throws ServiceError BAD_REQUEST */
async function listOwn(
  args: { readonly first?: number | null; readonly before?: string | null },
  types: readonly LoggedType[],
  context: Context,
): Promise<Page> {
  const { first } = args;
  assertPageSize(first);
  const before = args.before == null ? undefined : uuidArgument(args, 'before');
  const { notification } = context.db;
  const rows = await notification.findMany({
    where: { ...ofCaller(context), ...(before !== undefined && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: first + 1,
  });
  const page = rows.slice(0, first);
  return {
    notifications: await readNotifications(page, types, context),
    next: rows.length > first ? (page.at(-1)?.id ?? null) : null,
    unread: await notification.count({ where: { ...ofCaller(context), readAt: null } }),
    isEmailed: context.mailer.isEnabled && !(await isInSandbox(context)),
  };
}

async function listPreferences(context: Context): Promise<Preference[]> {
  const stored = await context.db.notificationPreference.findMany({
    where: ofCaller(context),
    select: { kind: true, delivery: true },
    take: kindNames.length * deliveries.length,
  });
  return kindNames.map((kind) => ({ kind, delivery: deliveryOf(kind, stored) }));
}

async function setPreference({ kind, delivery }: Preference, context: Context): Promise<void> {
  const { notificationPreference } = context.db;
  const key = { ...ofCaller(context), kind };
  // Of two requests at the same time, one creates the row and the other changes it.
  const { count } = await notificationPreference.createMany({ data: [{ ...key, delivery }], skipDuplicates: true });
  if (count === 0) await notificationPreference.updateMany({ where: key, data: { delivery } });
}
