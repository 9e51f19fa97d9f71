import { Button, Group, Text } from '@mantine/core';
import { useCompany } from '../../console/company.ts';
import { useWrite } from '../../console/Place.tsx';
import { formatDate } from '../../format.ts';
import { book, cancel, type Desk, type DeskRecord, release } from './records.ts';

interface Props {
  readonly desk: Desk;
  readonly day: string;
  /** Who has the desk on that day. */
  readonly record: DeskRecord | undefined;
  /** Whether the person may book desks. */
  readonly isWriter: boolean;
}

export const nameOf = ({ name }: Desk): string => name ?? 'Desk without a name';

/** One desk on one day: who has it, or a way to book it. */
export function Cell({ desk, day, record, isWriter }: Props) {
  const { time_zone: timeZone } = useCompany();
  const booking = useWrite({
    run: () => book(desk.id, day),
    done: () => `${nameOf(desk)} booked for ${formatDate(day)}.`,
    undo: (_given: undefined, id) => cancel(id),
    problem: "Couldn't book it",
  });
  const releasing = useWrite({
    run: (of: DeskRecord) => release(of, day, timeZone),
    done: () => `${nameOf(desk)} is free on ${formatDate(day)}.`,
    problem: "Couldn't release it",
  });
  const where = `${nameOf(desk)} on ${formatDate(day)}`;
  if (record)
    return (
      <Group gap="xs">
        <Text size="sm">{record.user?.fullName ?? 'Taken'}</Text>
        {record.allowedActions.includes('updateWorkspaceRecord') && (
          <Button
            size="compact-sm"
            variant="default"
            loading={releasing.isPending}
            onClick={() => releasing.mutate(record)}
            aria-label={`Release ${where}`}
          >
            Release
          </Button>
        )}
      </Group>
    );
  return isWriter ? (
    <Button
      size="compact-sm"
      loading={booking.isPending}
      onClick={() => booking.mutate(undefined)}
      aria-label={`Book ${where}`}
    >
      Book
    </Button>
  ) : (
    <Text size="sm">Free</Text>
  );
}
