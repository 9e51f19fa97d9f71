import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';

export default function NotFound() {
  usePageTitle('Page not found');
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Page not found
          </Title>
          <Text>The address may be mistyped, or the link may be outdated.</Text>
          <Anchor href="/">All pages</Anchor>
          <Anchor href="/dashboard">Go to dashboard</Anchor>
          <Anchor href="/packages">Register a delivery</Anchor>
        </Stack>
      </Card>
    </GuestPage>
  );
}
