import { Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Section, Tag } from '../../console/Place.tsx';
import { readTicks, writeTicks } from '../../taps/store.ts';
import { newId, useOwner } from '../../taps/useTaps.ts';
import { t } from '../../texts/places-my-day.ts';
import type { Checklist } from './day.ts';
import { type Tapping, TapState, tapOn } from './Work.tsx';

interface Props extends Tapping {
  readonly checklists: readonly Checklist[];
  readonly today: string;
}

/** The checklists of the person, to be ticked off once a day. */
export function Checklists({ checklists, ...props }: Props) {
  return (
    <Section title={t('checklists')} empty={checklists.length === 0 && t('noChecklistIsAssignedToYou')}>
      <ul className="list">
        {checklists.map((checklist) => (
          <li key={checklist.id}>
            {/* Another day begins without ticks. */}
            <OneChecklist key={props.today} checklist={checklist} {...props} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/**
 * The ticks of a checklist on a day. This browser keeps them, as they say nothing before all are there.
 *
 * @returns those that are kept, undefined until they were read, and what changes them
 */
function useTicks(checklistId: string, day: string) {
  const owner = useOwner();
  const client = useQueryClient();
  const queryKey = ['taps', owner.personId, owner.companyId, 'ticks', checklistId, day];
  const { data: kept, isPending } = useQuery({
    queryKey,
    queryFn: () => readTicks(owner, checklistId, day),
    networkMode: 'always',
    staleTime: Infinity,
  });
  // The cache tells its components later, and until then a tick would disappear again.
  const [changed, setChanged] = useState<readonly string[]>();
  const set = (ids: readonly string[]) => {
    setChanged(ids);
    client.setQueryData(queryKey, ids);
    void writeTicks(owner, checklistId, day, ids).catch(() => undefined);
  };
  return [isPending ? undefined : (changed ?? kept ?? []), set] as const;
}

function OneChecklist({ checklist, today, taps, actions }: Tapping & { checklist: Checklist; today: string }) {
  const { id, name, description, tasks, completions } = checklist;
  const [kept, setTicked] = useTicks(id, today);
  const ticked = kept ?? [];
  const [notes, setNotes] = useState('');
  const tap = tapOn(taps, id);
  const left = tasks.nodes.filter((task) => !ticked.includes(task.id)).length;
  const heading = (
    <Group justify="space-between" gap="xs">
      <Text fw={600}>{name}</Text>
      {completions.totalCount > 0 ? <Tag color="green">{t('doneToday')}</Tag> : tap && <TapState tap={tap} />}
    </Group>
  );
  if (completions.totalCount > 0 || tap) return heading;
  return (
    <Stack gap="xs">
      {heading}
      {description && <Text size="sm">{description}</Text>}
      {tasks.nodes.map((task) => (
        <Checkbox
          key={task.id}
          label={task.title}
          description={task.description}
          checked={ticked.includes(task.id)}
          disabled={kept === undefined}
          onChange={({ currentTarget: { checked } }) =>
            setTicked(checked ? [...ticked, task.id] : ticked.filter((each) => each !== task.id))
          }
        />
      ))}
      {tasks.totalCount > tasks.nodes.length && <Text size="sm">{t('thereAreMoreTasksThanThese')}</Text>}
      {left === 0 && (
        <Group align="end" gap="xs">
          <Textarea
            label={t('notesOnName', { name })}
            autosize
            value={notes}
            onChange={({ currentTarget }) => setNotes(currentTarget.value)}
            style={{ flex: '1 1 14rem' }}
          />
          <Button
            aria-label={t('completeName', { name })}
            onClick={() =>
              void actions.tap(
                'completeChecklist',
                id,
                t('nameCompleted', { name }),
                { checklistId: id, input: { id: newId(), completionDate: today, ...(notes && { notes }) } },
                new Date().toISOString(),
              )
            }
          >
            {t('complete')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
