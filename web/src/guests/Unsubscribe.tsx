import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { notificationKinds } from '../../../src/schema/notifications/kinds.ts';
import { unsubscribe } from '../api/notifications.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';

export default function Unsubscribe() {
  usePageTitle('Unsubscribe');
  const token = new URLSearchParams(location.search).get('token') ?? '';
  // A query, as repeating the request changes nothing.
  const { data: kinds, error } = useQuery({ queryKey: ['unsubscribe', token], queryFn: () => unsubscribe(token) });
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Unsubscribe
          </Title>
          {error && (
            <ErrorAlert title="Couldn't stop these emails" takeFocus={false}>
              {error.message}
            </ErrorAlert>
          )}
          {!kinds && !error && <LoadingSkeleton />}
          <Text role="status">
            {kinds &&
              `You get no more emails of this kind: ${kinds.map((kind) => notificationKinds[kind].label).join(', ')}.`}
          </Text>
          <Text>
            You still get these notifications in your list.{' '}
            <Anchor href="/notifications">Open your notifications</Anchor> to choose what you are notified of.
          </Text>
        </Stack>
      </Card>
    </GuestPage>
  );
}
