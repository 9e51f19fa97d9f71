import '@mantine/charts/styles.css';
import { Alert, Card, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { useCallback, useState } from 'react';
import { call } from '../api.ts';
import { Act } from '../components/Act.tsx';
import { Chart } from '../components/Chart.tsx';
import { Failure } from '../components/Failure.tsx';
import { SignedIn, Waiting } from '../components/SignedIn.tsx';
import { Tile, Tiles } from '../components/Tiles.tsx';
import { useAnswer } from '../components/useAnswer.ts';
import { useTitle } from '../components/useTitle.ts';
import {
  ago,
  counted,
  dollars,
  month as monthName,
  number,
  roundDollars,
  shortMonth,
  words,
} from '../components/words.ts';

interface Usage {
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cost_usd: number;
}

interface Month extends Usage {
  /** Its first day. */
  readonly month: string;
  readonly feature: string;
  readonly updated_at: string;
}

/** GET /ai-usage. */
interface Report {
  readonly range: { readonly start: string; readonly end: string };
  readonly features: readonly ({ readonly feature: string } & Usage)[];
  readonly total: Usage;
  readonly months: readonly Month[];
}

const periods = [
  { value: '1', label: 'This month' },
  { value: '3', label: 'The last 3 months' },
  { value: '6', label: 'The last 6 months' },
  { value: '12', label: 'The last 12 months' },
];

/** The first day of the month that is so many after this one (UTC). */
function firstOfMonth(after: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + after, 1)).toISOString().slice(0, 10);
}

export default function AiUsage() {
  useTitle('AI usage');
  return (
    <SignedIn>
      {({ role }) => (
        <Stack>
          <Title order={1} size="h2">
            AI usage
          </Title>
          {role === 'member' ? (
            <Alert title="This is for admins and executives">
              What AI costs the company is shown to admins and executives only. If you need it, ask one of them.
            </Alert>
          ) : (
            <Numbers />
          )}
        </Stack>
      )}
    </SignedIn>
  );
}

function Numbers() {
  const [period, setPeriod] = useState('6');
  const months = Number(period);
  const ask = useCallback(
    () => call<Report>('GET', `/api/v1/ai-usage?start=${firstOfMonth(1 - months)}&end=${firstOfMonth(1)}`),
    [months],
  );
  const { answer, error, refresh } = useAnswer(ask);
  const latest = Array.from({ length: months }, (_, back) => firstOfMonth(-back));
  return (
    <>
      <NativeSelect
        label="Period"
        maw={240}
        data={periods}
        value={period}
        onChange={({ currentTarget }) => setPeriod(currentTarget.value)}
      />
      {error && <Failure takeFocus={false}>{error.message}</Failure>}
      {!answer && !error && <Waiting />}
      {answer && (
        <>
          <Tiles abreast={4}>
            <Tile label="Cost" value={dollars(answer.total.cost_usd)} />
            <Tile label="Requests" value={number(answer.total.requests)} />
            <Tile label="Tokens in" value={number(answer.total.input_tokens)} />
            <Tile label="Tokens out" value={number(answer.total.output_tokens)} />
          </Tiles>
          <Features report={answer} />
          <CostPerMonth rolledUp={answer.months} months={[...latest].reverse()} />
          <Months rolledUp={answer.months} months={latest} onRolledUp={refresh} />
        </>
      )}
    </>
  );
}

/** What each feature took in the period, as of now. */
function Features({ report: { features } }: { report: Report }) {
  return (
    <Card withBorder padding="md">
      <Title order={2} size="h4" mb="xs">
        By feature
      </Title>
      {features.length === 0 ? (
        <Text c="dimmed">AI was not used in this period.</Text>
      ) : (
        <UsageTable name="By feature" rows={features.map((row) => ({ ...row, key: row.feature }))} />
      )}
    </Card>
  );
}

