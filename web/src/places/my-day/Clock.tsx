import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../console/Place.tsx';
import { formatTime } from '../../format.ts';
import { newId, useOwner } from '../../taps/useTaps.ts';
import { t } from '../../texts/places-my-day.ts';
import type { Day } from './day.ts';
import type { Tapping } from './Work.tsx';

/** Clocking in and out, at the time of the tap. */
export function Clock({ day, taps, actions }: Tapping & { readonly day: Day }) {
  const { personId } = useOwner();
  const locations = day.locations?.nodes ?? [];
  const isRequired = day.timeClockSettings?.requireLocation ?? false;
  const [location, setLocation] = useState('');
  const record = recordOf(day, taps);
  const locationId = location || (isRequired ? locations[0]?.id : undefined);
  function clockIn() {
    const at = new Date().toISOString();
    const id = newId();
    const input = { id, userId: personId, clockInTime: at, ...(locationId && { locationId }) };
    void actions.tap('clockIn', id, t('clockIn'), { input }, at);
  }
  function clockOut(id: string) {
    const at = new Date().toISOString();
    void actions.tap('clockOut', id, t('clockOut'), { id, input: { clockOutTime: at } }, at);
  }
  return (
    <Section title={t('workingTime')}>
      <Group align="end" gap="xs">
        {record ? (
          <Button size="md" onClick={() => clockOut(record.id)}>
            {t('clockOut')}
          </Button>
        ) : (
          <>
            {locations.length > 0 && (
              <NativeSelect
                label={t('location')}
                value={location}
                onChange={({ currentTarget }) => setLocation(currentTarget.value)}
                data={[
                  ...(isRequired ? [] : [{ value: '', label: t('none') }]),
                  ...locations.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            )}
            <Button size="md" onClick={clockIn}>
              {t('clockIn')}
            </Button>
          </>
        )}
        <Text role="status">
          {record ? t('clockedInSinceSince', { since: formatTime(record.since) }) : t('notClockedIn')}
        </Text>
      </Group>
    </Section>
  );
}

/** The open record as it is once all taps are sent. */
function recordOf(day: Day, taps: readonly Tapping['taps'][number][]) {
  const [open] = day.open?.nodes ?? [];
  let record = open && { id: open.id, since: open.clockInTime };
  for (const { name, row, problem, variables } of taps) {
    if (problem !== undefined) continue;
    if (name === 'clockIn') record = { id: row, since: String(variables.input['clockInTime']) };
    if (name === 'clockOut' && record?.id === row) record = undefined;
  }
  return record;
}
