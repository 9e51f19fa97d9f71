import { Alert, Button, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { FollowRequestDocument } from '../../api/generated/graphql.ts';
import { execute } from '../../api/graphql.ts';
import { useMeta } from '../../components/useMeta.ts';
import { usePageSession } from '../../console/company.ts';
import { showProblem } from '../../console/notices.tsx';
import { partsOfPlace } from '../../console/place-name.ts';
import { forgetRows } from '../../console/writes.ts';
import { formatAgo } from '../../format.ts';
import { t } from '../../texts/places-report.ts';
import { type SimilarRequest, similarQuery } from './similar.ts';

/** How long (ms) to wait for more letters before requests are searched. */
const waitMs = 300;

interface Props {
  readonly buildingId: string | null;
  readonly text: string;
  /** Called when the person follows one in place of a report of their own. */
  readonly onFollow: (request: SimilarRequest) => void;
}

/** Open requests that may be about the same, for a person to follow one in place of reporting it again. */
export function Similar({ buildingId, text, onFollow }: Props) {
  const meta = useMeta();
  const { person } = usePageSession();
  const [settled] = useDebouncedValue(text, waitMs);
  const { data: requests = [] } = useQuery(similarQuery(buildingId, settled));
  const follow = useMutation({
    mutationFn: ({ id }: SimilarRequest) => execute(FollowRequestDocument, { id, userId: person.id }),
    onSuccess: (_, request) => {
      onFollow(request);
      return forgetRows();
    },
    onError: (error) => showProblem(t('couldntFollowIt'), error),
  });
  return (
    <div role="status">
      {requests.length > 0 && (
        <Alert variant="outline" color="gray" title={t('isItOneOfThese')}>
          <ul className="cards">
            {requests.map((request) => (
              <li key={request.id}>
                <Group justify="space-between" gap="xs" wrap="nowrap">
                  <div>
                    <Text fw={600}>{request.title}</Text>
                    <Text size="sm">
                      {[
                        ...partsOfPlace({ floor: request.floor, room: request.room }),
                        meta.label('RequestStatus', request.status),
                        formatAgo(request.createdAt),
                      ].join(' · ')}
                    </Text>
                  </div>
                  <Button
                    variant="default"
                    size="xs"
                    flex="none"
                    aria-label={t('followTitle', { title: request.title })}
                    loading={follow.isPending && follow.variables.id === request.id}
                    onClick={() => follow.mutate(request)}
                  >
                    {t('follow')}
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </div>
  );
}
