import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { listNotifications, markRead, type NotificationEntry } from '../api/notifications.ts';
import { PageLink } from '../app/Link.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { moveFocus } from '../components/moveFocus.ts';
import { useMeta } from '../components/useMeta.ts';
import { formatTime } from '../format.ts';
import { t } from '../texts/notifications.ts';

type Page = Awaited<ReturnType<typeof listNotifications>>;

/** Which notifications are marked, all without `ids`, and what is said then. */
interface Marking {
  readonly ids?: readonly string[];
  readonly message: string;
}

const queryKey = ['notifications'];

/** What the person is notified of, newest first. */
export function NotificationList() {
  const queryClient = useQueryClient();
  const { data, error, isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => listNotifications(pageParam || undefined),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const [status, setStatus] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const pages = data?.pages ?? [];
  const [newest] = pages;
  const change = (changed: (pages: readonly Page[]) => Page[]) =>
    queryClient.setQueryData<InfiniteData<Page, string>>(queryKey, (all) => {
      const kept = all && changed(all.pages);
      return kept && { pages: kept, pageParams: all.pageParams.slice(0, kept.length) };
    });
  const marking = useMutation({
    mutationFn: ({ ids }: Marking) => markRead(ids),
    onSuccess: async (count, { ids, message }) => {
      // Changed here, as newer notifications would move the ends of the pages that were read.
      change((pages) => (ids ? pages.map((page) => markIn(page, ids, count)) : pages.slice(0, 1)));
      if (!ids) await queryClient.invalidateQueries({ queryKey });
      void queryClient.invalidateQueries({ queryKey: ['unread'] });
      setStatus(message);
      // The focused button is removed.
      moveFocus(heading.current);
    },
  });
  // A page that was read before the others were marked would show its notifications as unread.
  const isBusy = isFetching || marking.isPending;
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="notifications">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h3" id="notifications" ref={heading} tabIndex={-1}>
            {newest && newest.unread > 0
              ? t('unreadNotifications', { count: newest.unread })
              : t('noUnreadNotifications')}
          </Title>
          {newest && newest.unread > 0 && (
            <Button
              variant="default"
              disabled={isBusy}
              onClick={() => marking.mutate({ message: t('allNotificationsAreRead') })}
            >
              {t('markAllAsRead')}
            </Button>
          )}
        </Group>
        {newest && !newest.isEmailed && <Text size="sm">{t('emailIsNotSentHereAll')}</Text>}
        {error && !newest && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {marking.error && <ErrorAlert title={t('couldntMarkAsRead')}>{marking.error.message}</ErrorAlert>}
        {!newest && !error && <LoadingSkeleton />}
        <Text role="status" size="sm">
          {status}
        </Text>
        {newest?.notifications.length === 0 && <Text c="dimmed">{t('noNotificationsYet')}</Text>}
        <Stack component="ul" className="list" gap={0} aria-label={t('notifications')}>
          {pages
            .flatMap(({ notifications }) => notifications)
            .map((notification) => (
              <li key={notification.id}>
                <NotificationRow
                  notification={notification}
                  isPending={isBusy}
                  onRead={() =>
                    marking.mutate({ ids: [notification.id], message: t('titleIsRead', { title: notification.title }) })
                  }
                />
              </li>
            ))}
        </Stack>
        {error && isFetchNextPageError && <ErrorAlert title={t('couldntLoadMore')}>{error.message}</ErrorAlert>}
        {hasNextPage && (
          <Button variant="default" disabled={isBusy} onClick={() => void fetchNextPage()}>
            {t('showEarlierNotifications')}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

/** Marks notifications of a page as read. @param count how many were unread */
function markIn(page: Page, ids: readonly string[], count: number): Page {
  const now = new Date().toISOString();
  const mark = (one: NotificationEntry) => (ids.includes(one.id) ? { ...one, readAt: one.readAt ?? now } : one);
  return { ...page, unread: page.unread - count, notifications: page.notifications.map(mark) };
}

interface RowProps {
  readonly notification: NotificationEntry;
  readonly isPending: boolean;
  readonly onRead: () => void;
}

function NotificationRow({ notification, isPending, onRead }: RowProps) {
  const { kind, title, text, path, at, readAt } = notification;
  const meta = useMeta();
  const mark = meta.action('markNotificationsRead').label;
  return (
    <Group justify="space-between" gap="xs">
      <div>
        <Group gap="xs">
          {path === null ? (
            <Text fw={600}>{title}</Text>
          ) : (
            <PageLink to={path} fw={600}>
              {title}
            </PageLink>
          )}
          {readAt === null && <Badge variant="outline">{t('unread')}</Badge>}
        </Group>
        <Text size="sm">{text}</Text>
        <Text size="sm" c="dimmed">
          {meta.label('NotificationKind', kind)} · {formatTime(at)}
        </Text>
      </div>
      {readAt === null && (
        <Button variant="default" size="xs" disabled={isPending} aria-label={`${mark}: ${title}`} onClick={onRead}>
          {mark}
        </Button>
      )}
    </Group>
  );
}
