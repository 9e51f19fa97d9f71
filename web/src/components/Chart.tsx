import { BarChart } from '@mantine/charts';
import { Box, Card, Table, Text, Title } from '@mantine/core';
import { useId } from 'react';

export interface Series {
  /** Its key in the rows. */
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

interface Props {
  readonly title: string;
  /** What a row stands for, such as a day. */
  readonly of: string;
  readonly rows: readonly ({ readonly label: string } & Readonly<Record<string, string | number>>)[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The same for the axis, where numbers are round. */
  readonly axis?: (value: number) => string;
  /** What is said in place of a chart that has no series. */
  readonly empty?: string;
  /** Whether there are no fractions, so that the axis shows none either. */
  readonly whole?: boolean;
}

/** Stacked bars, and the same as a table for whoever wants the numbers or cannot see the bars. */
export function Chart({ title, of, rows, series, format, axis = format, empty, whole = false }: Props) {
  const id = useId();
  return (
    <Card component="section" withBorder padding="md" aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb="sm">
        {title}
      </Title>
      {series.length === 0 ? (
        <Text c="dimmed">{empty}</Text>
      ) : (
        <>
          <Box aria-hidden>
            <BarChart
              h={series.length > 2 ? 300 : 220}
              data={rows.map((row) => ({ ...row }))}
              dataKey="label"
              type="stacked"
              series={series.map((one) => ({ ...one }))}
              valueFormatter={format}
              withLegend
              legendProps={{ verticalAlign: 'bottom' }}
              yAxisProps={{ width: 64, interval: 0, allowDecimals: !whole, tickFormatter: axis }}
              barChartProps={{ accessibilityLayer: false }}
              barProps={{ isAnimationActive: false }}
              maxBarWidth={48}
            />
          </Box>
          <details>
            <summary>As a table</summary>
            <Table.ScrollContainer
              minWidth={200}
              maxHeight={320}
              scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': title } }}
            >
              <Table aria-labelledby={id} verticalSpacing={4}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">{of}</Table.Th>
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
