import { Anchor, Box, Container, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColorSchemeSelect } from './ColorSchemeSelect.tsx';
import { Logo } from './Logo.tsx';

/** The layout of pages that need no session: one column. @param size its maximum width */
export function GuestPage({ size = 480, children }: { size?: number; children: ReactNode }) {
  return (
    <Box>
      <Group component="header" justify="space-between" px="md" py="sm">
        <Anchor href="/" c="inherit" underline="hover">
          <Group gap="xs">
            <Logo />
            <Text fw={700}>Premises</Text>
          </Group>
        </Anchor>
        <ColorSchemeSelect />
      </Group>
      <Container component="main" id="main" size={size} py="md">
        {children}
      </Container>
    </Box>
  );
}
