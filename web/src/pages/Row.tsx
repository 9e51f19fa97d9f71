import { Anchor, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import type { ActiveCompany } from '../api/auth.ts';
import { runQuery } from '../api/graphql.ts';
import { ApiError } from '../api/http.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { useWords } from '../components/useWords.ts';
import { type Row as ApiRow, graphiqlAddress } from '../lists/query.ts';
import { classOf, formatValue, RowTable } from '../lists/RowTable.tsx';
import { commentColumns, findRowKind, rowQuery } from '../lists/rows.ts';
import { companyName } from '../session.ts';
import NotFound from './NotFound.tsx';

type RowKind = NonNullable<ReturnType<typeof findRowKind>>;

/** A row with its comments, if it has any. */
type RowWithComments = ApiRow & {
  readonly comments?: { readonly totalCount: number; readonly nodes: readonly ApiRow[] };
};

const [, , type = '', id = ''] = location.pathname.split('/');
const kind = findRowKind(type);

/** A row that a notification is about. */
export default function Row() {
  if (!kind) return <NotFound />;
  return <AuthenticatedPage>{({ company }) => <Content kind={kind} company={company} />}</AuthenticatedPage>;
}

/** @returns null if there is none in the active company */
async function readRow(kind: RowKind): Promise<RowWithComments | null> {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return null;
  try {
    return (await runQuery<Record<string, RowWithComments>>(rowQuery(kind, id)))[kind.field] ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

function Content({ kind, company }: { kind: RowKind; company: ActiveCompany }) {
  const { data: row, error } = useQuery(useCallback(() => readRow(kind), [kind]));
  usePageTitle(kind.label);
  if (error)
    return (
      <Stack>
        <Title order={1} size="h2">
          {kind.label}
        </Title>
        <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>
      </Stack>
    );
  if (row === undefined) return <LoadingSkeleton />;
  return row === null ? <Missing label={kind.label} company={company} /> : <Details {...{ kind, row, company }} />;
}

function Missing({ label, company }: { label: string; company: ActiveCompany }) {
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm">
        <Title order={1} size="h2">
          {label} not found
        </Title>
        <Text>
          {companyName(company)} doesn't have it: it was deleted, or it belongs to another company. If you are a member
          of that company, choose it on the account page and open this address again.
        </Text>
        <Anchor href="/account">Account</Anchor>
        <Anchor href="/notifications">Notifications</Anchor>
        <Anchor href="/dashboard">Dashboard</Anchor>
      </Stack>
    </Card>
  );
}

interface DetailsProps {
  readonly kind: RowKind;
  readonly row: RowWithComments;
  readonly company: ActiveCompany;
}

function Details({ kind, row, company: { currency } }: DetailsProps) {
  const [heading, ...columns] = kind.columns;
  const words = useWords();
  const title = formatValue(row, heading, currency, words);
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <div>
          <Text size="sm" c="dimmed">
            {kind.label}
          </Text>
          <Title order={1} size="h2">
            {title}
          </Title>
        </div>
        <Anchor href={graphiqlAddress(rowQuery(kind, id))}>Open in GraphiQL</Anchor>
      </Group>
      <Table aria-label={`${kind.label}: ${title}`} verticalSpacing={6} className="facts">
        <Table.Tbody>
          {columns.map((column) => (
            <Table.Tr key={column.path}>
              <Table.Th scope="row">{column.label}</Table.Th>
              <Table.Td className={classOf(column)}>{formatValue(row, column, currency, words)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {row.comments && (
        <section aria-labelledby="comments">
          <Title order={2} size="h4" id="comments">
            Comments
          </Title>
          {row.comments.nodes.length === 0 ? (
            <Text c="dimmed">No comments yet.</Text>
          ) : (
            <RowTable label="Comments" columns={commentColumns} rows={row.comments.nodes} currency={currency} />
          )}
          {row.comments.nodes.length < row.comments.totalCount && (
            <Text size="sm">
              These are the first {row.comments.nodes.length} of {row.comments.totalCount}.
            </Text>
          )}
        </section>
      )}
    </Stack>
  );
}
