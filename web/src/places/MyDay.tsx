import { Text } from '@mantine/core';
import { useEffect } from 'react';
import { manifestAddress, shell } from '../../../src/pages/addresses.ts';
import { addDays, dayIn, startOfDay } from '../company-time.ts';
import { useMeta } from '../components/useMeta.ts';
import { usePageSession } from '../console/company.ts';
import { useCollections } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, usePlaceData, Waiting } from '../console/Place.tsx';
import { partsOfPlace } from '../console/place-name.ts';
import { formatDate, formatNumber } from '../format.ts';
import { companyName } from '../session.ts';
import { writeShownWork } from '../taps/store.ts';
import { useTapActions, useTaps } from '../taps/useTaps.ts';
import { t } from '../texts/places-my-day.ts';
import { Checklists } from './my-day/Checklists.tsx';
import { Clock } from './my-day/Clock.tsx';
import { type Day, dayQuery, daysAhead, dayTypes, dayVariables, type Work } from './my-day/day.ts';
import { Taps } from './my-day/Taps.tsx';
import { MaintenanceItem, ReminderItem, WorkItem } from './my-day/Work.tsx';

/** The day of somebody who goes around: what to do, and ticking it off, with or without a network. */
export default function MyDayPlace() {
  const collections = useCollections();
  const query = dayQuery((type) => collections.has(type));
  return query ? <MyDay query={query} /> : <Missing />;
}

/** Lets phones install the pages, and has this browser show something where there is no network. */
function useInstallable(slug: string) {
  useEffect(() => {
    const link = document.createElement('link');
    link.rel = 'manifest';
    link.href = `/c/${encodeURIComponent(slug)}${manifestAddress}`;
    document.head.append(link);
    // Without https there is none; the page works without it while it is open.
    if ('serviceWorker' in navigator) navigator.serviceWorker.register(shell.worker).catch(() => undefined);
    return () => link.remove();
  }, [slug]);
}

/** Keeps the assigned work in this browser until the person signs out, to be seen without a network. */
function useKeptWork(work: readonly Work[] | undefined, readAt: number) {
  const { person, company } = usePageSession();
  const meta = useMeta();
  useEffect(() => {
    if (!work) return;
    const items = work.map(({ title, status, building, floor, room }) => ({
      title,
      below: [meta.label('RequestStatus', status), ...partsOfPlace({ building: building?.name, floor, room })].join(
        ' · ',
      ),
    }));
    const shown = {
      at: new Date(readAt).toISOString(),
      person: person.full_name,
      company: companyName(company),
      items,
    };
    // Browsers keep nothing in some private windows.
    writeShownWork({ personId: person.id, companyId: company.id }, shown).catch(() => undefined);
  }, [work, readAt, person, company, meta]);
}

function MyDay({ query }: { readonly query: string }) {
  const { person, company } = usePageSession();
  useInstallable(company.slug);
  const today = dayIn(company.time_zone, new Date());
  const { data, error, dataUpdatedAt, isPlaceholderData } = usePlaceData<Day>('my-day', query, dayTypes, {
    ...dayVariables(person.id, today, addDays(today, daysAhead), startOfDay(addDays(today, 1), company.time_zone)),
  });
  useKeptWork(isPlaceholderData ? undefined : data?.requests?.nodes, dataUpdatedAt);
  const taps = useTaps();
  const actions = useTapActions();
  const parts = { taps, actions };
  return (
    <Place title={t('myDay')} aside={<Text>{formatDate(today)}</Text>}>
      <Taps taps={taps} actions={actions} />
      {data ? (
        <>
          {data.open && <Clock day={data} {...parts} />}
          {data.requests && (
            <List title={t('assignedToMe')} page={data.requests} empty={t('noRequestIsAssignedToYou')}>
              {(row) => <WorkItem row={row} {...parts} />}
            </List>
          )}
          {data.checklists && <Checklists checklists={data.checklists.nodes} today={today} {...parts} />}
          {data.maintenance && (
            <List
              title={t('maintenanceUntilToday', { today: formatDate(addDays(today, daysAhead)) })}
              page={data.maintenance}
              empty={t('noMaintenanceIsDue')}
            >
              {(row) => <MaintenanceItem row={row} today={today} {...parts} />}
            </List>
          )}
          {data.reminders && (
            <List title={t('reminders')} page={data.reminders} empty={t('noReminderIsDue')}>
              {(row) => <ReminderItem row={row} {...parts} />}
            </List>
          )}
        </>
      ) : (
        <Waiting error={error} />
      )}
    </Place>
  );
}

interface ListProps<Row> {
  readonly title: string;
  readonly page: { readonly totalCount: number; readonly nodes: readonly Row[] };
  readonly empty: string;
  readonly children: (row: Row) => React.ReactNode;
}

function List<Row extends { readonly id: string }>({ title, page, empty, children }: ListProps<Row>) {
  const { nodes, totalCount } = page;
  return (
    <Section title={title} empty={nodes.length === 0 && empty}>
      <ul className="list">
        {nodes.map((row) => (
          <li key={row.id}>{children(row)}</li>
        ))}
      </ul>
      {totalCount > nodes.length && (
        <Text size="sm">
          {t('theseAreTheFirstCountOf', { count: formatNumber(nodes.length), totalCount: formatNumber(totalCount) })}
        </Text>
      )}
    </Section>
  );
}
