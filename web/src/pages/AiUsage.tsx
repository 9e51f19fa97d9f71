import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { t } from '../texts/ai-usage.ts';
import '@mantine/charts/styles.css';
import { Alert, Card, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { type ResponseData, rest, unwrap } from '../api/rest.ts';
import { dayIn, firstOfMonth } from '../company-time.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { Chart } from '../components/Chart.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { Stat, StatGrid } from '../components/Stats.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useLabel } from '../components/useMeta.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatAgo, formatAxisDollars, formatDollars, formatMonth, formatNumber, formatShortMonth } from '../format.ts';

type Report = ResponseData<'/ai-usage', 'get'>;
/** The usage of one feature in one month, as of when it was summarized. Features have names of whoever records them. */
type MonthlySummary = Report['months'][number];

const periods = () => [
  { value: '1', label: t('thisMonth') },
  { value: '3', label: t('last3Months') },
  { value: '6', label: t('last6Months') },
  { value: '12', label: t('last12Months') },
];

/** Reads the report of the last months, with their first days. @param today the company's day */
async function getReport(today: string, count: number) {
  const months = Array.from({ length: count }, (_, index) => firstOfMonth(today, -index));
  const query = { start: firstOfMonth(today, 1 - count), end: firstOfMonth(today, 1) };
  return { ...(await unwrap(rest.GET('/ai-usage', { params: { query } }))), periodMonths: months };
}

const summarizeMonth = (month: string): Promise<MonthlySummary[]> =>
  unwrap(rest.POST('/ai-usage', { body: { action: 'aggregate', month } }));

export default function AiUsage() {
  usePageTitle(t('aiUsage'));
  return (
    <AuthenticatedPage>
      {({ role, company }) => (
        <Stack>
          <Title order={1} size="h2">
            {t('aiUsage')}
          </Title>
          {role === 'member' ? (
            <Alert title={t('youDontHaveAccessToThis')}>{t('aiUsageIsAvailableToAdmins')}</Alert>
          ) : (
            <Content today={dayIn(company.time_zone, new Date())} />
          )}
        </Stack>
      )}
    </AuthenticatedPage>
  );
}

