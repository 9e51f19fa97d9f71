import { Button, Group, Stack, Table, Tabs, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Link, LinkButton } from '../../app/Link.tsx';
import type { ListSearch } from '../../app/search.ts';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../../components/usePageTitle.ts';
import { t } from '../../texts/console.ts';
import { inSentence } from '../../texts/texts.ts';
import { useCompany } from '../company.ts';
import { actionOf, type Definition, useCollections, useDefinition } from '../definitions.ts';
import { LabelMenu } from '../LabelMenu.tsx';
import { ResourceList } from '../list/ResourceList.tsx';
import { showDone, showProblem } from '../notices.tsx';
import type { Row } from '../rows.ts';
import { titleOf } from '../value-text.ts';
import { Value } from '../values.tsx';
import { runAction } from '../writes.ts';
import { FilesTab } from './FilesTab.tsx';
import { HistoryTab } from './HistoryTab.tsx';
import { RelatedTab } from './RelatedTab.tsx';

interface Props {
  readonly definition: Definition;
  readonly row: Row;
  /** The list that is shown below the fields. */
  readonly tab: string | undefined;
  readonly onTab: (tab: string | undefined) => void;
}

/** A row: its fields, what can be done with it, and a tab for each list that it has. */
export function ResourceDetail({ definition, row, tab, onTab }: Props) {
  const title = titleOf(definition, row);
  usePageTitle(title);
  const { lists } = definition;
  const shown = lists.find(({ field }) => field === tab) ?? lists[0];
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <Crumb definition={definition} />
          <Title order={1} size="h2">
            {title}
          </Title>
        </div>
        <RowActions definition={definition} row={row} />
      </Group>
      <Table className="facts" variant="vertical" layout="fixed" withTableBorder aria-label={title}>
        <Table.Tbody>
          {definition.fields.map((field) =>
            field.control === 'ITEMS' || ['attachmentIds', 'id'].includes(field.name) ? null : (
              <Table.Tr key={field.name}>
                <Table.Th scope="row">{field.label}</Table.Th>
                <Table.Td>
                  <Value field={field} row={row} />
                </Table.Td>
              </Table.Tr>
            ),
          )}
        </Table.Tbody>
      </Table>
      {shown && (
        <Tabs value={shown.field} onChange={(next) => onTab(next ?? undefined)} keepMounted={false}>
          <Tabs.List>
            {lists.map(({ field, label }) => (
              <Tabs.Tab key={field} value={field}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={shown.field} pt="sm">
            <Suspense fallback={<LoadingSkeleton />}>
              <ListTab definition={definition} row={row} list={shown} />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      )}
    </Stack>
  );
}

/** The way back to the rows of the resource. */
function Crumb({ definition: { page, plural, parent } }: Pick<Props, 'definition'>) {
  const { slug } = useCompany();
  if (!page || parent) return null;
  return (
    <Link size="sm" to="/c/$company/$collection" params={{ company: slug, collection: page }}>
      {plural}
    </Link>
  );
}

interface TabProps extends Pick<Props, 'definition' | 'row'> {
  readonly list: Definition['lists'][number];
}

/** One list of a row. */
function ListTab({ definition, row, list }: TabProps) {
  const collection = useCollections().get(list.type);
  if (list.type === 'Change') return <HistoryTab definition={definition} id={row.id} />;
  if (list.type === 'File') return <FilesTab definition={definition} row={row} />;
  if (collection?.listField && collection.parent === definition.type)
    return <SubResources type={collection.type} parentId={row.id} />;
  return <RelatedTab definition={definition} id={row.id} list={list} />;
}

/** The rows that belong to a row, with what can be added to them. */
function SubResources({ type, parentId }: { readonly type: string; readonly parentId: string }) {
  const definition = useDefinition(type);
  const { slug } = useCompany();
  const [state, setState] = useState<ListSearch>({});
  const { page, parentField, label } = definition;
  if (!page || !parentField) return null;
  return (
    <Stack gap="xs">
      {actionOf(definition, 'create') && (
        <Group>
          <LinkButton
            size="xs"
            variant="default"
            to="/c/$company/$collection/new"
            params={{ company: slug, collection: page }}
            search={{ parent: parentId }}
          >
            {t('addLabel', { label: inSentence(label) })}
          </LinkButton>
        </Group>
      )}
      <ResourceList
        definition={definition}
        state={state}
        onChange={setState}
        fixed={{ [parentField]: { eq: parentId } }}
      />
    </Stack>
  );
}

/** What this person may do with a row. */
function RowActions({ definition, row }: Pick<Props, 'definition' | 'row'>) {
  const { slug } = useCompany();
  const navigate = useNavigate();
  // What the service says of this row, such as that it is another person's.
  const allowed = row['allowedActions'] as readonly string[];
  const [update, remove] = (['update', 'delete'] as const).map((action) => {
    const found = actionOf(definition, action);
    return found && allowed.includes(found.field) ? found : undefined;
  });
  const restore = actionOf(definition, 'restore');
  const collection = definition.page ?? '';
  const deletion = useMutation({
    mutationFn: async () => remove && runAction(remove, { id: row.id, ifMatch: row['etag'] }, remove.field ? 'id' : ''),
    onSuccess: async () => {
      const title = titleOf(definition, row);
      showDone(t('titleDeleted', { title }), restore && (() => runAction(restore, { id: row.id }, 'id')));
      await navigate({ to: '/c/$company/$collection', params: { company: slug, collection } });
    },
    onError: (error) => showProblem(t('couldntDeleteIt'), error),
  });
  return (
    <Group gap="xs">
      <LabelMenu type={definition.type} ids={[row.id]} />
      {update && (
        <LinkButton
          variant="default"
          to="/c/$company/$collection/$id/edit"
          params={{ company: slug, collection, id: row.id }}
        >
          {t('edit')}
        </LinkButton>
      )}
      {remove && (
        <Button variant="default" loading={deletion.isPending} onClick={() => deletion.mutate()}>
          {t('delete')}
        </Button>
      )}
    </Group>
  );
}
