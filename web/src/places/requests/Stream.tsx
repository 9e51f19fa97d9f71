import { Anchor, Card, Group, Image, Stack, Text } from '@mantine/core';
import { useMeta } from '../../components/useMeta.ts';
import { fieldOf, useDefinition } from '../../console/definitions.ts';
import { PersonName } from '../../console/row/PersonName.tsx';
import { formatTime } from '../../format.ts';
import { t } from '../../texts/places-requests.ts';
import { Trans } from '../../texts/Trans.tsx';
import { inSentence } from '../../texts/texts.ts';
import type { Entry, ThreadFile } from './thread.ts';

/** What has been said and done about a request, oldest first. */
export function Stream({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <ol className="cards" aria-label={t('whatHasHappened')}>
      {entries.map((entry) => (
        <li key={entry.of.id}>{entry.kind === 'comment' ? <Comment of={entry.of} /> : <Line entry={entry} />}</li>
      ))}
    </ol>
  );
}

function Comment({ of }: { readonly of: Extract<Entry, { kind: 'comment' }>['of'] }) {
  return (
    <Card withBorder padding="sm">
      <Text size="sm">
        <b>{of.author?.fullName}</b> · <time dateTime={of.createdAt}>{formatTime(of.createdAt)}</time>
      </Text>
      <Text className="long">{of.comment}</Text>
      {(of.attachments?.nodes.length ?? 0) > 0 && (
        <Group gap="xs" mt={4}>
          {of.attachments?.nodes.map((file) => (
            <FileLink key={file.id} file={file} />
          ))}
        </Group>
      )}
    </Card>
  );
}

function Line({ entry }: { readonly entry: Exclude<Entry, { kind: 'comment' }> }) {
  return (
    <Stack gap={2} px="sm">
      <Text size="sm">
        {entry.kind === 'activity' && <Activity of={entry.of} />}
        {entry.kind === 'time' && (
          <>
            <Trans
              t={t}
              name="fullNameSpentHoursHours"
              values={{ fullName: entry.of.author?.fullName, count: entry.of.hours }}
              components={{ b: <b /> }}
            />
            {entry.of.description && <>: {entry.of.description}</>}
          </>
        )}
        {entry.kind === 'file' && t('aFileWasAdded')} · <time dateTime={entry.at}>{formatTime(entry.at)}</time>
      </Text>
      {entry.kind === 'file' && <FileLink file={entry.of} />}
    </Stack>
  );
}

function Activity({ of }: { readonly of: Extract<Entry, { kind: 'activity' }>['of'] }) {
  return (
    <>
      <b>{of.author?.fullName}</b> <What of={of} />
    </>
  );
}

function What({ of: { action, fromValue, toValue } }: { readonly of: Extract<Entry, { kind: 'activity' }>['of'] }) {
  const meta = useMeta();
  const definition = useDefinition('ServiceRequest');
  const change = (name: string) => `${meta.label(name, fromValue ?? '')} → ${meta.label(name, toValue ?? '')}`;
  // Activity names fields as REST does: `building_id`.
  const labelOf = (column: string) =>
    fieldOf(
      definition,
      column.replace(/_\w/g, (part) => part.slice(1).toUpperCase()),
    )?.label ?? column;
  switch (action) {
    case 'CREATED':
      return t('reportedIt');
    case 'STATUS_CHANGED':
      return <>{t('changedTheStatusChange', { change: change('RequestStatus') })}</>;
    case 'PRIORITY_CHANGED':
      return <>{t('changedThePriorityChange', { change: change('RequestPriority') })}</>;
    case 'ASSIGNED':
      return toValue ? (
        <>
          <Trans t={t} name="assignedItTo" components={{ personname: <PersonName id={toValue} /> }} />
        </>
      ) : (
        t('assignedItToNobody')
      );
    case 'WATCHER_ADDED':
      return t('addedAFollower');
    case 'WATCHER_REMOVED':
      return t('removedAFollower');
    default:
      return toValue
        ? t('changedLabelOf', {
            labelOf: toValue
              .split(', ')
              .map((column) => inSentence(labelOf(column)))
              .join(', '),
          })
        : t('changedIt');
  }
}

function FileLink({ file: { name, mediaType, url } }: { readonly file: ThreadFile }) {
  // On the host of the page, as images of other hosts are not shown.
  const path = url === null ? undefined : new URL(url).pathname + new URL(url).search;
  return (
    <Stack gap={2} maw={220}>
      {path && mediaType.startsWith('image/') && <Image src={path} alt="" h={110} w="auto" fit="contain" />}
      <Anchor href={path} size="sm">
        {name}
      </Anchor>
    </Stack>
  );
}
