import { Box, Group, Stack, Text } from '@mantine/core';
import { Link } from '../../app/Link.tsx';
import { addDays } from '../../company-time.ts';
import { useCompany } from '../../console/company.ts';
import { formatDate, formatShortMonth } from '../../format.ts';
import { t } from '../../texts/places-leases.ts';

/** A lease that runs. */
export interface Lease {
  readonly id: string;
  readonly name: string;
  readonly lessor: string | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
}

/** A day of a lease that is marked. */
export interface Mark {
  readonly id: string;
  readonly leaseId: string;
  readonly date: string;
}

interface Props {
  readonly leases: readonly Lease[];
  readonly marks: readonly Mark[];
  /** The address of leases, if they have pages. */
  readonly page: string | null | undefined;
  /** The first and the last day that are shown. */
  readonly from: string;
  readonly to: string;
  readonly today: string;
}

/** Where a day is between the first and the last one, in percent. */
function placeOf(day: string, { from, to }: Pick<Props, 'from' | 'to'>): number {
  const share = (Date.parse(day) - Date.parse(from)) / (Date.parse(to) - Date.parse(from));
  return Math.min(100, Math.max(0, share * 100));
}

/** Leases as bars over time, with the days that matter. */
export function Timeline(props: Props) {
  const { leases, marks, page, from, to, today } = props;
  const quarters = [0, 0.25, 0.5, 0.75].map((share) =>
    addDays(from, Math.round(((Date.parse(to) - Date.parse(from)) / 86_400_000) * share)),
  );
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap" aria-hidden>
        {quarters.map((day) => (
          <Text key={day} size="xs" c="dimmed" style={{ flex: 1 }}>
            {formatShortMonth(day)}
          </Text>
        ))}
      </Group>
      <ul className="list">
        {leases.map((lease) => (
          <li key={lease.id}>
            <LeaseRow
              {...props}
              lease={lease}
              page={page}
              marks={marks.filter(({ leaseId }) => leaseId === lease.id)}
            />
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        {t('theLineIsTodayTodayDots', { today: formatDate(today) })}
      </Text>
    </Stack>
  );
}

function LeaseRow({ lease, marks, page, from, to, today }: Props & { readonly lease: Lease }) {
  const { slug } = useCompany();
  const period = { from, to };
  const [start, end] = [placeOf(lease.startDate ?? from, period), placeOf(lease.endDate ?? to, period)];
  const dates = `${lease.startDate ? formatDate(lease.startDate) : '…'} – ${lease.endDate ? formatDate(lease.endDate) : t('noEnd')}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        {page ? (
          <Link to="/c/$company/$collection/$id" params={{ company: slug, collection: page, id: lease.id }}>
            {lease.name}
          </Link>
        ) : (
          <Text>{lease.name}</Text>
        )}
        <Text size="sm">{[lease.lessor, dates].filter(Boolean).join(' · ')}</Text>
      </Group>
      <Box pos="relative" h={14} bg="var(--mantine-color-default-hover)" aria-hidden>
        <Box
          pos="absolute"
          h={14}
          bg="var(--mantine-color-cyan-filled)"
          style={{ insetInlineStart: `${start}%`, width: `${Math.max(0.5, end - start)}%` }}
        />
        {marks
          .filter(({ date }) => date >= from && date <= to)
          .map(({ id, date }) => (
            <Box
              key={id}
              pos="absolute"
              top={3}
              w={8}
              h={8}
              bg="var(--mantine-color-orange-4)"
              style={{ insetInlineStart: `calc(${placeOf(date, period)}% - 4px)`, borderRadius: 4 }}
            />
          ))}
        <Box
          pos="absolute"
          top={-3}
          w={2}
          h={20}
          bg="var(--mantine-color-text)"
          style={{ insetInlineStart: `${placeOf(today, period)}%` }}
        />
      </Box>
    </Stack>
  );
}
