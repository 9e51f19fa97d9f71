import { Box, Container, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColorSchemeSelect } from './ColorSchemeSelect.tsx';
import { Logo } from './Logo.tsx';

/** The layout of pages that need no session: one narrow column. */
export function GuestPage({ children }: { children: ReactNode }) {
  return (
    <Box>
      <Group component="header" justify="space-between" px="md" py="sm">
        <Group gap="xs">
          <Logo />
          <Text fw={700}>Premises</Text>
        </Group>
        <ColorSchemeSelect />
      </Group>
      <Container component="main" id="main" size={480} py="md">
        {children}
      </Container>
    </Box>
  );
}
