import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { RowSelectionState } from '@tanstack/react-table';
import { lazy, Suspense, useState } from 'react';
import { LinkButton } from '../../app/Link.tsx';
import type { ListSearch } from '../../app/search.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { usePageTitle } from '../../components/usePageTitle.ts';
import { pollEvery } from '../../live/polling.ts';
import { t } from '../../texts/console.ts';
import { inSentence, withTexts } from '../../texts/texts.ts';
import { useCompany } from '../company.ts';
import { actionOf, type Definition, useCollections } from '../definitions.ts';
import { hasLabels } from '../labels.ts';
import { canChangeMany } from '../list-query.ts';
import { rowsQuery } from '../rows.ts';
import type { ChoiceProps } from './choice.ts';
import { FilterBar } from './FilterBar.tsx';
import { VirtualTable } from './VirtualTable.tsx';

// Only few who read a list need these.
const ColumnMenu = onDemand(
  () => import('./ColumnMenu.tsx'),
  () => t('columns'),
);
const ViewMenu = onDemand(
  () => import('./ViewMenu.tsx'),
  () => t('views'),
);
const DownloadMenu = onDemand(
  () => import('./DownloadMenu.tsx'),
  () => t('download'),
);
const BulkActions = lazy(() => withTexts(import('./BulkActions.tsx')));
const Groups = lazy(() => withTexts(import('./Groups.tsx')));

/** How long (ms) to wait for more letters before the list is searched. */
const waitMs = 250;
/** How often (ms) a list that is in view is read again where no stream tells of changes. */
const everyMs = 30_000;

interface Props {
  readonly definition: Definition;
  /** What the address says about the list. */
  readonly state: ListSearch;
  readonly onChange: (state: ListSearch) => void;
  /** Conditions that always hold, such as the row that the rows belong to. */
  readonly fixed?: ListSearch['filter'];
}

/** The rows of a resource: searched, filtered, sorted, grouped and changed together. */
export function ResourceList({ definition, state, onChange, fixed }: Props) {
  const collections = useCollections();
  const [selection, setSelection] = useState<RowSelectionState>({});
  const shown: ListSearch = fixed ? { ...state, filter: { ...state.filter, ...fixed } } : state;
  const first = useQuery({
    ...rowsQuery(definition, shown, collections, 0),
    placeholderData: (previous) => previous,
    refetchInterval: pollEvery(everyMs),
  });
  const change = (part: ListSearch) => onChange({ ...state, ...part });
  const canSelect = canChangeMany(definition) || hasLabels(definition.type);
  const total = first.data?.totalCount;
  return (
    <Stack gap="sm">
      <Group gap="xs" className="no-print">
        {definition.isSearched && (
          <SearchInput
            key={state.search === undefined ? 'none' : 'some'}
            value={state.search ?? ''}
            onChange={(search) => change({ search: search || undefined })}
          />
        )}
        <FilterBar definition={definition} filter={state.filter} onChange={(filter) => change({ filter })} />
        <Group gap="xs" ms="auto">
          <GroupSelect definition={definition} value={state.group} onChange={(group) => change({ group })} />
          <ColumnMenu definition={definition} state={state} onChange={(columns) => change({ columns })} />
          {!fixed && <ViewMenu definition={definition} state={state} onOpen={onChange} />}
          <DownloadMenu definition={definition} state={shown} totalCount={total ?? 0} />
        </Group>
      </Group>
      {state.group && (
        <Suspense>
          <Groups
            definition={definition}
            state={shown}
            onChoose={(filter) => change({ filter: { ...state.filter, ...filter } })}
          />
        </Suspense>
      )}
      {first.error && <ErrorAlert takeFocus={false}>{first.error.message}</ErrorAlert>}
      <Group justify="space-between" mih={30}>
        <Text role="status" size="sm">
          {total !== undefined && t('rows', { count: total })}
        </Text>
        {canSelect && Object.keys(selection).length > 0 && (
          <Suspense>
            <BulkActions definition={definition} ids={Object.keys(selection)} onDone={() => setSelection({})} />
          </Suspense>
        )}
      </Group>
      {total === 0 && (
        <Empty
          definition={definition}
          isFiltered={Boolean(state.search ?? state.filter)}
          onClear={() => onChange({ ...state, search: undefined, filter: undefined })}
        />
      )}
      {total !== undefined && total > 0 && (
        <VirtualTable
          definition={definition}
          state={shown}
          totalCount={total}
          selection={selection}
          {...(canSelect && { onSelect: setSelection })}
          onSort={(sort) => change({ sort })}
        />
      )}
    </Stack>
  );
}

function SearchInput({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const search = useDebouncedCallback(onChange, waitMs);
  return (
    <TextInput
      type="search"
      aria-label={t('search')}
      placeholder={t('search')}
      size="xs"
      w={220}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}

/** Chooses the field by whose values the rows are grouped. */
function GroupSelect({
  definition: { fields },
  value,
  onChange,
}: ChoiceProps<string> & { readonly value: string | undefined }) {
  const groups = fields.filter(
    ({ control, isList, isFilter }) => isFilter && !isList && ['CHOICE', 'REFERENCE', 'CHECKBOX'].includes(control),
  );
  if (groups.length === 0) return null;
  return (
    <NativeSelect
      size="xs"
      aria-label={t('groupBy')}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      data={[
        { value: '', label: t('noGroups') },
        ...groups.map(({ name, label }) => ({ value: name, label: t('byLabel', { label: inSentence(label) }) })),
      ]}
    />
  );
}

interface EmptyProps {
  readonly definition: Definition;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

/** Says what to do first where there are no rows. */
function Empty({ definition, isFiltered, onClear }: EmptyProps) {
  const { slug } = useCompany();
  const { page, plural, label, parent } = definition;
  return (
    <Stack align="flex-start" gap="xs" py="lg">
      <Text>
        {isFiltered
          ? t('noPluralMatch', { plural: inSentence(plural) })
          : t('thereAreNoPluralYet', { plural: inSentence(plural) })}
      </Text>
      {isFiltered && (
        <Button variant="default" size="xs" onClick={onClear}>
          {t('removeTheSearchAndAllFilters')}
        </Button>
      )}
      {!isFiltered && actionOf(definition, 'create') && page && !parent && (
        <LinkButton size="xs" to="/c/$company/$collection/new" params={{ company: slug, collection: page }}>
          {t('addTheFirstLabel', { label: inSentence(label) })}
        </LinkButton>
      )}
    </Stack>
  );
}

/** The heading of a list with what can be added to it. */
export function ListHeading({ definition }: { readonly definition: Definition }) {
  const { slug } = useCompany();
  const { plural, label, page, parent } = definition;
  usePageTitle(plural);
  return (
    <Group justify="space-between">
      <Title order={1} size="h2">
        {plural}
      </Title>
      {actionOf(definition, 'create') && page && !parent && (
        <LinkButton to="/c/$company/$collection/new" params={{ company: slug, collection: page }}>
          {t('newLabel', { label: inSentence(label) })}
        </LinkButton>
      )}
    </Group>
  );
}
