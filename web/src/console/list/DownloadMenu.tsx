import { Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/http.ts';
import { saveTable, type TableForm, tableTypes } from '../../api/tables.ts';
import type { ListSearch } from '../../app/search.ts';
import { t } from '../../texts/console.ts';
import { inSentence } from '../../texts/texts.ts';
import { type Definition, useCollections } from '../definitions.ts';
import { pageSize } from '../list-query.ts';
import { showProblem } from '../notices.tsx';
import { fileQuery, maxPrinted, rowsQuery } from '../rows.ts';

interface Props {
  readonly definition: Definition;
  readonly state: ListSearch;
  /** How many rows the list has. */
  readonly totalCount: number;
}

/** Saves the list as a file: all its rows, in the shown columns. Or prints it. */
export default function DownloadMenu({ definition, state, totalCount }: Props) {
  const collections = useCollections();
  const { mutate, isPending } = useMutation({
    mutationFn: (form: TableForm) =>
      saveTable(form, fileQuery(definition, state, collections), send, definition.page ?? 'rows'),
    onError: (error) => showProblem(t('couldntDownloadThePlural', { plural: inSentence(definition.plural) }), error),
  });
  const client = useQueryClient();
  const printing = useMutation({
    // What is printed has to be there before the browser lays the paper out.
    mutationFn: () =>
      Promise.all(
        Array.from({ length: Math.ceil(Math.min(totalCount, maxPrinted) / pageSize) }, (_, page) =>
          client.ensureQueryData(rowsQuery(definition, state, collections, page * pageSize)),
        ),
      ),
    onSuccess: () => window.print(),
    onError: (error) => showProblem(t('couldntPrintThePlural', { plural: inSentence(definition.plural) }), error),
  });
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" loading={isPending || printing.isPending}>
          {t('download')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.keys(tableTypes).map((form) => (
          // The keys are those of the object.
          <Menu.Item key={form} onClick={() => mutate(form as TableForm)}>
            {form}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => printing.mutate()}>{t('print')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
