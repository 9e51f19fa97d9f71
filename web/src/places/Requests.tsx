import {
  Button,
  Card,
  Group,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, PageLink } from '../app/Link.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMeta } from '../components/useMeta.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useCompany, usePageSession } from '../console/company.ts';
import { actionOf, type Definition, useCollections, useDefinition } from '../console/definitions.ts';
import { KeyHelp } from '../console/KeyHelp.tsx';
import { useSingleKeys } from '../console/keys.ts';
import { FilterBar } from '../console/list/FilterBar.tsx';
import { Missing } from '../console/Missing.tsx';
import { usePlaceSearch } from '../console/place-search.ts';
import { formatNumber } from '../format.ts';
import { t } from '../texts/places-requests.ts';
import { type QueuedRequest, queueQuery, type RequestGroup, useTriage } from './requests/queue.ts';
import { RequestItem } from './requests/RequestItem.tsx';
import {
  filterNames,
  namedFilters,
  openRequests,
  parseRequestsSearch,
  type RequestsSearch,
} from './requests/search.ts';
import { type Question, TriageDialogs } from './requests/TriageDialogs.tsx';
import { useCurrentRequest } from './requests/useCurrentRequest.ts';

/** How long (ms) to wait for more letters before requests are searched. */
const waitMs = 250;

const keys = () => ({
  j: t('theNextRequest'),
  k: t('theRequestBefore'),
  Enter: t('openTheRequest'),
  a: t('assignItEnterAssignsItTo'),
  s: t('changeItsStatusEnterTakesThe'),
  '/': t('search'),
  '?': t('showTheseKeys'),
});

/** The requests of the company, to be assigned and moved on. */
export default function Requests() {
  return useCollections().has('ServiceRequest') ? <Triage /> : <Missing />;
}

function Triage() {
  usePageTitle(t('requests'));
  const definition = useDefinition('ServiceRequest');
  const [state, setState] = usePlaceSearch(parseRequestsSearch);
  const { data: groups, error } = useQuery(queueQuery(state));
  const [question, setQuestion] = useState<Question>();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const triage = useTriage();
  const canChange = actionOf(definition, 'update') !== undefined;
  const all = (groups ?? []).flatMap(({ nodes }) => nodes);
  const { root, note, move, current } = useCurrentRequest(all.map(({ id }) => id).join());
  const ask = (about: Question['about'], request: QueuedRequest | undefined) =>
    request && setQuestion({ about, request });
  const askCurrent = (about: Question['about']) => () => {
    const id = current();
    if (canChange)
      ask(
        about,
        all.find((request) => request.id === id),
      );
  };
  useSingleKeys({
    j: () => move(1),
    k: () => move(-1),
    a: askCurrent('assignee'),
    s: askCurrent('status'),
    '/': () => search.current?.focus(),
    '?': () => setIsHelpOpen(true),
  });
  return (
    <Stack gap="sm">
      <Heading definition={definition} onHelp={() => setIsHelpOpen(true)} />
      <Group gap="xs">
        <TextInput
          key={state.search === undefined ? 'none' : 'some'}
          ref={search}
          type="search"
          aria-label={t('search')}
          placeholder={t('search')}
          size="xs"
          w={200}
          defaultValue={state.search ?? ''}
          onChange={useDebouncedCallback(
            ({ target }: { target: HTMLInputElement }) => setState({ ...state, search: target.value || undefined }),
            waitMs,
          )}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        />
        <Filters definition={definition} state={state} onChange={setState} />
      </Group>
      {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
      {!groups && !error && <LoadingSkeleton />}
      {/* Notes which request has the focus, to give it to the next one when that one is done. */}
      <div ref={root} onFocus={note}>
        {groups && <Groups groups={groups} state={state} onAsk={canChange ? ask : undefined} />}
      </div>
      <TriageDialogs
        definition={definition}
        question={question}
        onClose={() => setQuestion(undefined)}
        onTriage={triage.mutate}
      />
      <KeyHelp keys={keys()} isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </Stack>
  );
}

function Heading({ definition, onHelp }: { readonly definition: Definition; readonly onHelp: () => void }) {
  const { slug } = useCompany();
  return (
    <Group justify="space-between">
      <Title order={1} size="h2">
        {t('requests')}
      </Title>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={onHelp}>
          {t('keys')}
        </Button>
        {actionOf(definition, 'create') && <PageLink to={`/c/${slug}/report`}>{t('reportAProblem')}</PageLink>}
      </Group>
    </Group>
  );
}

interface FilterProps {
  readonly definition: Definition;
  readonly state: RequestsSearch;
  readonly onChange: (state: RequestsSearch) => void;
}

function Filters({ definition, state, onChange }: FilterProps) {
  const { person } = usePageSession();
  const named = namedFilters(person.id);
  const name = filterNames.find((each) => JSON.stringify(named[each]) === JSON.stringify(state.filter));
  const { filter: _, ...others } = state;
  const setFilter = (filter: RequestsSearch['filter']) => onChange(filter ? { ...others, filter } : others);
  const { view: _view, ...listed } = state;
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('show')}
        value={name ?? ''}
        onChange={({ currentTarget }) =>
          setFilter(filterNames.map((each) => (each === currentTarget.value ? named[each] : undefined)).find(Boolean))
        }
        data={[
          ...(name === undefined ? [{ value: '', label: t('other') }] : []),
          ...filterNames.map((each) => ({ value: each, label: t(`filters.${each}`) })),
        ]}
      />
      <FilterBar definition={definition} filter={state.filter} onChange={setFilter} />
      <SegmentedControl
        transitionDuration={0}
        size="xs"
        ms="auto"
        aria-label={t('view')}
        value={state.view ?? 'list'}
        onChange={(view) => onChange(view === 'board' ? { ...listed, view } : listed)}
        data={[
          { value: 'list', label: t('list') },
          { value: 'board', label: t('board') },
        ]}
      />
    </>
  );
}

