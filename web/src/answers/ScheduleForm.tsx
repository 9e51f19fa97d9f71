import { Alert, Button, Group, MultiSelect, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { findRecipients, type QueryScheduleInput, type SavedQuery, scheduleQuery } from '../api/saved-queries.ts';
import { usePageSession } from '../console/company.ts';
import { showDone, showProblem } from '../console/notices.tsx';
import { formatTime, weekdays } from '../format.ts';
import { t } from '../texts/answers.ts';
import { savedQueriesQuery } from './answer.ts';

/** How long (ms) to wait for more letters before people are searched. */
const waitMs = 200;

/** When one's query is sent by email, and to whom. */
export function ScheduleForm({ saved }: { readonly saved: SavedQuery }) {
  const { person, company } = usePageSession();
  const { schedule } = saved;
  const [isMonthly, setMonthly] = useState(schedule?.monthDay != null);
  const [weekday, setWeekday] = useState(schedule?.weekday ?? 1);
  const [monthDay, setMonthDay] = useState(schedule?.monthDay ?? 1);
  const [time, setTime] = useState(schedule?.time ?? '07:00');
  const [format, setFormat] = useState(schedule?.format ?? 'XLSX');
  const [recipientIds, setRecipientIds] = useState<readonly string[]>(schedule?.recipientIds ?? [person.id]);
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (input: QueryScheduleInput | null) => scheduleQuery(saved.id, input),
    onSuccess: async (_data, input) => {
      await client.invalidateQueries({ queryKey: savedQueriesQuery.queryKey });
      showDone(input ? t('savedTheSchedule') : t('theQueryIsNoLongerSent'));
    },
    onError: (error) => showProblem(t('couldntSaveTheSchedule'), error),
  });
  return (
    <form
      aria-label={t('schedule')}
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ ...(isMonthly ? { monthDay } : { weekday }), time, format, recipientIds: [...recipientIds] });
      }}
    >
      <Stack gap="sm">
        {schedule?.problem && <Alert title={t('theQueryCouldNotBeSent')}>{schedule.problem}</Alert>}
        <Group align="flex-end" gap="xs">
          <NativeSelect
            label={t('howOften')}
            data={[
              { value: 'weekly', label: t('weekly') },
              { value: 'monthly', label: t('monthly') },
            ]}
            value={isMonthly ? 'monthly' : 'weekly'}
            onChange={({ currentTarget }) => setMonthly(currentTarget.value === 'monthly')}
          />
          {isMonthly ? (
            <NumberInput
              label={t('dayOfTheMonth')}
              min={1}
              max={31}
              allowDecimal={false}
              required
              value={monthDay}
              onChange={(value) => setMonthDay(Number(value))}
            />
          ) : (
            <NativeSelect
              label={t('weekday')}
              data={weekdays().map((label, index) => ({ label, value: String(index + 1) }))}
              value={String(weekday)}
              onChange={({ currentTarget }) => setWeekday(Number(currentTarget.value))}
            />
          )}
          <TextInput
            label={t('timeTimeZone', { time_zone: company.time_zone })}
            type="time"
            required
            value={time}
            onChange={({ currentTarget }) => setTime(currentTarget.value)}
          />
          <NativeSelect
            label={t('attach')}
            data={['XLSX', 'CSV']}
            value={format}
            // The choices are those of the type.
            onChange={({ currentTarget }) => setFormat(currentTarget.value as QueryScheduleInput['format'])}
          />
        </Group>
        <Recipients ids={recipientIds} onChange={setRecipientIds} />
        <Text size="sm">{t('eachGetsWhatTheyMayRead')}</Text>
        <Group gap="xs">
          <Button type="submit" size="xs" loading={isPending}>
            {t('saveSchedule')}
          </Button>
          {schedule && (
            <Button size="xs" variant="default" loading={isPending} onClick={() => mutate(null)}>
              {t('stopSending')}
            </Button>
          )}
          {schedule && <Text size="sm">{t('nextAt', { time: formatTime(schedule.nextAt) })}</Text>}
        </Group>
      </Stack>
    </form>
  );
}

function Recipients({
  ids,
  onChange,
}: {
  readonly ids: readonly string[];
  readonly onChange: (ids: string[]) => void;
}) {
  const [search, setSearch] = useState('');
  const [searched] = useDebouncedValue(search, waitMs);
  const { data = [] } = useQuery({
    queryKey: ['query-recipients', searched, ids],
    queryFn: () => findRecipients(searched, ids),
    placeholderData: keepPreviousData,
  });
  return (
    <MultiSelect
      label={t('recipients')}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      maxValues={50}
      data={data.map(({ id, fullName }) => ({ value: id, label: fullName }))}
      value={[...ids]}
      onChange={onChange}
    />
  );
}
