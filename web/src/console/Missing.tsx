import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/console.ts';

/** Says that there is no such page, or none for this person: which of the two is nobody's business. */
export function Missing() {
  usePageTitle(t('notFound'));
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('notFound')}
      </Title>
      <Text>{t('thisPageDoesNotExistWas')}</Text>
      <Group>
        <Button component="a" href="/">
          {t('goToTheStart')}
        </Button>
      </Group>
    </Stack>
  );
}
