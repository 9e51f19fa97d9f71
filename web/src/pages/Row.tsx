import { Anchor, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import type { ActiveCompany } from '../api/auth.ts';
import { runQuery } from '../api/graphql.ts';
import { ApiError } from '../api/http.ts';
import { getResource, type ResourceWords } from '../api/meta.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMeta } from '../components/useMeta.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { type Row as ApiRow, columnsOf, graphiqlAddress } from '../lists/query.ts';
import { classOf, formatValue, RowTable } from '../lists/RowTable.tsx';
import { fieldOf, findRowKind, rowQuery, shownOfComments } from '../lists/rows.ts';
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
    return (await runQuery<Record<string, RowWithComments>>(rowQuery(kind, id)))[fieldOf(kind.type)] ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Reads the words of the row, and of its comments. */
async function readWords({ type, comments }: RowKind) {
  const [own, ofComments] = await Promise.all([getResource(type), comments ? getResource(comments) : undefined]);
  return { own, ofComments };
}

function Content({ kind, company }: { kind: RowKind; company: ActiveCompany }) {
  const { data: row, error } = useQuery(useCallback(() => readRow(kind), [kind]));
  const { data: words, error: wordsError } = useQuery(useCallback(() => readWords(kind), [kind]));
  const label = words?.own.label ?? 'Details';
  usePageTitle(label);
  const problem = error ?? wordsError;
  if (problem)
    return (
      <Stack>
        <Title order={1} size="h2">
          {label}
        </Title>
        <ErrorAlert takeFocus={false}>{problem.message}</ErrorAlert>
      </Stack>
    );
  if (row === undefined || !words) return <LoadingSkeleton />;
  return row === null ? <Missing label={label} company={company} /> : <Details {...{ kind, words, row, company }} />;
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
  readonly words: { readonly own: ResourceWords; readonly ofComments: ResourceWords | undefined };
  readonly row: RowWithComments;
  readonly company: ActiveCompany;
}

function Details({ kind, words: { own, ofComments }, row, company: { currency } }: DetailsProps) {
  const meta = useMeta();
  const [title, ...facts] = columnsOf(own, kind.shown).map((column) => ({
    ...column,
    text: formatValue(row, column, currency, meta),
  }));
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <div>
          <Text size="sm" c="dimmed">
            {own.label}
          </Text>
          <Title order={1} size="h2">
            {title?.text}
          </Title>
        </div>
        <Anchor href={graphiqlAddress(rowQuery(kind, id))}>Open in GraphiQL</Anchor>
      </Group>
      <Table aria-label={`${own.label}: ${title?.text}`} verticalSpacing={6} className="facts">
        <Table.Tbody>
          {facts.map((fact) => (
            <Table.Tr key={fact.path}>
              <Table.Th scope="row">{fact.label}</Table.Th>
              <Table.Td className={classOf(fact)}>{fact.text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {row.comments && ofComments && (
        <section aria-labelledby="comments">
          <Title order={2} size="h4" id="comments">
            Comments
          </Title>
          {row.comments.nodes.length === 0 ? (
            <Text c="dimmed">No comments yet.</Text>
          ) : (
            <RowTable
              label="Comments"
              columns={columnsOf(ofComments, shownOfComments)}
              rows={row.comments.nodes}
              currency={currency}
            />
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
