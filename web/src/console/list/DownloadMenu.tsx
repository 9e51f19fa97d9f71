import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../api/http.ts';
import { saveTable, type TableForm, tableTypes } from '../../api/tables.ts';
import type { ListSearch } from '../../app/search.ts';
import { t } from '../../texts/console.ts';
import { inSentence } from '../../texts/texts.ts';
import { type Definition, useCollections } from '../definitions.ts';
import { showProblem } from '../notices.tsx';
import { fileQuery } from '../rows.ts';

/** Saves the list as a file: all its rows, in the shown columns. */
export function DownloadMenu({ definition, state }: { readonly definition: Definition; readonly state: ListSearch }) {
  const collections = useCollections();
  const { mutate, isPending } = useMutation({
    mutationFn: (form: TableForm) =>
      saveTable(form, fileQuery(definition, state, collections), send, definition.page ?? 'rows'),
    onError: (error) => showProblem(t('couldntDownloadThePlural', { plural: inSentence(definition.plural) }), error),
  });
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" loading={isPending}>
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
      </Menu.Dropdown>
    </Menu>
  );
}
