import { Button, Container, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { shell } from '../../../src/pages/addresses.ts';
import { Logo } from '../components/Logo.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatCount } from '../format.ts';
import { countTaps } from '../taps/forget.ts';

/** What a browser shows where it cannot load a page. It knows nobody, so it shows nothing of anybody. */
export default function Offline() {
  usePageTitle('No connection');
  const [count, setCount] = useState(0);
  useEffect(() => void countTaps().then(setCount, () => undefined), []);
  // The address is that of the page that could not be loaded.
  const again = () => (location.pathname === shell.page.address ? location.assign('/') : location.reload());
  useEffect(() => {
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  });
  return (
    <Container component="main" size="xs" py="xl">
      <Stack>
        <Logo />
        <Title order={1} size="h2">
          No connection
        </Title>
        <Text>This page is shown as soon as the service can be reached again.</Text>
        {count > 0 && (
          <Text>
            {formatCount(count, 'tap')} of this browser {count === 1 ? 'waits' : 'wait'} here, and will be sent from the
            page “My day” of whoever has tapped.
          </Text>
        )}
        <Group>
          <Button onClick={again}>Try again</Button>
        </Group>
      </Stack>
    </Container>
  );
}
