import { useForm } from '@mantine/form';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { t } from '../texts/dashboard.ts';
import '@mantine/charts/styles.css';
import { Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ActiveCompany } from '../api/auth.ts';
import { type ResponseData, rest, unwrap } from '../api/rest.ts';
import { lastDays } from '../company-time.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { Breakdown } from '../components/Breakdown.tsx';
import { Chart } from '../components/Chart.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { Stat, StatGrid } from '../components/Stats.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { type BinSize, binDays, binSizeFor } from '../dashboard/bins.ts';
import { formatAmount, formatDate, formatMonth, formatNumber, formatRounded, formatShortDate } from '../format.ts';
import { type ListName, listTitles } from '../lists/titles.ts';

type Analytics = ResponseData<'/dashboard/analytics', 'get'>;

/** The first and last day to show; empty for the service's default, the last 30 days. */
interface DateRange {
  readonly startDate: string;
  readonly endDate: string;
}

/** The range in the address of the page. */
function rangeInAddress(): DateRange {
  const given = new URLSearchParams(location.search);
  return { startDate: given.get('startDate') ?? '', endDate: given.get('endDate') ?? '' };
}

/** The query parameters of a range, for the API and this page's URL. */
const queryOf = (range: DateRange): Partial<DateRange> =>
  Object.fromEntries(Object.entries(range).filter(([, date]) => date !== ''));

const getAnalytics = (range: DateRange): Promise<Analytics> =>
  unwrap(rest.GET('/dashboard/analytics', { params: { query: queryOf(range) } }));

/** Whether the last day is before the first one. */
const isReversed = ({ startDate, endDate }: DateRange) => startDate !== '' && endDate !== '' && endDate < startDate;

export default function Dashboard() {
  usePageTitle(t('dashboard'));
  return <AuthenticatedPage>{({ company }) => <Content company={company} />}</AuthenticatedPage>;
}

function Content({ company }: { company: ActiveCompany }) {
  const navigate = useNavigate();
  const [range, setRange] = useState(rangeInAddress);
  const [isRefused, setRefused] = useState(() => isReversed(range));
  const { data, error, isFetching } = useQuery({
    queryKey: ['analytics', range],
    queryFn: () => getAnalytics(range),
    placeholderData: keepPreviousData,
    enabled: !isReversed(range),
  });
  const problem = isRefused ? t('endDateMustBeOnOr') : error?.message;

  function show(next: DateRange) {
    setRefused(isReversed(next));
    if (isReversed(next)) return;
    setRange(next);
    void navigate({ href: `/dashboard?${new URLSearchParams({ ...queryOf(next) }).toString()}`, replace: true });
  }

  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          {t('dashboard')}
        </Title>
        <DateRangeForm range={data?.range} timeZone={company.time_zone} onSelect={show} />
      </Group>
      <Text role="status" size="sm">
        {isFetching
          ? t('loading')
          : data &&
            t('requestsCreatedFrom', {
              start: formatDate(data.range.start_date),
              end: formatDate(data.range.end_date),
            })}
      </Text>
      {problem && (
        <ErrorAlert title={t('couldntLoadTheseDates')} takeFocus={false}>
          {withLabels(problem)}
        </ErrorAlert>
      )}
      {!data && !problem && <LoadingSkeleton />}
      {data && <Figures {...data} company={company} />}
    </Stack>
  );
}

/** Replaces parameter names of the API by labels. */
const withLabels = (message: string) =>
  message.replace(/startDate:?/g, t('startDate')).replace(/endDate:?/g, t('endDate'));

interface DateRangeFormProps {
  readonly range?: Analytics['range'];
  readonly timeZone: string;
  readonly onSelect: (range: DateRange) => void;
}

function DateRangeForm({ range, timeZone, onSelect }: DateRangeFormProps) {
  const form = useForm<DateRange>({ initialValues: { startDate: '', endDate: '' } });
  const { values, isDirty, setValues, resetDirty } = form;
  // Shows the range of the loaded figures in the fields, but keeps what somebody is typing while they load.
  useEffect(() => {
    if (!range || isDirty()) return;
    const loaded = { startDate: range.start_date, endDate: range.end_date };
    if (loaded.startDate === values.startDate && loaded.endDate === values.endDate) return;
    setValues(loaded);
    resetDirty(loaded);
  }, [range, values, isDirty, setValues, resetDirty]);
  const select = (selected: DateRange) => {
    resetDirty(values);
    onSelect(selected);
  };
  return (
    <form aria-label={t('dateRange')} onSubmit={form.onSubmit(select)}>
      <Group align="flex-end" gap="xs">
        <TextInput type="date" size="xs" label={t('startDate')} {...form.getInputProps('startDate')} />
        <TextInput type="date" size="xs" label={t('endDate')} {...form.getInputProps('endDate')} />
        <Button type="submit" size="xs">
          {t('apply')}
        </Button>
        {[7, 30, 90, 365].map((days) => (
          <Button
            key={days}
            size="xs"
            variant="default"
            onClick={() => select(lastDays(days, timeZone))}
            aria-label={t('lastDays', { count: days })}
          >
            {t('days', { count: days })}
          </Button>
        ))}
      </Group>
    </form>
  );
}

