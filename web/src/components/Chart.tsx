import { BarChart } from '@mantine/charts';
import { Box, Card, Table, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { t } from '../texts/components.ts';

interface Series {
  /** The key of its values in the rows. */
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

interface Props {
  readonly title: string;
  /** The heading of the table's first column, such as "Day". */
  readonly rowHeading: string;
  readonly rows: readonly ({ readonly label: string } & Readonly<Record<string, string | number>>)[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Formats the ticks of the axis; `format` by default. */
  readonly formatTick?: (value: number) => string;
  /** The text in place of a chart without series. */
  readonly emptyText?: string;
  /** Whether the axis has whole numbers only. */
  readonly isInteger?: boolean;
}

/** A chart of stacked bars, with the same numbers in a table. */
export function Chart({
  title,
  rowHeading,
  rows,
  series,
  format,
  formatTick = format,
  emptyText,
  isInteger = false,
}: Props) {
  const id = useId();
  return (
    <Card component="section" withBorder padding="md" aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb="sm">
        {title}
      </Title>
      {series.length === 0 ? (
        <Text c="dimmed">{emptyText}</Text>
      ) : (
        <>
          <Box aria-hidden>
            <BarChart
              h={series.length > 2 ? 300 : 220}
              data={rows.map((row) => ({ ...row }))}
              dataKey="label"
              type="stacked"
              series={series.map((entry) => ({ ...entry }))}
              valueFormatter={format}
              withLegend
              legendProps={{ verticalAlign: 'bottom' }}
              yAxisProps={{ width: 64, interval: 0, allowDecimals: !isInteger, tickFormatter: formatTick }}
              barChartProps={{ accessibilityLayer: false }}
              barProps={{ isAnimationActive: false }}
              maxBarWidth={48}
            />
          </Box>
          <details>
            <summary>{t('viewAsTable')}</summary>
            <Table.ScrollContainer
              minWidth={200}
              maxHeight={320}
              scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': title } }}
            >
              <Table aria-labelledby={id} verticalSpacing={4}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">{rowHeading}</Table.Th>
                    {series.map(({ name, label }) => (
                      <Table.Th key={name} scope="col" ta="end">
                        {label}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {rows.map((row) => (
                    <Table.Tr key={row.label}>
                      <Table.Th scope="row" fw={400}>
                        {row.label}
                      </Table.Th>
                      {series.map(({ name }) => (
                        <Table.Td key={name} ta="end">
                          {format(Number(row[name] ?? 0))}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          </details>
        </>
      )}
    </Card>
  );
}
