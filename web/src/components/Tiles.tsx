import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * Numbers that are read at a glance.
 * @param abreast how many stand in a row where there is room
 */
export function Tiles({ abreast, children }: { abreast: number; children: ReactNode }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: abreast }} spacing="sm" m={0}>
      {children}
    </SimpleGrid>
  );
}

/** One number, and what there is to say of it. */
export function Tile({
  label,
  value,
  note,
  alarm = false,
}: {
  label: string;
  value: string;
  note?: string;
  alarm?: boolean;
}) {
  return (
    <Card withBorder padding="sm" className={alarm ? 'alarm' : undefined}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz={{ base: 22, sm: 26 }} fw={700} lh={1.2}>
        {value}
      </Text>
      {note && (
        <Text component="dd" m={0} size="sm">
          {note}
        </Text>
      )}
    </Card>
  );
}