/** What a figure is called, and its list. */
const figureOf = (name: ListName) => ({ label: listTitles()[name], list: name });

const completionTime = (hours: number | null) =>
  hours === null ? t('noneCompleted') : t('completedInHoursHOnAverage', { hours: formatRounded(hours) });

function Figures({
  range,
  service_requests,
  move_requests,
  inventory,
  leases,
  assets,
  procurement,
  packages,
  reminders,
  company: { currency },
}: Analytics & { company: ActiveCompany }) {
  const days = { startDate: range.start_date, endDate: range.end_date };
  return (
    <>
      <StatGrid columns={5}>
        <Stat
          {...figureOf('service-requests')}
          search={days}
          value={formatNumber(service_requests.total)}
          note={completionTime(service_requests.average_hours_to_complete)}
        />
        <Stat
          {...figureOf('move-requests')}
          search={days}
          value={formatNumber(move_requests.total)}
          note={completionTime(move_requests.average_hours_to_complete)}
        />
        <Stat
          {...figureOf('low-stock')}
          value={formatNumber(inventory.low_stock)}
          note={t('ofItems', { count: inventory.items })}
          isWarning={inventory.low_stock > 0}
        />
        <Stat {...figureOf('stock-value')} value={formatAmount(inventory.stock_value, currency)} />
        <Stat
          {...figureOf('expiring-leases')}
          value={formatNumber(leases.expiring_in_90_days)}
          note={t('in90DaysActiveActive', { active: formatNumber(leases.active) })}
        />
        <Stat
          {...figureOf('lease-payments')}
          value={formatAmount(leases.due_this_month, currency)}
          note={t('dueThisMonth')}
        />
        <Stat
          {...figureOf('overdue-maintenance')}
          value={formatNumber(assets.overdue_maintenance)}
          isWarning={assets.overdue_maintenance > 0}
        />
        <Stat
          {...figureOf('open-requisitions')}
          value={formatAmount(procurement.open_amount, currency)}
          note={t('requisitions', { count: procurement.open_requisitions })}
        />
        <Stat
          {...figureOf('expected-packages')}
          value={formatNumber(packages.expected)}
          note={t('receivedReadyToCollect', { received: formatNumber(packages.received) })}
        />
        <Stat {...figureOf('reminders-due')} value={formatNumber(reminders.due)} isWarning={reminders.due > 0} />
      </StatGrid>
      <RequestsCreated service={service_requests.created_per_day} move={move_requests.created_per_day} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Breakdown title={t('serviceRequestsByStatus')} of="RequestStatus" counts={service_requests.by_status} />
        <Breakdown title={t('serviceRequestsByPriority')} of="RequestPriority" counts={service_requests.by_priority} />
        <Breakdown title={t('moveRequestsByStatus')} of="RequestStatus" counts={move_requests.by_status} />
        <Breakdown title={t('moveRequestsByPriority')} of="RequestPriority" counts={move_requests.by_priority} />
        <Breakdown title={t('assetsByStatus')} of="AssetStatus" counts={assets.by_status} />
      </SimpleGrid>
    </>
  );
}

const perSize = { day: 'createdPerDay', week: 'createdPerWeek', month: 'createdPerMonth' } as const;

type DayCounts = Analytics['service_requests']['created_per_day'];

/** A chart of the requests created per day, week or month, by the length of the range. */
function RequestsCreated({ service, move }: { service: DayCounts; move: DayCounts }) {
  const size = binSizeFor(service.length);
  // A range of more than a year has the same day twice.
  const formatLabel = size === 'month' ? formatMonth : service.length > 365 ? formatDate : formatShortDate;
  const moveBins = binDays(move, size);
  return (
    <Chart
      title={t(perSize[size])}
      rowHeading={headings()[size]}
      rows={binDays(service, size).map(({ date, count }, index) => ({
        label: formatLabel(date),
        service: count,
        move: moveBins[index]?.count ?? 0,
      }))}
      series={[
        { name: 'service', label: listTitles()['service-requests'], color: 'cyan.6' },
        { name: 'move', label: listTitles()['move-requests'], color: 'orange.5' },
      ]}
      format={formatNumber}
      isInteger
    />
  );
}

const headings = (): Readonly<Record<BinSize, string>> => ({ day: t('day'), week: t('weekFrom'), month: t('month') });
