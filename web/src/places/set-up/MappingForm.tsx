import { Button, Group, NativeSelect, Select, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FileImport, UpdateImportInput } from '../../api/imports.ts';
import { type Collection, inputQuery } from '../../console/definitions.ts';
import { t } from '../../texts/places-set-up.ts';
import { columnFields, fieldOfColumn, mappingOf, problemsOfFile } from './mapping.ts';

interface Props {
  readonly row: FileImport;
  readonly collection: Collection;
  readonly isPending: boolean;
  /** Has the file checked again. */
  readonly onCheck: (input: UpdateImportInput) => void;
}

type Conventions = Pick<UpdateImportInput, 'decimal' | 'dateOrder'>;

/** The columns of a file with their first values, and a field for each. */
export function MappingForm({ row, collection, isPending, onCheck }: Props) {
  const { data: input = [] } = useQuery(inputQuery(`create${collection.type}`));
  const [chosen, setChosen] = useState<ReadonlyMap<number, string | null>>(new Map());
  const [conventions, setConventions] = useState<Conventions>({});
  const { byColumn, others } = problemsOfFile(row);
  const fields = columnFields(input);
  const known = new Set(fields.map(({ value }) => value));
  // What the service has found can be a field that no form has, such as the id of a row.
  const found = row.columns.flatMap(({ field }) => (field === null || known.has(field) ? [] : [field]));
  const data = [...fields, ...[...new Set(found)].map((field) => ({ value: field, label: field }))];
  const isAsked = (name: string) => others.some(({ path }) => path === name || path === 'date_order');
  const isFailed = row.status === 'FAILED';
  return (
    <Stack gap="xs">
      <Table.ScrollContainer
        minWidth={560}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('columnsOfTheFile') } }}
      >
        <Table aria-label={t('columnsOfTheFile')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('column')}</Table.Th>
              <Table.Th scope="col">{t('firstValues')}</Table.Th>
              <Table.Th scope="col">{t('field')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {row.columns.map((column) => {
              const { position, header, examples } = column;
              const field = fieldOfColumn(column, chosen);
              return (
                <Table.Tr key={position}>
                  <Table.Th scope="row">{header || t('columnPosition', { position })}</Table.Th>
                  <Table.Td>
                    <Text size="sm" className="long">
                      {examples.join(' · ') || t('empty')}
                    </Text>
                  </Table.Td>
                  <Table.Td miw={220}>
                    <Select
                      aria-label={t('fieldOfHeader', { header: header || t('columnInSentence', { position }) })}
                      placeholder={t('notRead')}
                      searchable
                      clearable
                      clearButtonProps={{
                        'aria-label': t('doNotReadHeader', { header: header || t('columnInSentence', { position }) }),
                      }}
                      nothingFoundMessage={t('noSuchField')}
                      data={data}
                      value={field}
                      error={chosen.has(position) ? undefined : byColumn.get(position)}
                      onChange={(next) => setChosen((before) => new Map(before).set(position, next))}
                    />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group gap="xs" align="end">
        {(isAsked('decimal') || row.decimal !== null) && (
          <NativeSelect
            label={t('decimalsAreWritten')}
            value={conventions.decimal ?? row.decimal ?? ''}
            onChange={({ currentTarget }) =>
              setConventions({ ...conventions, decimal: readChoice(currentTarget.value, ['POINT', 'COMMA']) })
            }
            data={[
              { value: '', label: t('choose') },
              { value: 'POINT', label: '1.5' },
              { value: 'COMMA', label: '1,5' },
            ]}
          />
        )}
        {(isAsked('dateOrder') || row.dateOrder !== null) && (
          <NativeSelect
            label={t('daysAreWritten')}
            value={conventions.dateOrder ?? row.dateOrder ?? ''}
            onChange={({ currentTarget }) =>
              setConventions({ ...conventions, dateOrder: readChoice(currentTarget.value, ['DMY', 'MDY']) })
            }
            data={[
              { value: '', label: t('choose') },
              { value: 'DMY', label: '31/12/2026' },
              { value: 'MDY', label: '12/31/2026' },
            ]}
          />
        )}
        {(isFailed || chosen.size > 0 || Object.keys(conventions).length > 0) && (
          <Button
            loading={isPending}
            onClick={() => onCheck({ ...conventions, mapping: mappingOf(row.columns, chosen) })}
          >
            {t('checkTheFileAgain')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** One of some values; null is none of them. */
const readChoice = <const Value extends string>(text: string, values: readonly Value[]): Value | null =>
  values.find((each) => each === text) ?? null;
