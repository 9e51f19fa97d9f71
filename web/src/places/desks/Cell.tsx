import { Button, Group, Text } from '@mantine/core';
import { useCompany } from '../../console/company.ts';
import { useWrite } from '../../console/Place.tsx';
import { formatDate } from '../../format.ts';
import { t } from '../../texts/places-desks.ts';
import { book, cancel, type Desk, type DeskRecord, release } from './records.ts';

interface Props {
  readonly desk: Desk;
  readonly day: string;
  /** Who has the desk on that day. */
  readonly record: DeskRecord | undefined;
  /** Whether the person may book desks. */
  readonly isWriter: boolean;
}

export const nameOf = ({ name }: Desk): string => name ?? t('deskWithoutAName');

/** One desk on one day: who has it, or a way to book it. */
export function Cell({ desk, day, record, isWriter }: Props) {
  const { time_zone: timeZone } = useCompany();
  const booking = useWrite({
    run: () => book(desk.id, day),
    done: () => t('deskBookedForDay', { desk: nameOf(desk), day: formatDate(day) }),
    undo: (_given: undefined, id) => cancel(id),
    problem: t('couldntBookIt'),
  });
  const releasing = useWrite({
    run: (of: DeskRecord) => release(of, day, timeZone),
    done: () => t('deskIsFreeOnDay', { desk: nameOf(desk), day: formatDate(day) }),
    problem: t('couldntReleaseIt'),
  });
  const where = t('deskOnDay', { desk: nameOf(desk), day: formatDate(day) });
  if (record)
    return (
      <Group gap="xs">
        <Text size="sm">{record.user?.fullName ?? t('taken')}</Text>
        {record.allowedActions.includes('updateWorkspaceRecord') && (
          <Button
            size="compact-sm"
            variant="default"
            loading={releasing.isPending}
            onClick={() => releasing.mutate(record)}
            aria-label={t('releaseWhere', { where })}
          >
            {t('release')}
          </Button>
        )}
      </Group>
    );
  return isWriter ? (
    <Button
      size="compact-sm"
      loading={booking.isPending}
      onClick={() => booking.mutate(undefined)}
      aria-label={t('bookWhere', { where })}
    >
      {t('book')}
    </Button>
  ) : (
    <Text size="sm">{t('free')}</Text>
  );
}
