import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { runQuery } from '../../api/graphql.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section, useWrite } from '../../console/Place.tsx';
import { formatTime } from '../../format.ts';

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
    done: () => 'The address is made.',
    problem: "Couldn't make an address",
  });
  return (
    <Section title="In your calendar">
      <Stack gap="xs">
        <Text size="sm">
          Calendar programs show the ends, dates and dues of leases at an address of your own. Whoever has it sees what
          you may see.
        </Text>
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {feeds.length > 0 && (
          <ul className="list" aria-label="Calendar addresses">
            {feeds.map((feed) => (
              <li key={feed.id}>
                <OneFeed feed={feed} onRevoked={reread} />
              </li>
            ))}
          </ul>
        )}
        <div>
          <Button variant="default" loading={creation.isPending} onClick={() => creation.mutate(undefined)}>
            Create calendar address
          </Button>
        </div>
      </Stack>
      <SecretDialog
        title="Calendar address"
        text="Subscribe to this address in your calendar program. It is not shown again; whoever has it can read the leases."
        label="Address"
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
    done: () => 'The address is revoked: calendar programs can no longer read it.',
    problem: "Couldn't revoke it",
  });
  const made = formatTime(createdAt);
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm">Made {made}</Text>
      <Button
        variant="default"
        size="xs"
        loading={isPending}
        onClick={() => mutate(undefined)}
        aria-label={`Revoke the address made ${made}`}
      >
        Revoke
      </Button>
    </Group>
  );
}
