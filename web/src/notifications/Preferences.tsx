import { Card, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import {
  listPreferences,
  type NotificationDelivery,
  type NotificationKind,
  type Preference,
  setPreference,
} from '../api/notifications.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatName } from '../format.ts';

const choices = [
  { value: 'OFF', label: 'Off' },
  { value: 'LIST', label: 'In the list' },
  { value: 'EMAIL', label: 'In the list and by email' },
] satisfies { value: NotificationDelivery; label: string }[];

/** How the person is notified of each kind. */
export function Preferences() {
  const { data, error: loadError } = useQuery(listPreferences);
  const [changed, setChanged] = useState<readonly Preference[]>();
  const [status, setStatus] = useState('');
  const { mutate, error } = useMutation(async (kind: NotificationKind, delivery: NotificationDelivery) => {
    setChanged(await setPreference(kind, delivery));
    setStatus(`${nameOf(kind)}: ${choices.find(({ value }) => value === delivery)?.label.toLowerCase() ?? ''}.`);
  });
  const preferences = changed ?? data;
  const heading = useRef<HTMLHeadingElement>(null);
  const isLoaded = preferences !== undefined;
  // Links in emails lead here; the browser looked for this element before it was rendered.
  useEffect(() => {
    if (isLoaded && location.hash === '#preferences') heading.current?.scrollIntoView();
  }, [isLoaded]);
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="preferences">
      <Stack>
        <Title order={2} size="h3" id="preferences" ref={heading}>
          Notification settings
        </Title>
        <Text size="sm">
          These settings apply to you, in this company. You are not notified of what you do yourself.
        </Text>
        {loadError && <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>}
        {error && <ErrorAlert title="Couldn't save your choice">{error.message}</ErrorAlert>}
        {!preferences && !loadError && <LoadingSkeleton />}
        {preferences?.map(({ kind, delivery, description }) => (
          <NativeSelect
            key={kind}
            label={nameOf(kind)}
            description={description}
            value={delivery}
            data={choices}
            // The options are deliveries.
            onChange={({ currentTarget }) => mutate(kind, currentTarget.value as NotificationDelivery)}
          />
        ))}
        <Text role="status" size="sm">
          {status}
        </Text>
      </Stack>
    </Card>
  );
}

const nameOf = (kind: NotificationKind): string => formatName(kind.toLowerCase());
