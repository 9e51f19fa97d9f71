import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { runQuery } from '../../api/graphql.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section, useWrite } from '../../console/Place.tsx';
import { formatTime } from '../../format.ts';
import { t } from '../../texts/places-leases.ts';

interface Feed {
  readonly id: string;
  readonly createdAt: string;
}

const listFeeds = async () =>
  (await runQuery<{ calendarFeeds: readonly Feed[] }>('query CalendarFeeds { calendarFeeds { id createdAt } }'))
    .calendarFeeds;

/** Makes an address. @returns it, which cannot be read again */
async function createFeed(): Promise<string> {
  const { createCalendarFeed } = await runQuery<{ createCalendarFeed: { readonly path: string } }>(
    'mutation CreateCalendarFeed { createCalendarFeed { path } }',
  );
  return location.origin + createCalendarFeed.path;
}

const deleteFeed = (id: string) =>
  runQuery('mutation DeleteCalendarFeed($id: ID!) { deleteCalendarFeed(id: $id) { id } }', { id });

/** The addresses by which the person's calendar programs show leases. */
export function CalendarAddresses() {
  const client = useQueryClient();
  const { data: feeds = [], error } = useQuery({ queryKey: ['calendar-feeds'], queryFn: listFeeds });
  const [address, setAddress] = useState('');
  const [isShown, setIsShown] = useState(false);
  const reread = () => client.invalidateQueries({ queryKey: ['calendar-feeds'] });
  const creation = useWrite({
    run: async () => {
      setAddress(await createFeed());
      setIsShown(true);
      await reread();
    },
    done: () => t('theAddressIsMade'),
    problem: t('couldntMakeAnAddress'),
  });
  return (
    <Section title={t('inYourCalendar')}>
      <Stack gap="xs">
        <Text size="sm">{t('calendarProgramsShowTheEndsDates')}</Text>
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {feeds.length > 0 && (
          <ul className="list" aria-label={t('calendarAddresses')}>
            {feeds.map((feed) => (
              <li key={feed.id}>
                <OneFeed feed={feed} onRevoked={reread} />
              </li>
            ))}
          </ul>
        )}
        <div>
          <Button variant="default" loading={creation.isPending} onClick={() => creation.mutate(undefined)}>
            {t('createCalendarAddress')}
          </Button>
        </div>
      </Stack>
      <SecretDialog
        title={t('calendarAddress')}
        text={t('subscribeToThisAddressInYour')}
        label={t('address')}
        secret={address}
        opened={isShown}
        onClose={() => setIsShown(false)}
        onClosed={() => setAddress('')}
      />
    </Section>
  );
}

function OneFeed({
  feed: { id, createdAt },
  onRevoked,
}: {
  readonly feed: Feed;
  readonly onRevoked: () => Promise<void>;
}) {
  const { mutate, isPending } = useWrite({
    run: async () => {
      await deleteFeed(id);
      await onRevoked();
    },
    done: () => t('theAddressIsRevokedCalendarPrograms'),
    problem: t('couldntRevokeIt'),
  });
  const made = formatTime(createdAt);
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm">{t('madeMade', { made })}</Text>
      <Button
        variant="default"
        size="xs"
        loading={isPending}
        onClick={() => mutate(undefined)}
        aria-label={t('revokeTheAddressMadeMade', { made })}
      >
        {t('revoke')}
      </Button>
    </Group>
  );
}
