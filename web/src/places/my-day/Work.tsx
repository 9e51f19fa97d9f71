import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '../../app/Link.tsx';
import { useMeta } from '../../components/useMeta.ts';
import { useCompany } from '../../console/company.ts';
import { Tag } from '../../console/Place.tsx';
import { partsOfPlace } from '../../console/place-name.ts';
import { formatDate, formatTime } from '../../format.ts';
import type { Tap } from '../../taps/store.ts';
import type { TapActions } from '../../taps/useTaps.ts';
import { t } from '../../texts/places-my-day.ts';
import type { Maintenance, Reminder, Work } from './day.ts';

/** What the parts of a day need of the taps. */
export interface Tapping {
  readonly taps: readonly Tap[];
  readonly actions: TapActions;
}

interface ItemProps {
  readonly title: React.ReactNode;
  readonly below: readonly (string | false | null | undefined)[];
  readonly tags?: React.ReactNode;
  /** The latest tap on it. */
  readonly tap: Tap | undefined;
  readonly children: React.ReactNode;
}

/** A thing to do, with its buttons; once one is tapped, what becomes of the tap. */
function Item({ title, below, tags, tap, children }: ItemProps) {
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} style={{ flex: '1 1 14rem' }}>
        {title}
        <Text size="sm">{below.filter(Boolean).join(' · ')}</Text>
      </Stack>
      {tags}
      {tap ? <TapState tap={tap} /> : children}
    </Group>
  );
}

/** What becomes of a tap. */
export const TapState = ({ tap: { problem } }: { readonly tap: Tap }) =>
  problem === undefined ? <Tag>{t('waitsToBeSent')}</Tag> : <Tag color="red">{t('refused')}</Tag>;

/** The latest tap on a row. */
export const tapOn = (taps: readonly Tap[], row: string) => taps.findLast((tap) => tap.row === row);

const now = () => new Date().toISOString();

/** A request: it is begun, and done. */
export function WorkItem({ row, taps, actions }: Tapping & { readonly row: Work }) {
  const { slug } = useCompany();
  const meta = useMeta();
  const { id, title, status, priority, building, floor, room, allowedActions } = row;
  const waiting = taps.filter((tap) => tap.row === id);
  const tap = waiting.at(-1);
  const given = tap?.problem === undefined ? tap?.variables.input['status'] : undefined;
  const isOver = given === 'COMPLETED' || tap?.problem !== undefined;
  const set = (next: string) =>
    actions.tap(
      'setRequestStatus',
      id,
      `${title}: ${meta.label('RequestStatus', next)}`,
      { id, input: { status: next } },
      now(),
    );
  const isWriter = allowedActions.includes('updateServiceRequest');
  return (
    <Item
      title={
        <Link to="/c/$company/$collection/$id" params={{ company: slug, collection: 'requests', id }}>
          {title}
        </Link>
      }
      below={partsOfPlace({ building: building?.name, floor, room })}
      tags={
        <Group gap="xs">
          {(priority === 'URGENT' || priority === 'HIGH') && (
            <Tag color="orange">{meta.label('RequestPriority', priority)}</Tag>
          )}
          {given === 'IN_PROGRESS' && tap && <TapState tap={tap} />}
        </Group>
      }
      tap={isOver ? tap : undefined}
    >
      {isWriter && (
        <Group gap="xs">
          {status === 'PENDING' && !given && (
            <Button variant="default" onClick={() => void set('IN_PROGRESS')} aria-label={t('startTitle', { title })}>
              {t('start')}
            </Button>
          )}
          <Button variant="default" onClick={() => void set('COMPLETED')} aria-label={t('doneTitle', { title })}>
            {t('done')}
          </Button>
        </Group>
      )}
    </Item>
  );
}

/** Maintenance of an asset that is due. */
export function MaintenanceItem({ row, today, taps, actions }: Tapping & { row: Maintenance; today: string }) {
  const { id, asset, description, scheduledDate, allowedActions } = row;
  const title = asset?.assetName ?? description ?? t('maintenance');
  return (
    <Item
      title={<Text fw={600}>{title}</Text>}
      below={[formatDate(scheduledDate), asset && description]}
      tags={scheduledDate < today && <Tag color="orange">{t('overdue')}</Tag>}
      tap={tapOn(taps, id)}
    >
      {allowedActions.includes('updateAssetMaintenance') && (
        <Button
          variant="default"
          aria-label={t('doneTitle', { title })}
          onClick={() =>
            void actions.tap(
              'completeMaintenance',
              id,
              t('titleDone', { title }),
              { id, input: { status: 'COMPLETED' } },
              now(),
            )
          }
        >
          {t('done')}
        </Button>
      )}
    </Item>
  );
}

/** A reminder that is due. */
export function ReminderItem({ row, taps, actions }: Tapping & { readonly row: Reminder }) {
  const { id, title, dueDate, allowedActions } = row;
  return (
    <Item title={<Text fw={600}>{title}</Text>} below={[formatTime(dueDate)]} tap={tapOn(taps, id)}>
      {allowedActions.includes('updateReminder') && (
        <Button
          variant="default"
          aria-label={t('doneTitle', { title })}
          onClick={() =>
            void actions.tap(
              'completeReminder',
              id,
              t('titleDone', { title }),
              { id, input: { status: 'COMPLETED' } },
              now(),
            )
          }
        >
          {t('done')}
        </Button>
      )}
    </Item>
  );
}
