import { Card, Progress, Table, Title } from '@mantine/core';
import { useId } from 'react';
import { number, words } from './words.ts';

/** How a whole is made up: each part with its number and, for the eye, its share. */
export function Shares({ title, parts }: { title: string; parts: Readonly<Record<string, number>> }) {
  const id = useId();
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return (
    <Card component="section" withBorder padding="md" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      <Table aria-labelledby={id} verticalSpacing={6} horizontalSpacing={0} withRowBorders={false} mt="xs">
        <Table.Tbody>
          {Object.entries(parts).map(([name, part]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} w="40%">
                {words(name)}
              </Table.Th>
              <Table.Td aria-hidden>
                <Progress value={total === 0 ? 0 : (100 * part) / total} size="lg" color="cyan.6" />
              </Table.Td>
              <Table.Td ta="end" w="5rem" fw={600}>
                {number(part)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
