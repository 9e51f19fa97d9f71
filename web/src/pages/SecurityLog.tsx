import { Button, Card, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { exportSecurityLog } from '../api/auth.ts';
import { listSecurityEvents, type SecurityAction, type SecurityEvent, type SecurityFilter } from '../api/people.ts';
import { addDays } from '../company-time.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMeta } from '../components/useMeta.ts';
import { formatTime } from '../format.ts';
import { fromClockTime } from '../reader-time.ts';
import { saveResponse } from '../save.ts';
import { t } from '../texts/security-log.ts';

const pageSize = 50;

export default function SecurityLog() {
  return <AdminPage title={t('securityLog')}>{() => <FilteredLog />}</AdminPage>;
}

/** What is typed into the fields of the filter. */
const noFilter = { search: '', action: '', since: '', until: '' };

/** The log, with what selects its events. */
function FilteredLog() {
  const { choices } = useMeta();
  const [fields, setFields] = useState(noFilter);
  // A search reads many events: not one for every key.
  const [shown] = useDebouncedValue(fields, 300);
  const csv = useMutation({
    mutationFn: async () => saveResponse(await exportSecurityLog(filterOf(fields)), 'security-log.csv'),
  });
  const field = (name: keyof typeof noFilter) => ({
    name,
    value: fields[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      setFields((before) => ({ ...before, [name]: value })),
  });
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text size="sm">{t('whoDidWhatWithAccountsTokens')}</Text>
        <Group component="search" align="flex-end" gap="sm">
          <TextInput
            {...field('search')}
            label={t('search')}
            description={t('namesAddressesBrowsersAndDetails')}
            type="search"
          />
          <NativeSelect
            {...field('action')}
            label={t('action')}
            data={[{ value: '', label: t('allActions') }, ...choices('SecurityAction')]}
          />
          <TextInput {...field('since')} label={t('from')} type="date" />
          <TextInput {...field('until')} label={t('until')} type="date" />
          <SubmitButton type="button" variant="default" isPending={csv.isPending} onClick={() => csv.mutate()}>
            {t('downloadCSV')}
          </SubmitButton>
        </Group>
        {csv.error && <ErrorAlert title={t('couldntDownloadTheLog')}>{csv.error.message}</ErrorAlert>}
        <EventList key={JSON.stringify(shown)} fields={shown} />
      </Stack>
    </Card>
  );
}

function EventList({ fields }: { readonly fields: typeof noFilter }) {
  const { data, error, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = useInfiniteQuery({
    queryKey: ['security-log', fields],
    queryFn: ({ pageParam }) => listSecurityEvents(filterOf(fields), pageParam || undefined),
    initialPageParam: '',
    getNextPageParam: (page: readonly SecurityEvent[]) => (page.length === pageSize ? page.at(-1)?.id : null),
  });
  const events = data?.pages.flat();
  return (
    <>
      {error && !events && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
      {!events && !error && <LoadingSkeleton />}
      <Text role="status" size="sm" c="dimmed">
        {events?.length === 0 && t('noSuchEvents')}
      </Text>
      {events && events.length > 0 && (
        <Stack component="ul" className="list" gap={0} aria-label={t('events')}>
          {events.map((event) => (
            <li key={event.id}>
              <EventRow event={event} />
            </li>
          ))}
        </Stack>
      )}
      {error && isFetchNextPageError && <ErrorAlert title={t('couldntLoadMore')}>{error.message}</ErrorAlert>}
      {hasNextPage && (
        <Button variant="default" disabled={isFetching} onClick={() => void fetchNextPage()}>
          {t('showEarlierEvents')}
        </Button>
      )}
    </>
  );
}

/** The filter of the API: days are the reader's, and the last one is included. */
function filterOf({ search, action, since, until }: typeof noFilter): SecurityFilter {
  const startOf = (day: string, later = 0) => {
    // While a year is being typed, the day can be one that JavaScript does not have.
    return Number.isNaN(Date.parse(day)) ? undefined : fromClockTime(`${addDays(day, later)}T00:00`);
  };
  // The options are actions.
  const actions = action ? [action as SecurityAction] : undefined;
  return {
    ...(search.trim() && { search }),
    ...(actions && { actions }),
    ...(since && { since: startOf(since) }),
    ...(until && { until: startOf(until, 1) }),
  };
}

function EventRow({ event: { action, actor, person, details, ipAddress, createdAt } }: { event: SecurityEvent }) {
  const { label } = useMeta();
  const who = actor?.fullName ?? (ipAddress === null ? t('commandLine') : t('unknown'));
  const whom = person && person.fullName !== actor?.fullName ? ` · ${person.fullName}` : '';
  const facts = [formatTime(createdAt), ipAddress, ...details.map(({ name, value }) => `${name}: ${value}`)];
  return (
    <>
      <Text fw={600}>{label('SecurityAction', action)}</Text>
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
