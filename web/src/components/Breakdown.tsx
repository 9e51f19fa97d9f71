import { Card, Progress, Table, Title } from '@mantine/core';
import { useId } from 'react';
import { formatNumber } from '../format.ts';
import { useMeta } from './useMeta.ts';

interface Props {
  readonly title: string;
  /** The enum whose values are counted. */
  readonly of: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Counts by value of an enum, each with a bar for its share of the total. */
export function Breakdown({ title, of, counts }: Props) {
  const { label } = useMeta();
  const id = useId();
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <Card component="section" withBorder padding="md" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      <Table aria-labelledby={id} verticalSpacing={6} horizontalSpacing={0} withRowBorders={false} mt="xs">
        <Table.Tbody>
          {Object.entries(counts).map(([name, count]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} w="40%">
                {label(of, name)}
              </Table.Th>
              <Table.Td aria-hidden>
                <Progress value={total === 0 ? 0 : (100 * count) / total} size="lg" color="cyan.6" />
              </Table.Td>
              <Table.Td ta="end" w="5rem" fw={600}>
                {formatNumber(count)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
