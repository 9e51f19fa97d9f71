import { Button, Group, Stack, Text, Timeline } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { runQuery } from '../../api/graphql.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { useMeta } from '../../components/useMeta.ts';
import { formatTime } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { type Definition, type Field, fieldOf, useCollections } from '../definitions.ts';
import { Value } from '../values.tsx';
import { PersonName } from './PersonName.tsx';

/** A change of a row. */
interface Change {
  readonly version: string;
  readonly at: string;
  readonly action: string;
  readonly fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly actor: { readonly kind: string; readonly userId: string | null } | null;
}

interface Page {
  readonly nodes: readonly Change[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** What has become of a row, latest first, as a story: who did what and when. */
export function HistoryTab({ definition, id }: { readonly definition: Definition; readonly id: string }) {
  const query = `query History($id: ID!, $after: String) { row: ${definition.rowField}(id: $id) {
    history(first: 25, after: $after) { nodes { version at action fields before after actor { kind userId } } pageInfo { hasNextPage endCursor } }
  } }`;
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['history', definition.type, id],
    queryFn: async ({ pageParam, signal }) =>
      (await runQuery<{ row: { history: Page } }>(query, { id, after: pageParam }, signal)).row.history,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  });
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  if (!data) return <LoadingSkeleton />;
  const changes = data.pages.flatMap(({ nodes }) => nodes);
  return (
    <Stack>
      <Timeline bulletSize={14} lineWidth={2} active={changes.length}>
        {changes.map((change) => (
          <Timeline.Item key={change.version} title={<Headline change={change} />}>
            <Text size="sm">{formatTime(change.at)}</Text>
            {change.action === 'UPDATE' && <Changed definition={definition} change={change} />}
          </Timeline.Item>
        ))}
      </Timeline>
      {changes.length === 0 && <Text>{t('nothingIsRecorded')}</Text>}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('showEarlierChanges')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const verbs = (): Readonly<Record<string, string>> => ({
  CREATE: t('createdIt'),
  UPDATE: t('changedIt'),
  DELETE: t('deletedIt'),
});

function Headline({ change: { action, actor } }: { readonly change: Change }) {
  return (
    <>
      {actor?.userId ? <PersonName id={actor.userId} /> : t('theService')} {verbs()[action] ?? action.toLowerCase()}
    </>
  );
}

/** The fields that a change has set, each before and after. */
function Changed({
  definition,
  change: { fields, before, after },
}: {
  readonly definition: Definition;
  readonly change: Change;
}) {
  const shown = fields.flatMap((name) => fieldOf(definition, name) ?? []).filter(({ name }) => name !== 'updatedAt');
  return (
    <ul className="changed">
      {shown.map((field) => (
        <li key={field.name}>
          {field.label}: <Past field={field} image={before} /> → <Past field={field} image={after} />
        </li>
      ))}
    </ul>
  );
}

/** A value as a change has recorded it. */
function Past({ field, image }: { readonly field: Field; readonly image: Change['before'] }) {
  const meta = useMeta();
  const isPerson = useCollections().get(field.references ?? '')?.type === 'User';
  const value = image?.[field.name];
  if (isPerson && typeof value === 'string') return <PersonName id={value} />;
  if (field.control === 'CHOICE' && typeof value === 'string') return meta.label(field.type, value);
  return <Value field={{ ...field, relation: null }} row={{ ...image, id: '' }} />;
}
