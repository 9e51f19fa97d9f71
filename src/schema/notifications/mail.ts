import type { Message } from '../../mail/index.ts';
import { upperFirst } from '../../names.ts';
import { kindNames, type NotificationKind, notificationKinds } from './kinds.ts';
import { formatTime } from './texts.ts';
import type { NotificationView } from './view.ts';

/** The most notifications that a message has; the others are on the page. */
const maxItems = 20;

/** The context of a message, besides its notifications. */
interface MailContext {
  readonly companyName: string;
  readonly slug: string;
  readonly timeZone: string;
  /** Creates the token of a link that stops emails about some kinds. */
  readonly signUnsubscribe: (kinds: readonly NotificationKind[]) => Promise<string>;
}

/** Composes the email about notifications of one person. @param views at least one, oldest first */
export async function composeMail(
  views: readonly NotificationView[],
  { companyName, slug, timeZone, signUnsubscribe }: MailContext,
): Promise<Omit<Message, 'to'>> {
  const isOfOneRow = new Set(views.map(({ rowId }) => rowId)).size === 1;
  const [first] = views;
  const shown = views.slice(0, maxItems).map(({ title, text, at }) => {
    const time = `${formatTime(at, timeZone)} (${timeZone})`;
    return isOfOneRow ? `${time}: ${text}` : `${title}: ${text} (${time})`;
  });
  const more = views.length - shown.length;
  const kinds = kindNames.filter((name) => views.some(({ kind }) => kind === name));
  const pathTo = async (chosen: readonly NotificationKind[]) =>
    `unsubscribe?token=${encodeURIComponent(await signUnsubscribe(chosen))}`;
  const stops = kinds.map(async (kind) => ({
    label: `Stop emails of this kind: ${notificationKinds[kind].label}`,
    path: `/${await pathTo([kind])}`,
  }));
  const list = { label: 'Open your notifications', path: `/notifications?company=${slug}` };
  return {
    id: first?.id,
    subject: subjectOf(views, kinds, isOfOneRow),
    paragraphs: [
      isOfOneRow && first ? `${upperFirst(first.noun)} "${first.title}" at ${companyName}` : companyName,
      ...shown,
      ...(more > 0 ? [`${more} more ${more === 1 ? 'is' : 'are'} on the page.`] : []),
    ],
    link: isOfOneRow && first?.path ? { label: `Open the ${first.noun}`, path: first.path } : list,
    footer: [
      ...(isOfOneRow && first?.path ? [list] : []),
      ...(await Promise.all(stops)),
      { label: 'Choose what you are notified of', path: `/notifications?company=${slug}#preferences` },
    ],
    unsubscribePath: `/auth/${await pathTo(kinds)}`,
  };
}

/** One subject for all messages about a request, so that mail programs show them together. */
function subjectOf(
  views: readonly NotificationView[],
  kinds: readonly NotificationKind[],
  isOfOneRow: boolean,
): string {
  const [first] = views;
  const [kind] = kinds;
  const label = kinds.length === 1 && kind ? notificationKinds[kind].label : undefined;
  if (!isOfOneRow || !first) return label ? `${label}: ${views.length}` : `${views.length} notifications`;
  const { isAboutRequest } = notificationKinds[first.kind];
  return `${isAboutRequest || !label ? upperFirst(first.noun) : label}: ${first.title}`;
}
