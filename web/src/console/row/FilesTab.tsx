import { Anchor, Card, Group, Image, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { runQuery } from '../../api/graphql.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { actionOf, type Definition } from '../definitions.ts';
import { AttachedFiles } from '../form/AttachedFiles.tsx';
import type { Row } from '../rows.ts';
import { runAction } from '../writes.ts';

/** A file of a row. */
interface AttachedFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly url: string | null;
}

/** The files of a row, with a picture of each that is one. */
export function FilesTab({ definition, row }: { readonly definition: Definition; readonly row: Row }) {
  const query = `query Files($id: ID!) { row: ${definition.rowField}(id: $id) { attachments(first: 100) { nodes { id name mediaType size url } } } }`;
  const { data: files = [], error } = useQuery({
    queryKey: ['files', definition.type, row.id],
    queryFn: async ({ signal }) =>
      (await runQuery<{ row: { attachments: { nodes: readonly AttachedFile[] } } }>(query, { id: row.id }, signal)).row
        .attachments.nodes,
  });
  const update = actionOf(definition, 'update');
  const change = useMutation({
    mutationFn: async (ids: readonly string[]) =>
      update && runAction(update, { id: row.id, input: { attachmentIds: ids } }, 'id'),
  });
  const ids = row['attachmentIds'] as readonly string[] | undefined;
  return (
    <Stack>
      {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
      <Group align="stretch">
        {files.map(({ id, name, mediaType, size, url }) => (
          <Card key={id} withBorder padding="xs" w={180}>
            {url && mediaType.startsWith('image/') && <Image src={pathOf(url)} alt="" h={110} fit="contain" />}
            <Anchor href={url ? pathOf(url) : undefined} size="sm">
              {name}
            </Anchor>
            <Text size="xs">{t('kilobytes', { size: formatNumber(Math.ceil(size / 1024)) })}</Text>
          </Card>
        ))}
      </Group>
      {files.length === 0 && !error && <Text>{t('thereAreNoFiles')}</Text>}
      {update && ids && (
        <AttachedFiles ids={ids} onChange={(next) => change.mutate(next)} error={change.error?.message} />
      )}
    </Stack>
  );
}

/** A link on the host of the page, as images of other hosts are not shown. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
