import { Anchor, Button, Group, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type FileImport, getImport, type UpdateImportInput, updateImport } from '../../api/imports.ts';
import { LinkButton } from '../../app/Link.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { useCompany } from '../../console/company.ts';
import { type Collection, useCollections } from '../../console/definitions.ts';
import { Waiting } from '../../console/Place.tsx';
import { forgetRows } from '../../console/writes.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/places-set-up.ts';
import { inSentence } from '../../texts/texts.ts';
import { textOf } from './ImportFile.tsx';
import { MappingForm } from './MappingForm.tsx';
import { importName, isUnderway, problemsOfFile } from './mapping.ts';

/** How often (ms) an import that is underway is read again. */
const everyMs = 1000;

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** An import: what was found in its file, what would become of its rows, and what became of them. */
export function OneImport({ id, onClose }: Props) {
  const { data, error } = useQuery({
    queryKey: ['import', id],
    queryFn: () => getImport(id),
    refetchInterval: ({ state }) => (state.data && isUnderway(state.data) ? everyMs : false),
  });
  const status = data?.status;
  // Lists and counts have other rows by then.
  const isOver = status === 'IMPORTED' || status === 'CANCELLED';
  useEffect(() => {
    if (isOver) void forgetRows();
  }, [isOver]);
  if (data === undefined) return <Waiting error={error} />;
  if (data === null)
    return (
      <Stack gap="xs" align="flex-start">
        <Text>{t('thereIsNoSuchImportAny')}</Text>
        <Button onClick={onClose}>{t('importAnotherFile')}</Button>
      </Stack>
    );
  return <Shown row={data} onClose={onClose} />;
}

function Shown({ row, onClose }: { readonly row: FileImport; readonly onClose: () => void }) {
  const client = useQueryClient();
  const collection = [...useCollections().values()].find((each) => importName(each) === row.resource);
  const change = useMutation({
    mutationFn: (input: UpdateImportInput) => updateImport(row.id, input),
    onSuccess: (changed) => client.setQueryData(['import', row.id], changed),
  });
  if (!collection) return <LoadingSkeleton />;
  const set = (input: UpdateImportInput) => change.mutate(input);
  const { status, refused, columns } = row;
  const isOpen = status === 'CHECKED' || status === 'FAILED';
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {collection.plural}: {row.fileName ?? t('file')}
      </Title>
      <State row={row} collection={collection} />
      {change.error && <ErrorAlert title={t('couldntChangeTheImport')}>{textOf(change.error)}</ErrorAlert>}
      {isOpen && columns.length > 0 && (
        <MappingForm
          key={`${row.id}:${columns.map(({ field }) => field).join()}`}
          row={row}
          collection={collection}
          isPending={change.isPending}
          onCheck={set}
        />
      )}
      {refused > 0 && !isUnderway(row) && status !== 'CANCELLED' && <Refusals row={row} />}
      <Buttons row={row} collection={collection} isPending={change.isPending} onChange={set} onClose={onClose} />
    </Stack>
  );
}

interface PartProps {
  readonly row: FileImport;
  readonly collection: Collection;
}

/** How many of what, such as "3 new, 1 changed". */
const countsOf = ({ created, updated, unchanged, refused }: FileImport): string =>
  [
    ...(created ? [t('countNew', { count: created })] : []),
    ...(updated ? [t('countChanged', { count: updated })] : []),
    ...(unchanged ? [t('countUnchanged', { count: unchanged })] : []),
    ...(refused ? [t('countRefused', { count: refused })] : []),
  ].join(', ') || t('none');

