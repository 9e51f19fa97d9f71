import type { NotificationKind as StoredKind } from '../../../src/schema/notifications/kinds.ts';
import {
  MarkNotificationsReadDocument,
  type NotificationDelivery,
  type NotificationKind,
  NotificationPreferencesDocument,
  type NotificationPreferencesQuery,
  NotificationsDocument,
  type NotificationsQuery,
  SetNotificationPreferenceDocument,
  UnreadCountDocument,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';
import { sendJson } from './http.ts';

export type { NotificationDelivery, NotificationKind };

/** Something that the person is notified of. */
export type NotificationEntry = NonNullable<NotificationsQuery['notifications']>['notifications'][number];

/** How the person is notified of something. */
export type Preference = NonNullable<NotificationPreferencesQuery['notificationPreferences']>[number];

/** Lists notifications, newest first. @param before where to continue: `next` of an earlier part */
export const listNotifications = async (before?: string) =>
  (await execute(NotificationsDocument, { before: before ?? null })).notifications;

/** How many notifications are not read yet. */
export const getUnreadCount = async (): Promise<number> => (await execute(UnreadCountDocument)).notifications.unread;

/** @param ids of some notifications; all by default @returns how many were unread */
export const markRead = async (ids?: readonly string[]): Promise<number> =>
  (await execute(MarkNotificationsReadDocument, { ids: ids ? [...ids] : null })).markNotificationsRead.count;

export const listPreferences = async (): Promise<readonly Preference[]> =>
  (await execute(NotificationPreferencesDocument)).notificationPreferences;

export const setPreference = (kind: NotificationKind, delivery: NotificationDelivery) =>
  execute(SetNotificationPreferenceDocument, { kind, delivery });

/** Stops emails by the token of their link, without a session. @returns the kinds of notifications */
export const unsubscribe = async (token: string): Promise<readonly StoredKind[]> =>
  (await sendJson<{ data: { kinds: StoredKind[] } }>('POST', `/auth/unsubscribe?token=${encodeURIComponent(token)}`))
    .data.kinds;
