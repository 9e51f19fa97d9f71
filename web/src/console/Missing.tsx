import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { usePageTitle } from '../components/usePageTitle.ts';

/** Says that there is no such page, or none for this person: which of the two is nobody's business. */
export function Missing() {
  usePageTitle('Not found');
  return (
    <Stack>
      <Title order={1} size="h2">
        Not found
      </Title>
      <Text>This page does not exist, was deleted, or is not for you. Whoever sent you the link may know more.</Text>
      <Group>
        <Button component="a" href="/">
          Go to the start
        </Button>
      </Group>
    </Stack>
  );
}
