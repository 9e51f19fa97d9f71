import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '../app/Link.tsx';
import { addDays, dayIn, firstOfMonth } from '../company-time.ts';
import { useMeta } from '../components/useMeta.ts';
import { useCompany } from '../console/company.ts';
import { useCollections } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, Tag, usePlaceData, usePlaceSearch, useWrite, Waiting, write } from '../console/Place.tsx';
import { formatDate, formatMonth } from '../format.ts';
import { t } from '../texts/places-assets.ts';
import { Month } from './assets/Month.tsx';

interface Maintenance {
  readonly id: string;
  readonly maintenanceType: string | null;
  readonly scheduledDate: string;
  readonly description: string | null;
  readonly status: 'SCHEDULED' | 'COMPLETED' | 'OVERDUE';
  readonly allowedActions: readonly string[];
  readonly asset: { readonly id: string; readonly assetName: string } | null;
}

interface Data {
  readonly maintenance: { readonly totalCount: number; readonly nodes: readonly Maintenance[] };
}

const query = `query AssetCalendar($from: RelativeDate!, $to: RelativeDate!) {
  maintenance: assetMaintenances(
    first: 100, filter: { scheduledDate: { gte: $from, lte: $to } }, orderBy: [{ field: SCHEDULED_DATE }]
  ) { totalCount nodes {
    id maintenanceType scheduledDate description status allowedActions asset { id assetName }
  } }
}`;

const setStatus = (id: string, status: Maintenance['status']) =>
  write(
    `mutation Complete($id: ID!, $status: MaintenanceStatus!) {
      updateAssetMaintenance(id: $id, input: { status: $status }) { id }
    }`,
    { id, status },
  );

/** What a maintenance is called: what is done, or to what. */
const titleOf = ({ asset, description }: Maintenance) => asset?.assetName ?? description ?? t('maintenance');

/** The maintenance of assets, a month at a time. */
export default function AssetCalendarPlace() {
  const collections = useCollections();
  return collections.has('Asset') && collections.has('AssetMaintenance') ? <AssetCalendar /> : <Missing />;
}

function AssetCalendar() {
  const { time_zone: timeZone } = useCompany();
  const [search, setSearch] = usePlaceSearch<'month'>();
  const today = dayIn(timeZone, new Date());
  const first = firstOfMonth(/^\d{4}-(0\d|1[0-2])$/.test(search.month ?? '') ? `${search.month}-01` : today);
  const last = addDays(firstOfMonth(first, 1), -1);
  const { data, error } = usePlaceData<Data>('asset-calendar', query, ['AssetMaintenance'], { from: first, to: last });
  const show = (month: string) => setSearch({ month: month.slice(0, 7) });
  const rows = data?.maintenance.nodes.filter(({ scheduledDate }) => scheduledDate >= first && scheduledDate <= last);
  return (
    <Place
      title={t('maintenance')}
      aside={
        <Group gap="xs">
          <Button variant="default" onClick={() => show(firstOfMonth(first, -1))} aria-label={t('earlierMonth')}>
            ‹
          </Button>
          <Text fw={600} role="status">
            {formatMonth(first)}
          </Text>
          <Button variant="default" onClick={() => show(firstOfMonth(first, 1))} aria-label={t('laterMonth')}>
            ›
          </Button>
          <Button variant="default" onClick={() => show(today)}>
            {t('thisMonth')}
          </Button>
        </Group>
      }
    >
      {data && rows ? (
        <>
          <Month
            first={first}
            today={today}
            events={rows.map((row) => ({ id: row.id, date: row.scheduledDate, label: titleOf(row) }))}
          />
          <Section
            title={t('jobs', { count: data.maintenance.totalCount })}
            empty={rows.length === 0 && t('nothingIsPlannedInThisMonth')}
          >
            <ul className="list">
              {rows.map((row) => (
                <li key={row.id}>
                  <Job row={row} isLate={row.scheduledDate < today} />
                </li>
              ))}
            </ul>
          </Section>
        </>
      ) : (
        <Waiting error={error} />
      )}
    </Place>
  );
}

function Job({ row, isLate }: { readonly row: Maintenance; readonly isLate: boolean }) {
  const { slug } = useCompany();
  const meta = useMeta();
  const page = useCollections().get('Asset')?.page;
  const { mutate, isPending } = useWrite({
    run: () => setStatus(row.id, 'COMPLETED'),
    done: () => t('rowIsDone', { row: titleOf(row) }),
    undo: () => setStatus(row.id, row.status),
    problem: t('couldntCompleteIt'),
  });
  const isDone = row.status === 'COMPLETED';
  const kind = row.maintenanceType && meta.label('MaintenanceType', row.maintenanceType);
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} style={{ flex: '1 1 14rem' }}>
        {page && row.asset ? (
          <Link to="/c/$company/$collection/$id" params={{ company: slug, collection: page, id: row.asset.id }}>
            {titleOf(row)}
          </Link>
        ) : (
          <Text>{titleOf(row)}</Text>
        )}
        <Text size="sm">{[formatDate(row.scheduledDate), kind, row.description].filter(Boolean).join(' · ')}</Text>
      </Stack>
      {isDone && <Tag color="green">{t('done')}</Tag>}
      {!isDone && (isLate || row.status === 'OVERDUE') && <Tag color="orange">{t('overdue')}</Tag>}
      {!isDone && row.allowedActions.includes('updateAssetMaintenance') && (
        <Button
          variant="default"
          loading={isPending}
          onClick={() => mutate(undefined)}
          aria-label={t('doneRow', { row: titleOf(row) })}
        >
          {t('done')}
        </Button>
      )}
    </Group>
  );
}