interface GroupsProps {
  readonly groups: readonly RequestGroup[];
  readonly state: RequestsSearch;
  readonly onAsk: ((about: Question['about'], request: QueuedRequest) => void) | undefined;
}

/** The list, or a column of the board for each status. */
function Groups({ groups, state, onAsk }: GroupsProps) {
  const meta = useMeta();
  const isBoard = groups.length > 1;
  const lists = groups.map((group) => {
    const { status, totalCount, nodes } = group;
    const label = status ? meta.label('RequestStatus', status) : t('requests');
    return (
      <section key={status ?? 'all'} aria-label={label}>
        {isBoard ? (
          <Title order={2} size="h4" mb="xs">
            {label} <span className="number">{formatNumber(totalCount)}</span>
          </Title>
        ) : (
          <Text role="status" size="sm">
            {t('requestCount', { count: totalCount })}
          </Text>
        )}
        <ul className={isBoard ? 'cards' : 'list'}>
          {nodes.map((request) => (
            <li key={request.id}>
              {isBoard ? (
                <Card withBorder padding="xs">
                  <RequestItem request={request} showsStatus={false} onAsk={onAsk} />
                </Card>
              ) : (
                <RequestItem request={request} showsStatus onAsk={onAsk} />
              )}
            </li>
          ))}
        </ul>
        {totalCount === 0 && <Text size="sm">{isBoard ? t('none') : t('nothingWaitsHere')}</Text>}
        {totalCount > nodes.length && <Others state={state} group={group} />}
      </section>
    );
  });
  return isBoard ? <SimpleGrid cols={{ base: 1, sm: 3 }}>{lists}</SimpleGrid> : lists;
}

/** Leads to the list of all, where there are more than the page shows. */
function Others({
  state: { filter, search },
  group,
}: {
  readonly state: RequestsSearch;
  readonly group: RequestGroup;
}) {
  const { slug } = useCompany();
  const page = useCollections().get('ServiceRequest')?.page;
  const shown = group.status ? { ...filter, status: { in: [group.status] } } : (filter ?? openRequests);
  if (!page) return null;
  return (
    <Link
      size="sm"
      to="/c/$company/$collection"
      params={{ company: slug, collection: page }}
      search={{ filter: shown, ...(search !== undefined && { search }) }}
    >
      {t('allTotalCountInAList', { totalCount: formatNumber(group.totalCount) })}
    </Link>
  );
}
