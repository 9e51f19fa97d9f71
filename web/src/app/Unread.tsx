import { Indicator } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getUnreadCount } from '../api/notifications.ts';
import { pollEvery } from '../live/polling.ts';
import { t } from '../texts/app.ts';
import { PageLink } from './Link.tsx';

/** How often (ms) the number is read again. */
const everyMs = 60_000;

/** The number of notifications that are not read yet, which leads to them. */
export function Unread() {
  const { data: count = 0 } = useQuery({
    queryKey: ['unread'],
    queryFn: getUnreadCount,
    refetchInterval: pollEvery(everyMs),
  });
  return (
    <Indicator label={count} disabled={count === 0} size={16} color="red.9" offset={2} inline>
      <PageLink to="/notifications" c="inherit" underline="hover" size="sm" aria-label={t('inboxUnread', { count })}>
        {t('inbox')}
      </PageLink>
    </Indicator>
  );
}
