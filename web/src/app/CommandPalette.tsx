import { t } from '../texts/app.ts';
import { inSentence } from '../texts/texts.ts';
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { runQuery } from '../api/graphql.ts';
import { type Collection, collectionsQuery } from '../console/definitions.ts';
import type { Row } from '../console/rows.ts';
import { titleOf } from '../console/value-text.ts';
import { placesFor } from './Navigation.tsx';
import { sessionQuery } from './session.ts';

/** The fewest letters that rows are searched for, and how long (ms) to wait for more. */
const minLetters = 2;
const waitMs = 250;
/** How many rows of each resource are shown. */
const rowsOfEach = 3;

/** The resources whose rows people look for by name. */
const isSearched = ({ isSearched, rowField, titleField, parent, page }: Collection) =>
  isSearched && rowField !== null && titleField !== null && parent === null && page !== null;

/** Searches the rows of several resources in one request. */
async function searchRows(collections: readonly Collection[], search: string, signal: AbortSignal) {
  const lists = collections.map(
    ({ type, listField, titleField }) =>
      `${type}: ${listField}(first: ${rowsOfEach}, search: $search) { nodes { id ${titleField} } }`,
  );
  const query = `query Search($search: String!) { ${lists.join(' ')} }`;
  const found = await runQuery<Record<string, { nodes: readonly Row[] }>>(query, { search }, signal);
  return collections.flatMap((collection) =>
    (found[collection.type]?.nodes ?? []).map((row) => ({ collection, row, title: titleOf(collection, row) })),
  );
}

interface Props {
  readonly slug: string;
  /** How often it was asked for: each time it opens. */
  readonly uses: number;
}

/** Finds pages, rows and actions by what people type. */
export default function CommandPalette({ slug, uses }: Props) {
  // Once it is there: where it begins open, it does not know what to give the focus back to.
  useEffect(() => {
    if (uses > 0) spotlight.open();
  }, [uses]);
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), waitMs);
  const navigate = useNavigate();
  const { data: collections } = useQuery(collectionsQuery);
  const { data: session } = useQuery(sessionQuery);
  const places = session && collections ? placesFor(session.role, collections) : [];
  const all = [...(collections?.values() ?? [])].filter(({ page, parent }) => page && !parent);
  const isLongEnough = search.length >= minLetters;
  const { data: rows = [] } = useQuery({
    queryKey: ['search', search],
    queryFn: ({ signal }) => searchRows(all.filter(isSearched), search, signal),
    enabled: isLongEnough && all.length > 0,
  });
  const open =
    (collection: string, below = '') =>
    () =>
      void navigate({ href: `/c/${slug}/${collection}${below}` });
  const found = isLongEnough ? rows : [];
  const groups: SpotlightActionGroupData[] = [
    {
      group: t('rows'),
      actions: found.map(({ collection, row, title }) => ({
        id: row.id,
        label: title,
        description: collection.label,
        keywords: text,
        onClick: open(collection.page ?? '', `/${row.id}`),
      })),
    },
    {
      group: t('pages'),
      actions: [
        ...places.map(({ label, to }) => ({ id: to, label, onClick: open(to.slice(1)) })),
        ...all.map(({ type, page, plural }) => ({ id: type, label: plural, onClick: open(page ?? '') })),
      ],
    },
    {
      group: t('actions'),
      actions: all.map(({ type, page, label }) => ({
        id: `new-${type}`,
        label: t('newLabel', { label: inSentence(label) }),
        onClick: open(page ?? '', '/new'),
      })),
    },
  ];
  return (
    <Spotlight
      actions={groups}
      query={text}
      onQueryChange={setText}
      nothingFound={t('nothingFoundTryOtherWords')}
      // The button has it, as it is there before this script.
      shortcut={null}
      limit={20}
      searchProps={{ placeholder: t('searchPagesRowsAndActions'), 'aria-label': t('search') }}
    />
  );
}
