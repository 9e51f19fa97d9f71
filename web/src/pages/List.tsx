import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useCallback, useState } from 'react';
import { lists } from '../../../src/pages/addresses.ts';
import type { ActiveCompany } from '../api/auth.ts';
import { runQuery } from '../api/graphql.ts';
import { getResource } from '../api/meta.ts';
import { lastDays } from '../company-time.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatAmount, formatCount } from '../format.ts';
import { type Days, describeList, type List as ListOfRows } from '../lists/lists.ts';
import { columnsOf, graphiqlAddress, type Row } from '../lists/query.ts';
import { RowTable } from '../lists/RowTable.tsx';
import { type ListName, listTitles } from '../lists/titles.ts';
import NotFound from './NotFound.tsx';

/** A page of the API's list. */
interface Page {
  readonly totalCount: number;
  readonly aggregates?: readonly Readonly<Record<string, { readonly sum: number | null }>>[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Row[];
}

const name = lists.find((each) => location.pathname.replace(/\/$/, '') === `/lists/${each}`);

/** A list behind a figure of the dashboard. */
export default function List() {
  if (!name) return <NotFound />;
  return <AuthenticatedPage>{({ company }) => <Content name={name} company={company} />}</AuthenticatedPage>;
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
          {listTitles[name]}
        </Title>
        <ErrorAlert takeFocus={false}>
          `startDate` and `endDate` in the address must be days, such as 2026-01-31.
        </ErrorAlert>
      </Stack>
    );
  return <Rows title={listTitles[name]} list={list} currency={company.currency} />;
}

const readPage = async ({ query, field }: ListOfRows, after: string | null): Promise<Page> =>
  (await runQuery<Record<string, Page>>(query, { after }))[field] as Page;

function Rows({ title, list, currency }: { title: string; list: ListOfRows; currency: string }) {
  const { about, query, type, shown, sum, rowType } = list;
  usePageTitle(title);
  const { data: first, error } = useQuery(useCallback(() => readPage(list, null), [list]));
  const { data: resource, error: wordsError } = useQuery(useCallback(() => getResource(type), [type]));
  const [later, setLater] = useState<readonly Page[]>([]);
  const pages = first ? [first, ...later] : [];
  const { hasNextPage = false, endCursor = null } = pages.at(-1)?.pageInfo ?? {};
  const more = useMutation(async () => {
    const page = await readPage(list, endCursor);
    setLater((pages) => [...pages, page]);
  });
  const problem = error ?? wordsError;
  const rows = pages.flatMap(({ nodes }) => nodes);
  const total = sum && first?.aggregates?.[0]?.[sum.path];
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Group gap="md">
          <Anchor href="/dashboard">Dashboard</Anchor>
          <Anchor href={graphiqlAddress(query)}>Open in GraphiQL</Anchor>
        </Group>
      </Group>
      <Text>{about}</Text>
      <Text role="status" size="sm">
        {first &&
          [
            rows.length < first.totalCount
              ? `${formatCount(rows.length, 'row')} of ${formatCount(first.totalCount, 'row')}`
              : formatCount(first.totalCount, 'row'),
            ...(sum && total ? [`${sum.label}: ${formatAmount(total.sum ?? 0, currency)}`] : []),
          ].join(' · ')}
      </Text>
      {problem && <ErrorAlert takeFocus={false}>{problem.message}</ErrorAlert>}
      {(!first || !resource) && !problem && <LoadingSkeleton />}
      {first?.totalCount === 0 && <Text c="dimmed">There are none at the moment.</Text>}
      {resource && rows.length > 0 && (
        <RowTable
          label={title}
          columns={columnsOf(resource, shown)}
          rows={rows}
          currency={currency}
          {...(rowType && { pathOf: (row: Row) => `/rows/${rowType}/${String(row['id'])}` })}
        />
      )}
      {more.error && <ErrorAlert title="Couldn't load more">{more.error.message}</ErrorAlert>}
      {hasNextPage && (
        <Group>
          <Button variant="default" disabled={more.isPending} onClick={() => more.mutate()}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}
