import { Anchor, Button, FileButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ImportMode, importFile, listImports } from '../../api/imports.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { fieldErrorsOf } from '../../components/problems.ts';
import { useMeta } from '../../components/useMeta.ts';
import { type Collection, definitionQuery, useCollections } from '../../console/definitions.ts';
import { forgetRows } from '../../console/writes.ts';
import { formatTime } from '../../format.ts';
import { t } from '../../texts/places-set-up.ts';
import { importName, importPathName, keyFields } from './mapping.ts';

/** The part of the page that other parts lead to. */
export const importSectionId = 'import-file';

/** The files that programs for spreadsheets write. */
const fileTypes = '.csv,.tsv,.txt,.xlsx,.ndjson,.jsonl';

/** How many earlier imports are shown. */
const shownImports = 5;

const modes = (): readonly { readonly value: ImportMode; readonly label: string }[] => [
  { value: 'INSERT', label: t('eachIsANewRow') },
  { value: 'UPSERT', label: t('rowsThatAreHereAlreadyAre') },
  { value: 'UPDATE', label: t('eachChangesARowThatIs') },
];

interface Props {
  readonly creatable: ReadonlySet<string>;
  /** The type of the rows; an empty text before one is chosen. */
  readonly type: string;
  readonly onType: (type: string) => void;
  /** Takes the id of the import once its file is sent. */
  readonly onSent: (id: string) => void;
}

/** Chooses a file and says what its rows are. */
export function ImportFile({ creatable, type, onType, onSent }: Props) {
  const collections = useCollections();
  const [mode, setMode] = useState<ImportMode>('INSERT');
  const [key, setKey] = useState('');
  const collection = creatable.has(type) ? collections.get(type) : undefined;
  const { data: definition } = useQuery({
    ...definitionQuery(type),
    enabled: collection !== undefined && mode !== 'INSERT',
  });
  const keys = definition ? keyFields(definition) : [];
  const chosenKey = keys.some(({ value }) => value === key) ? key : (keys[0]?.value ?? 'id');
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ file, of }: { readonly file: File; readonly of: Collection }) =>
      importFile({ resource: importName(of), mode, key: mode === 'INSERT' ? undefined : chosenKey }, file),
    onSuccess: async (id) => {
      onSent(id);
      await forgetRows();
    },
  });
  const choices = [...collections.values()]
    .filter((each) => creatable.has(each.type) && each.parent === null && each.listField !== null)
    .map((each) => ({ value: each.type, label: each.plural }));
  return (
    <Stack gap="xs" maw={480}>
      <NativeSelect
        label={t('whatTheRowsAre')}
        value={collection ? type : ''}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
        data={[{ value: '', label: t('choose') }, ...choices]}
      />
      <NativeSelect
        label={t('whatBecomesOfThem')}
        value={mode}
        // The options are modes.
        onChange={({ currentTarget }) => setMode(currentTarget.value as ImportMode)}
        data={[...modes()]}
      />
      {keys.length > 0 && mode !== 'INSERT' && (
        <NativeSelect
          label={t('aRowThatIsHereAlready')}
          value={chosenKey}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
          data={keys}
        />
      )}
      <Group gap="xs">
        <FileButton accept={fileTypes} onChange={(file) => file && collection && mutate({ file, of: collection })}>
          {(props) => (
            <Button {...props} loading={isPending} disabled={collection === undefined}>
              {t('chooseAFile')}
            </Button>
          )}
        </FileButton>
        {collection && (
          // A file, which is no page of the router.
          <Anchor size="sm" href={`/api/v1/imports/template?resource=${importPathName(collection)}`} download>
            {t('emptyFileWithAllColumns')}
          </Anchor>
        )}
      </Group>
      {error && <ErrorAlert title={t('couldntSendTheFile')}>{textOf(error)}</ErrorAlert>}
    </Stack>
  );
}

/** An error with what it says about fields: none of them is one of a form here. */
export const textOf = (error: Error): string =>
  Object.entries(fieldErrorsOf(error))
    .map(([path, text]) => `${path.replace(/^input\./, '')}: ${text}`)
    .join(' ') || error.message;

/** The last imports, which can be looked at again, gone on with or taken back. */
export function LatestImports({
  current,
  onOpen,
}: {
  readonly current: string | undefined;
  readonly onOpen: (id: string) => void;
}) {
  const { label } = useMeta();
  const collections = useCollections();
  const { data = [] } = useQuery({ queryKey: ['imports'], queryFn: listImports });
  const shown = data.filter(({ id, status }) => id !== current && status !== 'WAITING').slice(0, shownImports);
  if (shown.length === 0) return null;
  const nameOf = (resource: string) =>
    [...collections.values()].find((each) => importName(each) === resource)?.plural ?? resource;
  return (
    <Stack gap={4} mt="md">
      <Text fw={600}>{t('latestImports')}</Text>
      <ul className="list">
        {shown.map(({ id, resource, status, fileName, createdAt }) => (
          <li key={id}>
            <Group justify="space-between" gap="xs">
              <Text size="sm">
                {[fileName, nameOf(resource), label('ImportStatus', status), formatTime(createdAt)]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
              <Button
                variant="default"
                size="xs"
                onClick={() => onOpen(id)}
                aria-label={t('openTheImportOfFileNameCreatedAt', {
                  fileName: fileName ?? t('aFile'),
                  createdAt: formatTime(createdAt),
                })}
              >
                {t('open')}
              </Button>
            </Group>
          </li>
        ))}
      </ul>
    </Stack>
  );
}
