import '@mantine/charts/styles.css';
import { Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../api.ts';
import { Chart } from '../components/Chart.tsx';
import { Failure } from '../components/Failure.tsx';
import { Shares } from '../components/Shares.tsx';
import { SignedIn, Waiting } from '../components/SignedIn.tsx';
import { Tile, Tiles } from '../components/Tiles.tsx';
import { useAnswer } from '../components/useAnswer.ts';
import { useTitle } from '../components/useTitle.ts';
import { about, amount, calendarDay, counted, number, shortDay } from '../components/words.ts';

interface Requests {
  readonly total: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly by_priority: Readonly<Record<string, number>>;
  readonly created_per_day: readonly { readonly date: string; readonly count: number }[];
  readonly average_hours_to_complete: number | null;
}

/** GET /dashboard/analytics. */
interface Analytics {
  readonly range: { readonly start_date: string; readonly end_date: string };
  readonly service_requests: Requests;
  readonly move_requests: Requests;
  readonly inventory: { readonly items: number; readonly low_stock: number; readonly stock_value: number };
  readonly leases: { readonly active: number; readonly expiring_in_90_days: number; readonly due_this_month: number };
  readonly assets: { readonly by_status: Readonly<Record<string, number>>; readonly overdue_maintenance: number };
  readonly procurement: { readonly open_requisitions: number; readonly open_amount: number };
  readonly packages: { readonly expected: number; readonly received: number };
  readonly reminders: { readonly due: number };
}

/** The days that are looked at; empty for the service's own choice, which is the last 30. */
interface Range {
  readonly startDate: string;
  readonly endDate: string;
}

const given = new URLSearchParams(location.search);
const inAddress: Range = { startDate: given.get('startDate') ?? '', endDate: given.get('endDate') ?? '' };

/** The parameters of a range, both for the API and for our own address. */
const queryOf = (range: Range) =>
  new URLSearchParams(Object.entries(range).filter(([, value]) => value !== '')).toString();

/** The last so many days, today being one; days are UTC's, as the service's are. */
function lastDays(days: number): Range {
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { startDate: dayOf(Date.now() - (days - 1) * 86_400_000), endDate: dayOf(Date.now()) };
}

export default function Dashboard() {
  useTitle('Dashboard');
  return <SignedIn>{() => <Numbers />}</SignedIn>;
}

function Numbers() {
  const [range, setRange] = useState(inAddress);
  const ask = useCallback(() => call<Analytics>('GET', `/api/v1/dashboard/analytics?${queryOf(range)}`), [range]);
  const { answer, error, waiting } = useAnswer(ask);

  function look(next: Range) {
    setRange(next);
    history.replaceState(null, '', `?${queryOf(next)}`);
  }

  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          Dashboard
        </Title>
        <ChooseRange range={answer?.range} onChoose={look} />
      </Group>
      <Text role="status" size="sm">
        {waiting
          ? 'Loading…'
          : answer &&
            `Requests made from ${calendarDay(answer.range.start_date)} to ${calendarDay(answer.range.end_date)}; everything else as it is now.`}
      </Text>
      {error && <Failure takeFocus={false}>{asLabelled(error.message)}</Failure>}
      {!answer && !error && <Waiting />}
      {answer && <Answer {...answer} />}
    </Stack>
  );
}

/** What the API says of its parameters, by what they are called here. */
const asLabelled = (message: string) => message.replace(/startDate:?/g, 'From').replace(/endDate:?/g, 'To');

function ChooseRange({ range, onChoose }: { range?: Analytics['range']; onChoose: (range: Range) => void }) {
  const form = useRef<HTMLFormElement>(null);
  // The days that an answer is about, in place of what was typed.
  useEffect(() => form.current?.reset(), [range]);
  return (
    <form
      ref={form}
      aria-label="Days to look at"
      onSubmit={(event) => {
        event.preventDefault();
        const { startDate, endDate } = Object.fromEntries(new FormData(event.currentTarget)) as Record<
          keyof Range,
          string
        >;
        onChoose({ startDate, endDate });
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput type="date" size="xs" label="From" name="startDate" defaultValue={range?.start_date} />
        <TextInput type="date" size="xs" label="To" name="endDate" defaultValue={range?.end_date} />
        <Button type="submit" size="xs">
          Show
        </Button>
        {[7, 30, 90, 365].map((days) => (
          <Button
            key={days}
            size="xs"
            variant="default"
            onClick={() => onChoose(lastDays(days))}
            aria-label={`The last ${days} days`}
          >
            {days} days
          </Button>
        ))}
      </Group>
    </form>
  );
}

const hours = (value: number | null) => (value === null ? 'none completed' : `done in ${about(value)} h on average`);

function Answer({
  service_requests,
  move_requests,
  inventory,
  leases,
  assets,
  procurement,
  packages,
  reminders,
}: Analytics) {
  // In more than a year a day needs its year, to be told from another.
  const dayName = service_requests.created_per_day.length > 365 ? calendarDay : shortDay;
  const moves = new Map(move_requests.created_per_day.map(({ date, count }) => [date, count]));
  return (
    <>
      <Tiles abreast={5}>
        <Tile
          label="Service requests"
          value={number(service_requests.total)}
          note={hours(service_requests.average_hours_to_complete)}
        />
        <Tile
          label="Move requests"
          value={number(move_requests.total)}
          note={hours(move_requests.average_hours_to_complete)}
        />
        <Tile
          label="Low stock"
          value={number(inventory.low_stock)}
          note={`of ${counted(inventory.items, 'item')}`}
          alarm={inventory.low_stock > 0}
        />
        <Tile label="Stock value" value={amount(inventory.stock_value)} />
        <Tile
          label="Leases ending"
          value={number(leases.expiring_in_90_days)}
          note={`in 90 days; ${number(leases.active)} active`}
        />
        <Tile label="Lease payments" value={amount(leases.due_this_month)} note="due this month" />
        <Tile
          label="Overdue maintenance"
          value={number(assets.overdue_maintenance)}
          alarm={assets.overdue_maintenance > 0}
        />
        <Tile
          label="Open procurement"
          value={amount(procurement.open_amount)}
          note={counted(procurement.open_requisitions, 'requisition')}
        />
        <Tile
          label="Packages expected"
          value={number(packages.expected)}
          note={`${number(packages.received)} received`}
        />
        <Tile label="Reminders due" value={number(reminders.due)} alarm={reminders.due > 0} />
      </Tiles>
      <Chart
        title="Requests made per day"
        of="Day"
        rows={service_requests.created_per_day.map(({ date, count }) => ({
          label: dayName(date),
          service: count,
          move: moves.get(date) ?? 0,
        }))}
        series={[
          { name: 'service', label: 'Service requests', color: 'cyan.6' },
          { name: 'move', label: 'Move requests', color: 'orange.5' },
        ]}
        format={number}
        whole
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Shares title="Service requests by status" parts={service_requests.by_status} />
        <Shares title="Service requests by priority" parts={service_requests.by_priority} />
        <Shares title="Move requests by status" parts={move_requests.by_status} />
        <Shares title="Move requests by priority" parts={move_requests.by_priority} />
        <Shares title="Assets by status" parts={assets.by_status} />
      </SimpleGrid>
    </>
  );
}
