import { Button, Group, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core';
import { addDays, dayIn } from '../company-time.ts';
import { useCompany } from '../console/company.ts';
import { actionOf, useCollections, useDefinition } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, usePlaceData, usePlaceSearch, Waiting } from '../console/Place.tsx';
import { formatDate, formatNumber } from '../format.ts';
import { t } from '../texts/places-desks.ts';
import { DayPlan, WeekPlan } from './desks/Plan.tsx';
import { type Desk, type DeskRecord, deskFields, hasDay, recordFields } from './desks/records.ts';

/** How many desks and records are shown, in pages as large as the API has them. */
const pages = [0, 100, 200];

const buildingsQuery =
  'query DeskBuildings { buildings(first: 100, orderBy: [{ field: NAME }]) { nodes { id name } } }';

const query = `query DeskPlan($desks: DeskFilter, $records: WorkspaceRecordFilter) {
  ${pages.map((offset) => `d${offset}: desks(first: 100, offset: ${offset}, filter: $desks) { totalCount nodes { ${deskFields} } }`).join('\n')}
  ${pages.map((offset) => `r${offset}: workspaceRecords(first: 100, offset: ${offset}, filter: $records) { totalCount nodes { ${recordFields} } }`).join('\n')}
}`;

/** The floors of desks, of which buildings have fewer than this. */
const floorsQuery = `query DeskFloors($desks: DeskFilter) {
  desks(filter: $desks) { aggregates(first: 100) { key { floor } } }
}`;

interface Floors {
  readonly desks: { readonly aggregates: readonly { readonly key: { readonly floor: string | null } }[] };
}

type Data = Readonly<Record<string, { readonly totalCount: number; readonly nodes: readonly (Desk | DeskRecord)[] }>>;

/** All rows of the pages of a list. */
const all = <Row,>(data: Data | undefined, list: string) =>
  pages.flatMap((offset) => (data?.[`${list}${offset}`]?.nodes ?? []) as readonly Row[]);

/** The Monday of a day's week. */
const mondayOf = (day: string) => addDays(day, -((new Date(day).getUTCDay() + 6) % 7));

/** Desks by day or week: who has them, and booking them. */
export default function DeskPlanPlace() {
  const collections = useCollections();
  return collections.has('Desk') && collections.has('WorkspaceRecord') ? <DeskPlan /> : <Missing />;
}

function DeskPlan() {
  const { time_zone: timeZone } = useCompany();
  const [search, setSearch] = usePlaceSearch<'day' | 'view' | 'building' | 'floor'>();
  const today = dayIn(timeZone, new Date());
  const day = /^\d{4}-\d\d-\d\d$/.test(search.day ?? '') ? (search.day ?? today) : today;
  const isWeek = search.view === 'week';
  const days = isWeek ? Array.from({ length: 7 }, (_, n) => addDays(mondayOf(day), n)) : [day];
  const building = search.building ?? '';
  const floor = search.floor ?? '';
  const inBuilding = building === '' ? undefined : { buildingId: { eq: building } };
  const chosen = { ...inBuilding, ...(floor !== '' && { floor: { eq: floor } }) };
  const { data, error } = usePlaceData<Data>('desk-plan', query, ['Desk', 'WorkspaceRecord'], {
    desks: chosen,
    records: {
      deskId: { isNull: false },
      ...(Object.keys(chosen).length > 0 && { desk: chosen }),
      and: [
        { or: [{ startDate: { lte: days.at(-1) } }, { startDate: { isNull: true } }] },
        { or: [{ endDate: { gte: days[0] } }, { endDate: { isNull: true } }] },
      ],
    },
  });
  const isWriter = actionOf(useDefinition('WorkspaceRecord'), 'create') !== undefined;
  const [desks, records] = [all<Desk>(data, 'd'), all<DeskRecord>(data, 'r')];
  const step = isWeek ? 7 : 1;
  return (
    <Place title={t('desks')}>
      <Group align="end" gap="xs">
        <BuildingSelect value={building} onChange={(next) => setSearch({ building: next, floor: '' })} />
        <FloorSelect desks={inBuilding} value={floor} onChange={(next) => setSearch({ floor: next })} />
        <SegmentedControl
          aria-label={t('period')}
          value={isWeek ? 'week' : 'day'}
          onChange={(view) => setSearch({ view })}
          data={[
            { value: 'day', label: t('day') },
            { value: 'week', label: t('week') },
          ]}
        />
        <Button variant="default" onClick={() => setSearch({ day: addDays(day, -step) })} aria-label={t('earlier')}>
          ‹
        </Button>
        <TextInput
          type="date"
          label={t('day')}
          value={day}
          onChange={({ currentTarget }) => currentTarget.value && setSearch({ day: currentTarget.value })}
        />
        <Button variant="default" onClick={() => setSearch({ day: addDays(day, step) })} aria-label={t('later')}>
          ›
        </Button>
      </Group>
      {!data ? (
        <Waiting error={error} />
      ) : desks.length === 0 ? (
        <Text>{t('thereAreNoDesksHereYet')}</Text>
      ) : (
        <>
          <Limits desks={data['d0']?.totalCount ?? 0} records={data['r0']?.totalCount ?? 0} />
          <Here records={records.filter((each) => hasDay(each, day, timeZone))} day={day} isToday={day === today} />
          {isWeek ? (
            <WeekPlan desks={desks} records={records} days={days} isWriter={isWriter} />
          ) : (
            <DayPlan desks={desks} records={records} day={day} isWriter={isWriter} />
          )}
        </>
      )}
    </Place>
  );
}