function UsageTable({
  name,
  rows,
}: {
  name: string;
  rows: readonly ({ readonly key: string; readonly feature: string } & Usage)[];
}) {
  return (
    <Table.ScrollContainer
      minWidth={480}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': name } }}
    >
      <Table aria-label={name} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Feature</Table.Th>
            {['Cost', 'Requests', 'Tokens in', 'Tokens out'].map((title) => (
              <Table.Th key={title} scope="col" ta="end">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, feature, requests, input_tokens, output_tokens, cost_usd }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400}>
                {words(feature)}
              </Table.Th>
              <Table.Td ta="end">{dollars(cost_usd)}</Table.Td>
              <Table.Td ta="end">{number(requests)}</Table.Td>
              <Table.Td ta="end">{number(input_tokens)}</Table.Td>
              <Table.Td ta="end">{number(output_tokens)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const colors = ['cyan.6', 'orange.5', 'grape.5', 'lime.6', 'pink.5', 'indigo.4', 'yellow.5', 'teal.5'];

/** What was rolled up, month by month. */
function CostPerMonth({ rolledUp, months }: { rolledUp: readonly Month[]; months: readonly string[] }) {
  const features = [...new Set(rolledUp.map(({ feature }) => feature))];
  const rows = months.map((month) => {
    const parts = rolledUp.filter((part) => part.month === month);
    return {
      label: shortMonth(month),
      ...Object.fromEntries(parts.map(({ feature, cost_usd }) => [keyOf(features, feature), cost_usd])),
    };
  });
  const series = features.map((feature, index) => ({
    name: keyOf(features, feature),
    label: words(feature),
    color: colors[index % colors.length] ?? 'gray.6',
  }));
  return (
    <Chart
      title="Cost per month"
      of="Month"
      rows={rows}
      series={series}
      format={dollars}
      axis={roundDollars}
      empty="No month of this period is aggregated yet."
    />
  );
}

/** A feature may have any name, and a chart reads dots in keys as paths. */
const keyOf = (features: readonly string[], feature: string) => `feature${features.indexOf(feature)}`;

interface MonthsProps {
  readonly rolledUp: readonly Month[];
  /** The first days of the months of the period, the latest first. */
  readonly months: readonly string[];
  readonly onRolledUp: () => void;
}

/** The months of the period, each with a button that rolls it up. */
function Months({ rolledUp, months, onRolledUp }: MonthsProps) {
  const [busy, setBusy] = useState<string>();
  const [told, setTold] = useState('');
  const [error, setError] = useState<Error>();

  async function rollUp(month: string) {
    setBusy(month);
    setTold('');
    setError(undefined);
    try {
      const features = await call<Month[]>('POST', '/api/v1/ai-usage', { action: 'aggregate', month });
      const cost = features.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
      setTold(`${monthName(month)} is aggregated: ${dollars(cost)} over ${counted(features.length, 'feature')}.`);
      onRolledUp();
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setBusy(undefined);
    }
  }

  return (
    <Card withBorder padding="md">
      <Title order={2} size="h4">
        Months
      </Title>
      <Text size="sm" c="dimmed">
        A month is kept as it was when it was last aggregated. Aggregating it again catches up with what was recorded
        since.
      </Text>
      {error && <Failure>{error.message}</Failure>}
      <Text role="status" size="sm" mt="xs">
        {told}
      </Text>
      <Stack component="ul" className="rows" gap={0}>
        {months.map((month) => {
          const parts = rolledUp.filter((part) => part.month === month);
          const updated = parts
            .map(({ updated_at }) => updated_at)
            .sort()
            .at(-1);
          return (
            <li key={month}>
              <Group justify="space-between">
                <div>
                  <Text fw={600}>{monthName(month)}</Text>
                  <Text size="sm" c="dimmed">
                    {updated ? `${counted(parts.length, 'feature')}, as of ${ago(updated)}` : 'not aggregated yet'}
                  </Text>
                </div>
                <Act
                  size="xs"
                  variant="default"
                  busy={busy === month}
                  onClick={() => void rollUp(month)}
                  aria-label={`Aggregate ${monthName(month)}`}
                >
                  Aggregate
                </Act>
              </Group>
              {parts.length > 0 && (
                <UsageTable name={monthName(month)} rows={parts.map((part) => ({ ...part, key: part.feature }))} />
              )}
            </li>
          );
        })}
      </Stack>
    </Card>
  );
}
