import { Table, Text } from '@mantine/core';
import { addDays } from '../../company-time.ts';
import { formatDate } from '../../format.ts';
import { t } from '../../texts/places-assets.ts';
import { locale } from '../../texts/texts.ts';

/** What happens on a day. */
export interface Event {
  readonly id: string;
  readonly date: string;
  readonly label: string;
}

/** The Mondays of the weeks of a month. @param first its first day */
function weeksOf(first: string): string[] {
  const monday = addDays(first, -((new Date(first).getUTCDay() + 6) % 7));
  const weeks = Array.from({ length: 6 }, (_, n) => addDays(monday, n * 7));
  return weeks.filter((week, n) => n === 0 || week.slice(0, 7) === first.slice(0, 7));
}

const weekday = (day: string, style: 'short' | 'long') =>
  new Date(day).toLocaleDateString(locale(), { weekday: style, timeZone: 'UTC' });

/** A month as a table of weeks. */
export function Month({ first, today, events }: { first: string; today: string; events: readonly Event[] }) {
  const weeks = weeksOf(first);
  const days = (week: string) => Array.from({ length: 7 }, (_, n) => addDays(week, n));
  return (
    <Table.ScrollContainer
      minWidth={700}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('month') } }}
    >
      <Table withTableBorder withColumnBorders layout="fixed" aria-label={t('month')}>
        <Table.Thead>
          <Table.Tr>
            {days(weeks[0] ?? first).map((day) => (
              <Table.Th key={day} scope="col" aria-label={weekday(day, 'long')}>
                {weekday(day, 'short')}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {weeks.map((week) => (
            <Table.Tr key={week}>
              {days(week).map((day) => (
                <Table.Td
                  key={day}
                  h={76}
                  style={{ verticalAlign: 'top' }}
                  aria-current={day === today ? 'date' : undefined}
                  aria-label={formatDate(day)}
                >
                  <Text
                    size="sm"
                    fw={day === today ? 700 : 400}
                    c={day.startsWith(first.slice(0, 7)) ? undefined : 'dimmed'}
                  >
                    {Number(day.slice(8))}
                    {day === today && t('today')}
                  </Text>
                  {events
                    .filter(({ date }) => date === day)
                    .map(({ id, label }) => (
                      <Text key={id} size="xs" truncate title={label}>
                        {label}
                      </Text>
                    ))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