/** How many rows of a list are read. */
const maxShown = pages.length * 100;

/** Says that not all is shown, and how to see the rest. */
function Limits({ desks, records }: { readonly desks: number; readonly records: number }) {
  if (desks <= maxShown && records <= maxShown) return null;
  return (
    <Text role="status">
      {desks > maxShown
        ? t('firstDesksAreShown', { shown: maxShown, all: formatNumber(desks) })
        : t('firstBookingsAreShown', { shown: maxShown, all: formatNumber(records) })}
    </Text>
  );
}

/** Who has a desk on a day. */
function Here({ records, day, isToday }: { records: readonly DeskRecord[]; day: string; isToday: boolean }) {
  const names = [...new Set(records.flatMap(({ user }) => user?.fullName ?? []))].sort((a, b) => a.localeCompare(b));
  return (
    <Section
      title={isToday ? t('whoHasADeskToday') : t('whoHasADeskOnDay', { day: formatDate(day) })}
      empty={names.length === 0 && t('nobodyYet')}
    >
      <Text>{names.join(', ')}</Text>
    </Section>
  );
}

function BuildingSelect({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const isReader = useCollections().has('Building');
  const { data } = usePlaceData<{ buildings: { nodes: readonly { id: string; name: string }[] } }>(
    'desk-buildings',
    buildingsQuery,
    ['Building'],
    {},
    { enabled: isReader },
  );
  const buildings = data?.buildings.nodes ?? [];
  if (buildings.length === 0) return null;
  return (
    <NativeSelect
      label={t('building')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[{ value: '', label: t('allBuildings') }, ...buildings.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}

/** Chooses a floor, of those that desks have. @param desks the filter of the chosen building */
function FloorSelect({
  desks,
  value,
  onChange,
}: {
  readonly desks: object | undefined;
  readonly value: string;
  readonly onChange: (floor: string) => void;
}) {
  const { data } = usePlaceData<Floors>('desk-floors', floorsQuery, ['Desk'], { desks });
  const found = data?.desks.aggregates.flatMap(({ key }) => key.floor ?? []) ?? [];
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  // One that is in the address stays chosen, so that people see why the plan has no desks.
  const floors = [...new Set(value === '' ? found : [...found, value])].sort(compare);
  if (floors.length === 0) return null;
  return (
    <NativeSelect
      label={t('floor')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[{ value: '', label: t('allFloors') }, ...floors.map((floor) => ({ value: floor, label: floor }))]}
    />
  );
}
