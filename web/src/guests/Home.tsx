import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';

/** What this is, for people who are not signed in; the service leads others to their company. */
export default function Home() {
  usePageTitle('Home');
  return (
    <GuestPage size={720}>
      <Stack gap="lg" py="xl">
        <Title order={1}>Premises</Title>
        <Text size="lg">
          The workplace in one place: requests, desks, moves, assets, leases, stock and mail of your company.
        </Text>
        <Group>
          <Button component="a" href="/sign-in" size="md">
            Sign in
          </Button>
          <Button component="a" href="/packages" size="md" variant="default">
            Register a delivery
          </Button>
        </Group>
        <Text size="sm">
          <Anchor href="/developers">For developers</Anchor>: the API over the same data
        </Text>
      </Stack>
    </GuestPage>
  );
}
