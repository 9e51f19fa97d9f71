import { Box, Container, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColourSwitch } from './ColourSwitch.tsx';
import { Mark } from './Mark.tsx';

/** A page for whoever is not signed in: one narrow column. */
export function GuestFrame({ children }: { children: ReactNode }) {
  return (
    <Box>
      <Group component="header" justify="space-between" px="md" py="sm">
        <Group gap="xs">
          <Mark />
          <Text fw={700}>Premises</Text>
        </Group>
        <ColourSwitch />
      </Group>
      <Container component="main" id="main" size={480} py="md">
        {children}
      </Container>
    </Box>
  );
}
