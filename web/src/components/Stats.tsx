import { Anchor, Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A grid of key figures. @param columns number of columns on a wide screen */
export function StatGrid({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: columns }} spacing="sm" m={0}>
      {children}
    </SimpleGrid>
  );
}

interface Props {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  /** Whether the figure needs attention. */
  readonly isWarning?: boolean;
  /** The GraphQL query of what the figure counts, which opens in GraphiQL. */
  readonly query?: string;
}

/** A key figure. */
export function Stat({ label, value, note, isWarning = false, query }: Props) {
  return (
    <Card withBorder padding="sm" className={isWarning ? 'warning' : undefined}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz={{ base: 22, sm: 26 }} fw={700} lh={1.2}>
        {query ? (
          <Anchor
            href={`/graphql?query=${encodeURIComponent(query)}`}
            aria-label={`${label}: ${value}. Open in GraphiQL`}
            inherit
            c="inherit"
            underline="hover"
          >
            {value}
          </Anchor>
        ) : (
          value
        )}
      </Text>
      {note && (
        <Text component="dd" m={0} size="sm">
          {note}
        </Text>
      )}
    </Card>
  );
}
