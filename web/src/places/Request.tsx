import { Button, Grid, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { FollowRequestDocument, UnfollowRequestDocument } from '../api/generated/graphql.ts';
import { execute } from '../api/graphql.ts';
import { PageLink } from '../app/Link.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useIsPrinting } from '../components/useIsPrinting.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useCompany, usePageSession } from '../console/company.ts';
import { actionOf, type Definition, fieldOf, useCollections, useDefinition } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { showProblem } from '../console/notices.tsx';
import { isId, type Row, rowQuery } from '../console/rows.ts';
import { titleOf } from '../console/value-text.ts';
import { Value } from '../console/values.tsx';
import { forgetRows } from '../console/writes.ts';
import { t } from '../texts/places-requests.ts';
import { Composer } from './requests/Composer.tsx';
import { RequestFields } from './requests/RequestFields.tsx';
import { Stream } from './requests/Stream.tsx';
import { entriesOf, type Thread, threadQuery } from './requests/thread.ts';

/** A request: its fields at the side, and in one stream what has been said and done about it. */
export default function Request() {
  const { id = '' } = useParams({ strict: false });
  const canRead = useCollections().has('ServiceRequest');
  return canRead && isId(id) ? <OneRequest key={id} id={id} /> : <Missing />;
}

function OneRequest({ id }: { readonly id: string }) {
  const definition = useDefinition('ServiceRequest');
  const { data: row, error } = useQuery(rowQuery(definition, id, useCollections()));
  if (row === null) return <Missing />;
  if (!row) return error ? <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert> : <LoadingSkeleton />;
  return <Shown definition={definition} row={row} />;
}

function Shown({ definition, row }: { readonly definition: Definition; readonly row: Row }) {
  const { slug } = useCompany();
  const title = titleOf(definition, row);
  usePageTitle(title);
  const { data: thread, error } = useQuery(threadQuery(row.id));
  const update = actionOf(definition, 'update');
  const isPrinting = useIsPrinting();
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <PageLink size="sm" to={`/c/${slug}/requests`}>
            {t('requests')}
          </PageLink>
          <Title order={1} size="h2">
            {title}
          </Title>
        </div>
        {thread && <Follow id={row.id} thread={thread} />}
      </Group>
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
          <Stack>
            {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
            {thread ? <Stream entries={entriesOf(thread)} /> : !error && <LoadingSkeleton />}
            {thread && (thread.comments?.totalCount ?? 0) > 100 && (
              <Text size="sm">{t('theseAreTheLatest100Comments')}</Text>
            )}
            {update && (
              <div className="no-print">
                <Composer id={row.id} />
              </div>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
          {update && (
            // What somebody is entering stays while it is printed.
            <div className="no-print">
              <RequestFields definition={definition} action={update} row={row} />
            </div>
          )}
          {(!update || isPrinting) && <Facts definition={definition} row={row} />}
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

/** The fields, for people who may not change them. */
function Facts({ definition, row }: { readonly definition: Definition; readonly row: Row }) {
  const names = ['description', 'status', 'priority', 'assignedTo', 'category', 'buildingId', 'floor', 'room'];
  return (
    <Table className="facts" variant="vertical" layout="fixed" withTableBorder aria-label={definition.label}>
      <Table.Tbody>
        {names
          .flatMap((name) => fieldOf(definition, name) ?? [])
          .map((field) => (
            <Table.Tr key={field.name}>
              <Table.Th scope="row">{field.label}</Table.Th>
              <Table.Td>
                <Value field={field} row={row} />
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}

/** Follows a request, whose news come as notifications, or stops. */
function Follow({ id, thread }: { readonly id: string; readonly thread: Thread }) {
  const { person } = usePageSession();
  const isFollowing = thread.watchers?.nodes.some((watcher) => watcher.id === person.id) ?? false;
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const variables = { id, userId: person.id };
      if (isFollowing) await execute(UnfollowRequestDocument, variables);
      else await execute(FollowRequestDocument, variables);
      await forgetRows();
    },
    onError: (error) => showProblem(isFollowing ? t('couldntStopFollowingIt') : t('couldntFollowIt'), error),
  });
  return (
    <Button variant="default" size="xs" loading={isPending} onClick={() => mutate()}>
      {isFollowing ? t('stopFollowing') : t('follow')}
    </Button>
  );
}