/** What is going on, in a sentence that is read out when it changes. */
function State({ row }: PartProps) {
  const { status, rows, done, takenBack, keptCount } = row;
  const { byColumn, others } = problemsOfFile(row);
  const all = rows ?? 0;
  const texts: Readonly<Record<FileImport['status'], string>> = {
    WAITING: t('theFileHasNotArrived'),
    CHECKING: t('theRowsAreCheckedNothingIs'),
    CHECKED: t('rowsChecked', { count: all, counts: countsOf(row) }),
    IMPORTING: t('theRowsAreWritten'),
    IMPORTED: t('theImportIsDoneRow', { row: countsOf(row) }),
    FAILED: byColumn.size > 0 ? t('someColumnsAreNoFieldsChoose') : t('theFileCouldNotBeImported'),
    CANCELLING: t('whatWasWrittenIsTakenBack'),
    CANCELLED: [
      t('rowsTakenBack', { count: takenBack }),
      ...(keptCount > 0 ? [t('rowsStayed', { count: keptCount })] : []),
    ].join(' '),
  };
  // A failed file says what is wrong with it; what is wrong with columns stands beside them.
  const problem = others.map(({ path, text }) => `${labelOf(path)} ${text}.`).join(' ');
  return (
    <>
      <Text role="status">{texts[status]}</Text>
      {status === 'FAILED' && (problem || byColumn.size === 0) && (
        <ErrorAlert title={t('whatIsWrong')} takeFocus={false}>
          {problem || (row.error ?? t('theReasonIsNotKnown'))}
        </ErrorAlert>
      )}
      {isUnderway(row) && (
        <Stack gap={4}>
          <Progress
            value={all === 0 ? 0 : (100 * done) / all}
            animated
            aria-label={t('doneOfAllRows', { done: formatNumber(done), all: formatNumber(all) })}
          />
          <Text size="sm">{t('doneOfRows', { done: formatNumber(done), count: all })}</Text>
        </Stack>
      )}
    </>
  );
}

/** What people call what the service names in an error about a file. */
const labelOf = (path: string): string =>
  ({
    file: t('theFile'),
    decimal: t('decimals'),
    dateOrder: t('days'),
    date_order: t('days'),
    key: t('whatRowsHaveInCommon'),
  })[path] ?? path;

/** The first rows that are refused, by their line in the file. */
function Refusals({ row: { refusals, refused, errorsPath } }: Pick<PartProps, 'row'>) {
  return (
    <Stack gap="xs">
      <Table.ScrollContainer
        minWidth={360}
        maxHeight={360}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('refusedRows') } }}
      >
        <Table aria-label={t('refusedRows')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('row')}</Table.Th>
              <Table.Th scope="col">{t('whyItIsRefused')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {refusals.map(({ line, errors }) => (
              <Table.Tr key={line}>
                <Table.Th scope="row">{line}</Table.Th>
                <Table.Td>{errors.join('; ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {refused > refusals.length && (
        <Text size="sm">{t('firstOfRefused', { shown: refusals.length, count: refused })}</Text>
      )}
      <Anchor size="sm" href={errorsPath} download>
        {t('downloadAllRefusedRowsToCorrect')}
      </Anchor>
    </Stack>
  );
}

interface ButtonProps extends PartProps {
  readonly isPending: boolean;
  readonly onChange: (input: UpdateImportInput) => void;
  readonly onClose: () => void;
}

/** What can be done next. */
function Buttons({ row, collection, isPending, onChange, onClose }: ButtonProps) {
  const { slug } = useCompany();
  const { status, refused, rows, created, updated, unchanged } = row;
  const good = created + updated + unchanged;
  const isOver = status === 'IMPORTED' || status === 'CANCELLED';
  return (
    <Group gap="xs">
      {status === 'CHECKED' && refused === 0 && (
        <Button loading={isPending} onClick={() => onChange({ status: 'IMPORTING' })}>
          {t('importRows', { count: good })}
        </Button>
      )}
      {status === 'CHECKED' && refused > 0 && good > 0 && (
        // They are checked once more, as others may have changed since, and written then.
        <Button loading={isPending} onClick={() => onChange({ handling: 'LENIENT', autoStart: true })}>
          {t('importOtherRows', { count: good })}
        </Button>
      )}
      {status === 'FAILED' && rows !== null && (
        <Button variant="default" loading={isPending} onClick={() => onChange({ status: 'IMPORTING' })}>
          {t('goOn')}
        </Button>
      )}
      {status === 'IMPORTED' && collection.page && (
        <LinkButton to="/c/$company/$collection" params={{ company: slug, collection: collection.page }}>
          {t('showPlural', { plural: inSentence(collection.plural) })}
        </LinkButton>
      )}
      {status === 'IMPORTED' && (
        <Button variant="default" loading={isPending} onClick={() => onChange({ status: 'CANCELLED' })}>
          {t('undoTheImport')}
        </Button>
      )}
      {!isOver && status !== 'CANCELLING' && (
        <Button variant="default" disabled={isPending} onClick={() => onChange({ status: 'CANCELLED' })}>
          {t('cancelTheImport')}
        </Button>
      )}
      {!isUnderway(row) && (
        <Button variant="default" onClick={onClose}>
          {t('importAnotherFile')}
        </Button>
      )}
    </Group>
  );
}