function Content({ today }: { today: string }) {
  const [period, setPeriod] = useState('6');
  const { data, error } = useQuery({
    queryKey: ['ai-usage', today, period],
    queryFn: () => getReport(today, Number(period)),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <NativeSelect
        label={t('period')}
        maw={240}
        data={periods()}
        value={period}
        onChange={({ currentTarget }) => setPeriod(currentTarget.value)}
      />
      {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
      {!data && !error && <LoadingSkeleton />}
      {data && (
        <>
          <StatGrid columns={4}>
            <Stat label={t('cost')} value={formatDollars(data.total.cost_usd)} />
            <Stat label={t('requests')} value={formatNumber(data.total.requests)} />
            <Stat label={t('inputTokens')} value={formatNumber(data.total.input_tokens)} />
            <Stat label={t('outputTokens')} value={formatNumber(data.total.output_tokens)} />
          </StatGrid>
          <Features features={data.features} />
          <CostPerMonth usage={data.feature_months} months={data.periodMonths.toReversed()} />
          <MonthlySummaries summaries={data.months} months={data.periodMonths} />
        </>
      )}
    </>
  );
}

function Features({ features }: Pick<Report, 'features'>) {
  return (
    <Card withBorder padding="md">
      <Title order={2} size="h4" mb="xs">
        {t('byFeature')}
      </Title>
      {features.length === 0 ? (
        <Text c="dimmed">{t('noAIUsageInThisPeriod')}</Text>
      ) : (
        <UsageTable name={t('byFeature')} rows={features} />
      )}
    </Card>
  );
}

function UsageTable({ name, rows }: { name: string; rows: readonly Report['features'][number][] }) {
  return (
    <Table.ScrollContainer
      minWidth={480}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': name } }}
    >
      <Table aria-label={name} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('feature')}</Table.Th>
            {[t('cost'), t('requests'), t('inputTokens'), t('outputTokens')].map((title) => (
              <Table.Th key={title} scope="col" ta="end">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ feature, requests, input_tokens, output_tokens, cost_usd }) => (
            <Table.Tr key={feature}>
              <Table.Th scope="row" fw={400}>
                {feature}
              </Table.Th>
              <Table.Td ta="end">{formatDollars(cost_usd)}</Table.Td>
              <Table.Td ta="end">{formatNumber(requests)}</Table.Td>
              <Table.Td ta="end">{formatNumber(input_tokens)}</Table.Td>
              <Table.Td ta="end">{formatNumber(output_tokens)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const colors = ['cyan.6', 'orange.5', 'grape.5', 'lime.6', 'pink.5', 'indigo.4', 'yellow.5', 'teal.5'];

interface CostProps {
  readonly usage: Report['feature_months'];
  /** The first days of the months to show. */
  readonly months: readonly string[];
}

/** A chart of the cost, whose sum is the total. */
function CostPerMonth({ usage, months }: CostProps) {
  const features = [...new Set(usage.map(({ feature }) => feature))];
  // Features have free names, and the chart reads dots in a key as a path.
  const keyOf = (feature: string) => `feature${features.indexOf(feature)}`;
  const rows = months.map((month) => ({
    label: formatShortMonth(month),
    ...Object.fromEntries(
      usage.filter((entry) => entry.month === month).map(({ feature, cost_usd }) => [keyOf(feature), cost_usd]),
    ),
  }));
  const series = features.map((feature, index) => ({
    name: keyOf(feature),
    label: feature,
    color: colors[index % colors.length] ?? 'gray.6',
  }));
  return (
    <Chart
      title={t('costPerMonth')}
      rowHeading={t('month')}
      rows={rows}
      series={series}
      format={formatDollars}
      formatTick={formatAxisDollars}
      emptyText={t('noAIUsageInThisPeriod')}
    />
  );
}

interface SummariesProps {
  readonly summaries: readonly MonthlySummary[];
  /** The first days of the months to show. */
  readonly months: readonly string[];
}

/** The months of the period, each with a button that summarizes it. */
function MonthlySummaries({ summaries, months }: SummariesProps) {
  const queryClient = useQueryClient();
  const summarize = useLabel('aggregateAiUsage');
  const [status, setStatus] = useState('');
  const {
    mutate,
    isPending,
    error,
    variables: pendingMonth,
  } = useMutation({
    mutationFn: summarizeMonth,
    onMutate: () => setStatus(''),
    onSuccess: (features, month) => {
      const cost = features.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
      setStatus(t('summarized', { month: formatMonth(month), cost: formatDollars(cost), count: features.length }));
      void queryClient.invalidateQueries({ queryKey: ['ai-usage'] });
    },
  });

  return (
    <Card withBorder padding="md">
      <Title order={2} size="h4">
        {t('monthlySummaries')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('aSummaryKeepsAMonthsUsage')}
      </Text>
      {error && <ErrorAlert title={t('couldntSummarizeTheMonth')}>{error.message}</ErrorAlert>}
      <Text role="status" size="sm" my="xs">
        {status}
      </Text>
      <Stack component="ul" className="list" gap={0}>
        {months.map((month) => {
          const entries = summaries.filter((entry) => entry.month === month);
          const updatedAt = entries
            .map(({ updated_at }) => updated_at)
            .sort()
            .at(-1);
          return (
            <li key={month}>
              <Group justify="space-between">
                <div>
                  <Text fw={600}>{formatMonth(month)}</Text>
                  <Text size="sm" c="dimmed">
                    {updatedAt
                      ? t('featuresUpdated', { count: entries.length, ago: formatAgo(updatedAt) })
                      : t('notSummarizedYet')}
                  </Text>
                </div>
                <SubmitButton
                  type="button"
                  size="xs"
                  variant="default"
                  isPending={isPending && pendingMonth === month}
                  disabled={isPending}
                  onClick={() => mutate(month)}
                  aria-label={`${summarize}: ${formatMonth(month)}`}
                >
                  {summarize}
                </SubmitButton>
              </Group>
              {entries.length > 0 && <UsageTable name={formatMonth(month)} rows={entries} />}
            </li>
          );
        })}
      </Stack>
    </Card>
  );
}
