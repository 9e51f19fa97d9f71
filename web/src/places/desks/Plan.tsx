import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { useCompany } from '../../console/company.ts';
import { formatDate, formatWeekday } from '../../format.ts';
import { t } from '../../texts/places-desks.ts';
import { Cell, nameOf } from './Cell.tsx';
import { type Desk, type DeskRecord, hasDay } from './records.ts';

interface Props {
  readonly desks: readonly Desk[];
  readonly records: readonly DeskRecord[];
  readonly isWriter: boolean;
}

/** Desks by floor, in the order of floors and names. */
function byFloor(desks: readonly Desk[]): [string, Desk[]][] {
  const floors = new Map<string, Desk[]>();
  for (const desk of desks) {
    const floor = desk.floor ?? '';
    floors.set(floor, [...(floors.get(floor) ?? []), desk]);
  }
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  return [...floors]
    .sort(([a], [b]) => compare(a, b))
    .map(([floor, some]) => [floor, some.sort((a, b) => compare(nameOf(a), nameOf(b)))]);
}

const floorName = (floor: string) => (floor === '' ? t('noFloorGiven') : t('floorFloor', { floor }));

/** The desks of one day. */
export function DayPlan({ desks, records, isWriter, day }: Props & { readonly day: string }) {
  const { time_zone: timeZone } = useCompany();
  const taken = new Map(records.filter((each) => hasDay(each, day, timeZone)).map((each) => [each.deskId, each]));
  return (
    <Stack>
      {byFloor(desks).map(([floor, some]) => (
        <section key={floor} aria-label={floorName(floor)}>
          <Title order={2} size="h4">
            {floorName(floor)}
          </Title>
          <ul className="list desks">
            {some.map((desk) => (
              <li key={desk.id}>
                <Group justify="space-between" gap="xs">
                  <Text fw={600}>{nameOf(desk)}</Text>
                  <Cell desk={desk} day={day} record={taken.get(desk.id)} isWriter={isWriter} />
                </Group>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Stack>
  );
}

/** The desks of a week, a row each. */
export function WeekPlan({ desks, records, isWriter, days }: Props & { readonly days: readonly string[] }) {
  const { time_zone: timeZone } = useCompany();
  const find = (desk: Desk, day: string) =>
    records.find((each) => each.deskId === desk.id && hasDay(each, day, timeZone));
  return (
    <Table.ScrollContainer
      minWidth={760}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('week') } }}
    >
      <Table aria-label={t('desksOfTheWeek')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('desk')}</Table.Th>
            {days.map((day) => (
              <Table.Th key={day} scope="col" aria-label={formatDate(day)}>
                {formatWeekday(day)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {byFloor(desks).flatMap(([floor, some]) =>
            some.map((desk) => (
              <Table.Tr key={desk.id}>
                <Table.Th scope="row" className="number">
                  {nameOf(desk)}
                  <Text size="sm" c="dimmed" fw={400}>
                    {floorName(floor)}
                  </Text>
                </Table.Th>
                {days.map((day) => (
                  <Table.Td key={day}>
                    <Cell desk={desk} day={day} record={find(desk, day)} isWriter={isWriter} />
                  </Table.Td>
                ))}
              </Table.Tr>
            )),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
