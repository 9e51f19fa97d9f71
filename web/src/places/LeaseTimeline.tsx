import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { addDays, dayIn, firstOfMonth } from '../company-time.ts';
import { useCompany } from '../console/company.ts';
import { useCollections } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, Tag, usePlaceData, useWrite, Waiting, write } from '../console/Place.tsx';
import { formatAmount, formatDate } from '../format.ts';
import { t } from '../texts/places-leases.ts';
import { CalendarAddresses } from './leases/CalendarAddresses.tsx';
import { type Lease, Timeline } from './leases/Timeline.tsx';

interface OfLease {
  readonly id: string;
  readonly leaseId: string;
  readonly lease: { readonly name: string } | null;
}

interface Payment extends OfLease {
  readonly dueDate: string;
  readonly amount: number;
  readonly description: string | null;
  readonly status: string;
  readonly allowedActions: readonly string[];
}

interface ImportantDate extends OfLease {
  readonly date: string;
  readonly type: string | null;
  readonly description: string | null;
}

interface Data {
  readonly leases: { readonly nodes: readonly Lease[] };
  readonly dates: { readonly nodes: readonly ImportantDate[] };
  readonly payments: { readonly nodes: readonly Payment[] };
}

const query = `query LeaseTimeline($from: RelativeDate!, $to: RelativeDate!, $soon: RelativeDate!) {
  leases(first: 100, filter: { status: { eq: ACTIVE } }, orderBy: [{ field: END_DATE }]) {
    nodes { id name lessor startDate endDate }
  }
  dates: leaseDates(first: 100, filter: { date: { gte: $from, lte: $to } }, orderBy: [{ field: DATE }]) {
    nodes { id leaseId date type description lease { name } }
  }
  payments: leasePayments(
    first: 50, filter: { status: { eq: PENDING }, dueDate: { lte: $soon } }, orderBy: [{ field: DUE_DATE }]
  ) { nodes { id leaseId dueDate amount description status allowedActions lease { name } } }
}`;

/** For how many months leases are shown, and for how many days payments. */
const shownMonths = 24;
const dueDays = 60;

const setStatus = (id: string, status: string) =>
  write(
    `mutation Pay($id: ID!, $status: PaymentStatus!) { updateLeasePayment(id: $id, input: { status: $status }) { id } }`,
    { id, status },
  );

/** Words of programs as people write them: `renewal_option` is "renewal option". */
const words = (text: string | null) => text?.replaceAll('_', ' ') ?? null;

/** The company's leases over time, what is due, and what must be decided when. */
export default function LeaseTimelinePlace() {
  const collections = useCollections();
  return ['Lease', 'LeaseDate', 'LeasePayment'].every((type) => collections.has(type)) ? <Leases /> : <Missing />;
}

function Leases() {
  const { time_zone: timeZone } = useCompany();
  const page = useCollections().get('Lease')?.page;
  const today = dayIn(timeZone, new Date());
  const [from, to] = [firstOfMonth(today, -1), firstOfMonth(today, shownMonths)];
  const { data, error } = usePlaceData<Data>('leases', query, ['Lease', 'LeaseDate', 'LeasePayment'], {
    from,
    to,
    soon: addDays(today, dueDays),
  });
  const coming = data?.dates.nodes.filter(({ date }) => date >= today) ?? [];
  return (
    <Place title={t('leasesOverTime')}>
      {data ? (
        <Stack gap="xl">
          <Section title={t('runningLeases')} empty={data.leases.nodes.length === 0 && t('thereIsNoActiveLease')}>
            <Timeline
              leases={data.leases.nodes}
              marks={data.dates.nodes}
              page={page}
              from={from}
              to={to}
              today={today}
            />
          </Section>
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
            <Section title={t('paymentsDue')} empty={data.payments.nodes.length === 0 && t('nothingIsDueSoon')}>
              <ul className="list">
                {data.payments.nodes.map((row) => (
                  <li key={row.id}>
                    <OnePayment row={row} isLate={row.dueDate < today} />
                  </li>
                ))}
              </ul>
            </Section>
            <Section title={t('datesAndNotices')} empty={coming.length === 0 && t('noDateIsComingUp')}>
              <ul className="list">
                {coming.map(({ id, date, type, description, lease }) => (
                  <li key={id}>
                    <Text fw={600}>{formatDate(date)}</Text>
                    <Text size="sm">{[lease?.name, words(type), description].filter(Boolean).join(' · ')}</Text>
                  </li>
                ))}
              </ul>
            </Section>
          </SimpleGrid>
          <CalendarAddresses />
        </Stack>
      ) : (
        <Waiting error={error} />
      )}
    </Place>
  );
}

function OnePayment({ row, isLate }: { readonly row: Payment; readonly isLate: boolean }) {
  const { currency } = useCompany();
  const name = row.lease?.name ?? t('lease');
  const { mutate, isPending } = useWrite({
    run: () => setStatus(row.id, 'PAID'),
    done: () => t('nameAmountPaid', { name, amount: formatAmount(row.amount, currency) }),
    undo: () => setStatus(row.id, row.status),
    problem: t('couldntMarkItAsPaid'),
  });
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} style={{ flex: '1 1 12rem' }}>
        <Text fw={600}>{formatDate(row.dueDate)}</Text>
        <Text size="sm">{[name, row.description].filter(Boolean).join(' · ')}</Text>
      </Stack>
      {isLate && <Tag color="orange">{t('late')}</Tag>}
      <Text fw={700} className="number">
        {formatAmount(row.amount, currency)}
      </Text>
      {row.allowedActions.includes('updateLeasePayment') && (
        <Button
          variant="default"
          loading={isPending}
          onClick={() => mutate(undefined)}
          aria-label={t('paidNameDueDate', { name, dueDate: formatDate(row.dueDate) })}
        >
          {t('paid')}
        </Button>
      )}
    </Group>
  );
}
