import { Alert, Button, Group, MultiSelect, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { findRecipients, type QueryScheduleInput, type SavedQuery, scheduleQuery } from '../api/saved-queries.ts';
import { usePageSession } from '../console/company.ts';
import { showDone, showProblem } from '../console/notices.tsx';
import { savedQueriesQuery } from './answer.ts';

/** How long (ms) to wait for more letters before people are searched. */
const waitMs = 200;

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

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
      showDone(input ? 'Saved the schedule.' : 'The query is no longer sent.');
    },
    onError: (error) => showProblem("Couldn't save the schedule", error),
  });
  return (
    <form
      aria-label="Schedule"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ ...(isMonthly ? { monthDay } : { weekday }), time, format, recipientIds: [...recipientIds] });
      }}
    >
      <Stack gap="sm">
        {schedule?.problem && <Alert title="The query could not be sent">{schedule.problem}</Alert>}
        <Group align="flex-end" gap="xs">
          <NativeSelect
            label="How often"
            data={['Weekly', 'Monthly']}
            value={isMonthly ? 'Monthly' : 'Weekly'}
            onChange={({ currentTarget }) => setMonthly(currentTarget.value === 'Monthly')}
          />
          {isMonthly ? (
            <NumberInput
              label="Day of the month"
              min={1}
              max={31}
              allowDecimal={false}
              required
              value={monthDay}
              onChange={(value) => setMonthDay(Number(value))}
            />
          ) : (
            <NativeSelect
              label="Weekday"
              data={weekdays.map((label, index) => ({ label, value: String(index + 1) }))}
              value={String(weekday)}
              onChange={({ currentTarget }) => setWeekday(Number(currentTarget.value))}
            />
          )}
          <TextInput
            label={`Time (${company.time_zone})`}
            type="time"
            required
            value={time}
            onChange={({ currentTarget }) => setTime(currentTarget.value)}
          />
          <NativeSelect
            label="Attach"
            data={['XLSX', 'CSV']}
            value={format}
            // The choices are those of the type.
            onChange={({ currentTarget }) => setFormat(currentTarget.value as QueryScheduleInput['format'])}
          />
        </Group>
        <Recipients ids={recipientIds} onChange={setRecipientIds} />
        <Text size="sm">
          Each gets what they may read at that moment. Of a query that is not shared, you alone get it.
        </Text>
        <Group gap="xs">
          <Button type="submit" size="xs" loading={isPending}>
            Save schedule
          </Button>
          {schedule && (
            <Button size="xs" variant="default" loading={isPending} onClick={() => mutate(null)}>
              Stop sending
            </Button>
          )}
          {schedule && <Text size="sm">Next: {new Date(schedule.nextAt).toLocaleString()}</Text>}
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
      label="Recipients"
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
