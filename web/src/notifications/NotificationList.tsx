import { Anchor, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import { listNotifications, markRead, type NotificationEntry } from '../api/notifications.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { moveFocus } from '../components/moveFocus.ts';
import { useMeta } from '../components/useMeta.ts';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatCount, formatTime } from '../format.ts';

type Page = Awaited<ReturnType<typeof listNotifications>>;

/** What the person is notified of, newest first. */
export function NotificationList() {
  const { data: newest, error: loadError, refetch, update } = useQuery(useCallback(() => listNotifications(), []));
  const [earlier, setEarlier] = useState<readonly Page[]>([]);
  const [status, setStatus] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const pages = newest ? [newest, ...earlier] : [];
  const next = pages.at(-1)?.next;
  const more = useMutation(async () => {
    if (!next) return;
    const page = await listNotifications(next);
    setEarlier((pages) => [...pages, page]);
  });
  const marking = useMutation(async (ids: readonly string[] | undefined, message: string) => {
    const count = await markRead(ids);
    if (ids) {
      // Changed here, as newer notifications would move the ends of the pages that were read.
      update((page) => markIn(page, ids, count));
      setEarlier((pages) => pages.map((page) => markIn(page, ids, count)));
    } else {
      setEarlier([]);
      await refetch();
    }
    setStatus(message);
    // The focused button is removed.
    moveFocus(heading.current);
  });
  // A page that was read before the others were marked would show its notifications as unread.
  const isBusy = more.isPending || marking.isPending;
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="notifications">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h3" id="notifications" ref={heading} tabIndex={-1}>
            {newest && newest.unread > 0
              ? `${formatCount(newest.unread, 'unread notification')}`
              : 'No unread notifications'}
          </Title>
          {newest && newest.unread > 0 && (
            <Button
              variant="default"
              disabled={isBusy}
              onClick={() => marking.mutate(undefined, 'All notifications are read.')}
            >
              Mark all as read
            </Button>
          )}
        </Group>
        {newest && !newest.isEmailed && (
          <Text size="sm">Email is not sent here. All notifications are in this list.</Text>
        )}
        {loadError && <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>}
        {marking.error && <ErrorAlert title="Couldn't mark as read">{marking.error.message}</ErrorAlert>}
        {!newest && !loadError && <LoadingSkeleton />}
        <Text role="status" size="sm">
          {status}
        </Text>
        {newest?.notifications.length === 0 && <Text c="dimmed">No notifications yet.</Text>}
        <Stack component="ul" className="list" gap={0} aria-label="Notifications">
          {pages
            .flatMap(({ notifications }) => notifications)
            .map((notification) => (
              <li key={notification.id}>
                <NotificationRow
                  notification={notification}
                  isPending={isBusy}
                  onRead={() => marking.mutate([notification.id], `${notification.title} is read.`)}
                />
              </li>
            ))}
        </Stack>
        {more.error && <ErrorAlert title="Couldn't load more">{more.error.message}</ErrorAlert>}
        {next && (
          <Button variant="default" disabled={isBusy} onClick={() => more.mutate()}>
            Show earlier notifications
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
            <Anchor href={path} fw={600}>
              {title}
            </Anchor>
          )}
          {readAt === null && <Badge variant="outline">Unread</Badge>}
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
