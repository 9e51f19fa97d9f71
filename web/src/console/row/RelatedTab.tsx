import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { runQuery } from '../../api/graphql.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { type Definition, useCollections, useDefinition } from '../definitions.ts';
import { columnsOf, selectionOf } from '../list-query.ts';
import { type RowPage, typesOf } from '../rows.ts';
import { isNumeric } from '../value-text.ts';
import { Value } from '../values.tsx';

interface Props {
  readonly definition: Definition;
  readonly id: string;
  readonly list: Definition['lists'][number];
}

/** How many rows are shown. */
const shownRows = 50;

/** Rows of another resource that refer to a row. */
export function RelatedTab({ definition, id, list }: Props) {
  // There are lists of what the person does not read.
  return useCollections().has(list.type) ? (
    <Related definition={definition} id={id} list={list} />
  ) : (
    <Text>{t('youCannotSeeThese')}</Text>
  );
}

function Related({ definition, id, list }: Props) {
  const collections = useCollections();
  const target = useDefinition(list.type);
  const fields = columnsOf(target, {});
  const selection = ['id', ...fields.map((field) => selectionOf(field, collections))].join(' ');
  const query = `query Related($id: ID!) { row: ${definition.rowField}(id: $id) { rows: ${list.field}(first: ${shownRows}) { totalCount nodes { ${selection} } } } }`;
  const { data, error } = useQuery({
    queryKey: ['related', definition.type, id, list.field],
    meta: { types: typesOf(list.type, fields) },
    queryFn: async ({ signal }) => (await runQuery<{ row: { rows: RowPage } }>(query, { id }, signal)).row.rows,
  });
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  if (!data) return <LoadingSkeleton />;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {data.totalCount > data.nodes.length
          ? t('countOfTotal', { shown: formatNumber(data.nodes.length), total: formatNumber(data.totalCount) })
          : formatNumber(data.totalCount)}
      </Text>
      <Table.ScrollContainer
        minWidth={480}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': list.label } }}
      >
        <Table aria-label={list.label}>
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => (
                <Table.Th key={field.name} scope="col" ta={isNumeric(field) ? 'end' : undefined}>
                  {field.label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.nodes.map((row) => (
              <Table.Tr key={row.id}>
                {fields.map((field) => (
                  <Table.Td key={field.name} ta={isNumeric(field) ? 'end' : undefined}>
                    <Value field={field} row={row} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
