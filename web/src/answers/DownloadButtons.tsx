import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { send } from '../api/http.ts';
import type { SavedQuery } from '../api/saved-queries.ts';
import { saveTable, type TableForm, tableTypes } from '../api/tables.ts';
import { showProblem } from '../console/notices.tsx';
import { t } from '../texts/answers.ts';
import type { ReadQuery } from './document.ts';

interface Props {
  readonly saved: SavedQuery;
  readonly query: ReadQuery;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Saves the answer as a file. The service says which queries are one table. */
export function DownloadButtons({ saved: { query, name }, query: { name: operationName }, variables }: Props) {
  const {
    mutate,
    isPending,
    variables: form,
  } = useMutation({
    mutationFn: (form: TableForm) =>
      saveTable(form, { query, variables, ...(operationName !== undefined && { operationName }) }, send, name),
    onError: (error) => showProblem(t('couldntDownloadTheAnswer'), error),
  });
  return (
    <Group gap="xs">
      {Object.keys(tableTypes).map((each) => (
        <Button
          key={each}
          size="xs"
          variant="default"
          loading={isPending && form === each}
          // The keys are those of the object.
          onClick={() => mutate(each as TableForm)}
        >
          {t('downloadEach', { each })}
        </Button>
      ))}
    </Group>
  );
}
