import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { GuestFrame } from '../components/GuestFrame.tsx';
import { useTitle } from '../components/useTitle.ts';

/** What stands at an address that is no page's. */
export default function Nowhere() {
  useTitle('Nothing here');
  return (
    <GuestFrame>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            There is nothing here
          </Title>
          <Text>The address may be mistyped, or the link to it old.</Text>
          <Anchor href="/dashboard">To the dashboard</Anchor>
          <Anchor href="/packages">To guests' packages</Anchor>
        </Stack>
      </Card>
    </GuestFrame>
  );
}
