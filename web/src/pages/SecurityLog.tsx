import { Button, Card, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { listSecurityEvents, type SecurityEvent } from '../api/people.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatName, formatTime } from '../format.ts';

const pageSize = 50;

export default function SecurityLog() {
  return <AdminPage title="Security log">{() => <EventList />}</AdminPage>;
}

const listNewest = () => listSecurityEvents();

function EventList() {
  const { data: newest, error } = useQuery(listNewest);
  const [earlier, setEarlier] = useState<readonly SecurityEvent[]>([]);
  const [isComplete, setIsComplete] = useState(false);
  const events = [...(newest ?? []), ...earlier];
  const more = useMutation(async () => {
    const next = await listSecurityEvents(events.at(-1)?.id);
    setEarlier([...earlier, ...next]);
    setIsComplete(next.length < pageSize);
  });
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text size="sm">Who did what with accounts, tokens, roles and settings of the company, newest first.</Text>
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!newest && !error && <LoadingSkeleton />}
        <Stack component="ul" className="list" gap={0} aria-label="Events">
          {events.map((event) => (
            <li key={event.id}>
              <EventRow event={event} />
            </li>
          ))}
        </Stack>
        {more.error && <ErrorAlert title="Couldn't load more">{more.error.message}</ErrorAlert>}
        {newest && newest.length === pageSize && !isComplete && (
          <Button variant="default" disabled={more.isPending} onClick={() => more.mutate()}>
            Show earlier events
          </Button>
        )}
      </Stack>
    </Card>
  );
}

function EventRow({ event: { action, actor, person, details, ipAddress, createdAt } }: { event: SecurityEvent }) {
  const who = actor?.fullName ?? (ipAddress === null ? 'Command line' : 'Unknown');
  const whom = person && person.fullName !== actor?.fullName ? ` · ${person.fullName}` : '';
  const facts = [formatTime(createdAt), ipAddress, ...details.map(({ name, value }) => `${name}: ${value}`)];
  return (
    <>
      <Text fw={600}>{formatName(action.toLowerCase())}</Text>
      <Text size="sm">
        {who}
        {whom}
      </Text>
      <Text size="sm" c="dimmed">
        {facts.filter((fact) => fact !== null).join(' · ')}
      </Text>
    </>
  );
}
