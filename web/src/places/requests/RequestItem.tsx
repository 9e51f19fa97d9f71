import { Badge, Button, Group, Text } from '@mantine/core';
import { PageLink } from '../../app/Link.tsx';
import { useMeta } from '../../components/useMeta.ts';
import { useCompany } from '../../console/company.ts';
import { partsOfPlace } from '../../console/place-name.ts';
import { formatAgo } from '../../format.ts';
import { t } from '../../texts/places-requests.ts';
import type { QueuedRequest } from './queue.ts';
import type { Question } from './TriageDialogs.tsx';

interface Props {
  readonly request: QueuedRequest;
  /** Whether the status is said: not where all in a column have it. */
  readonly showsStatus: boolean;
  /** Asks what is to become of it; missing for people who may not change it. */
  readonly onAsk: ((about: Question['about'], request: QueuedRequest) => void) | undefined;
}

/** Where something is, as people say it. */
export const placeOf = ({ building, floor, room }: Pick<QueuedRequest, 'building' | 'floor' | 'room'>): string =>
  partsOfPlace({ building: building?.name, floor, room }).join(', ');

/** A request of the list or the board. Its link takes the focus, by which keys know which request they are about. */
export function RequestItem({ request, showsStatus, onAsk }: Props) {
  const meta = useMeta();
  const { slug } = useCompany();
  const { id, title, status, priority, category, assignee, createdAt } = request;
  const facts = [placeOf(request), category, formatAgo(createdAt)].filter(Boolean).join(' · ');
  const isPressing = priority === 'URGENT' || priority === 'HIGH';
  return (
    <Group justify="space-between" gap="xs" wrap="wrap">
      <div style={{ flex: '1 1 180px', minWidth: 0 }}>
        <PageLink to={`/c/${slug}/requests/${id}`} data-request={id} fw={600}>
          {title}
        </PageLink>
        <Text size="sm">{facts}</Text>
        <Group gap={6} mt={4}>
          {isPressing && (
            <Badge variant="outline" color="red" tt="none" radius="sm" style={{ color: 'inherit' }}>
              {meta.label('RequestPriority', priority)}
            </Badge>
          )}
          {showsStatus && (
            <Badge variant="light" color="gray" tt="none" radius="sm" style={{ color: 'inherit' }}>
              {meta.label('RequestStatus', status)}
            </Badge>
          )}
          <Text size="sm">{assignee ? assignee.fullName : t('nobodyAssigned')}</Text>
        </Group>
      </div>
      {onAsk && (
        <Group gap={6}>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('assignTitle', { title })}
            onClick={() => onAsk('assignee', request)}
          >
            {t('assign')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('statusTitle', { title })}
            onClick={() => onAsk('status', request)}
          >
            {t('status')}
          </Button>
        </Group>
      )}
    </Group>
  );
}
