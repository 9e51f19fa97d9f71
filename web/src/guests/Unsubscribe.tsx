import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { notificationKinds } from '../../../src/schema/notifications/kinds.ts';
import { unsubscribe } from '../api/notifications.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatList } from '../format.ts';
import { t } from '../texts/guests.ts';
import { Trans } from '../texts/Trans.tsx';
import { loadWords } from '../texts/words.ts';

export default function Unsubscribe() {
  usePageTitle(t('unsubscribe'));
  const token = new URLSearchParams(location.search).get('token') ?? '';
  // A query, as repeating the request changes nothing.
  const { data: kinds, error } = useQuery({ queryKey: ['unsubscribe', token], queryFn: () => stop(token) });
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            {t('unsubscribe')}
          </Title>
          {error && (
            <ErrorAlert title={t('couldntStopTheseEmails')} takeFocus={false}>
              {error.message}
            </ErrorAlert>
          )}
          {!kinds && !error && <LoadingSkeleton />}
          <Text role="status">{kinds && t('youGetNoMoreEmailsOf', { kinds: formatList(kinds) })}</Text>
          <Text>
            <Trans t={t} name="youStillGetTheseNotificationsIn" components={{ a: <Anchor href="/notifications" /> }} />
          </Text>
        </Stack>
      </Card>
    </GuestPage>
  );
}

/** Stops emails of some kinds. @returns what the kinds are called */
async function stop(token: string): Promise<string[]> {
  const [kinds, say] = await Promise.all([unsubscribe(token), loadWords()]);
  return kinds.map((kind) => say('values', notificationKinds[kind].label));
}
