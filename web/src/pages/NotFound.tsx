import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { PageLink } from '../app/Link.tsx';
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
          <Anchor href="/">Go to the start</Anchor>
          <PageLink to="/dashboard">Go to dashboard</PageLink>
          <Anchor href="/packages">Register a delivery</Anchor>
        </Stack>
      </Card>
    </GuestPage>
  );
}
