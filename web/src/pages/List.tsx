import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lists } from '../../../src/pages/addresses.ts';
import type { ActiveCompany } from '../api/auth.ts';
import { runQuery } from '../api/graphql.ts';
import { getResource } from '../api/meta.ts';
import { PageLink } from '../app/Link.tsx';
import { usePagePath } from '../app/usePagePath.ts';
import { lastDays } from '../company-time.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { collectionsQuery } from '../console/definitions.ts';
import { formatAmount, formatNumber } from '../format.ts';
import { type Days, describeList, type List as ListOfRows } from '../lists/lists.ts';
import { columnsOf, graphiqlAddress, type Row } from '../lists/query.ts';
import { RowTable } from '../lists/RowTable.tsx';
import { type ListName, listTitles } from '../lists/titles.ts';
import { t } from '../texts/lists.ts';
import NotFound from './NotFound.tsx';

/** A page of the API's list. */
interface Page {
  readonly totalCount: number;
  readonly aggregates?: readonly Readonly<Record<string, { readonly sum: number | null }>>[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Row[];
}

/** A list behind a figure of the dashboard. */
export default function List() {
  const pathname = usePagePath();
  const name = lists.find((each) => pathname.replace(/\/$/, '') === `/lists/${each}`);
  if (!name) return <NotFound />;
  return <AuthenticatedPage>{({ company }) => <Content key={name} name={name} company={company} />}</AuthenticatedPage>;
}

/** The days in the address, or the last 30, as on the dashboard; undefined if they are none. */
function daysIn(search: string, timeZone: string): Days | undefined {
  const given = new URLSearchParams(search);
  const { startDate, endDate } = lastDays(30, timeZone);
  const days = { start: given.get('startDate') || startDate, end: given.get('endDate') || endDate };
  const isDay = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return isDay(days.start) && isDay(days.end) ? days : undefined;
}

function Content({ name, company }: { name: ListName; company: ActiveCompany }) {
  const [list] = useState(() => {
    const days = daysIn(location.search, company.time_zone);
    return days && describeList(name, days, company.time_zone, new Date());
  });
  if (!list)
    return (
      <Stack>
        <Title order={1} size="h2">
          {listTitles()[name]}
        </Title>
        <ErrorAlert takeFocus={false}>{t('startDateAndEndDateInTheAddress')}</ErrorAlert>
      </Stack>
    );
  return <Rows title={listTitles()[name]} list={list} company={company} />;
}

const readPage = async ({ query, field }: ListOfRows, after: string | null): Promise<Page> =>
  (await runQuery<Record<string, Page>>(query, { after }))[field] as Page;

function Rows({ title, list, company }: { title: string; list: ListOfRows; company: ActiveCompany }) {
  const { currency, slug } = company;
  const { about, query, type, shown, sum } = list;
  usePageTitle(title);
  const { data, error, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = useInfiniteQuery({
    queryKey: ['figure', query],
    queryFn: ({ pageParam }) => readPage(list, pageParam || null),
    initialPageParam: '',
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
  const { data: resource, error: wordsError } = useQuery({
    queryKey: ['api', 'words', type],
    queryFn: () => getResource(type),
    staleTime: Infinity,
  });
  // Rows lead to their pages, where people may read such rows.
  const { data: collections } = useQuery(collectionsQuery);
  const page = collections?.get(type)?.page;
  const pages = data?.pages ?? [];
  const [first] = pages;
  const problem = (isFetchNextPageError ? null : error) ?? wordsError;
  const rows = pages.flatMap(({ nodes }) => nodes);
  const total = sum && first?.aggregates?.[0]?.[sum.path];
  // All at once, so that nothing moves when the second response comes.
  const isComplete = first !== undefined && resource !== undefined;
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Group gap="md">
          <PageLink to="/dashboard">{t('dashboard')}</PageLink>
          <Anchor href={graphiqlAddress(query)}>{t('openInGraphiQL')}</Anchor>
        </Group>
      </Group>
      <Text>{about}</Text>
      <Text role="status" size="sm">
        {isComplete &&
          [
            rows.length < first.totalCount
              ? t('shownOfRows', { shown: formatNumber(rows.length), count: first.totalCount })
              : t('rows', { count: first.totalCount }),
            ...(sum && total ? [`${sum.label}: ${formatAmount(total.sum ?? 0, currency)}`] : []),
          ].join(' · ')}
      </Text>
      {problem && <ErrorAlert takeFocus={false}>{problem.message}</ErrorAlert>}
      {!isComplete && !problem && <LoadingSkeleton />}
      {isComplete && first.totalCount === 0 && <Text c="dimmed">{t('thereAreNoneAtTheMoment')}</Text>}
      {isComplete && rows.length > 0 && (
        <RowTable
          label={title}
          columns={columnsOf(resource, shown)}
          rows={rows}
          currency={currency}
          pathOf={page ? (row: Row) => `/c/${slug}/${page}/${String(row['id'])}` : undefined}
        />
      )}
      {error && isFetchNextPageError && <ErrorAlert title={t('couldntLoadMore')}>{error.message}</ErrorAlert>}
      {hasNextPage && (
        <Group>
          <Button variant="default" disabled={isFetching} onClick={() => void fetchNextPage()}>
            {t('showMore')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
