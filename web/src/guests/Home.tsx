import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/guests.ts';
import { Trans } from '../texts/Trans.tsx';

/** What this is, for people who are not signed in; the service leads others to their company. */
export default function Home() {
  usePageTitle(t('home'));
  return (
    <GuestPage size={720}>
      <Stack gap="lg" py="xl">
        <Title order={1}>Premises</Title>
        <Text size="lg">{t('theWorkplaceInOnePlaceRequests')}</Text>
        <Group>
          <Button component="a" href="/sign-in" size="md">
            {t('signIn')}
          </Button>
          <Button component="a" href="/packages" size="md" variant="default">
            {t('registerADelivery')}
          </Button>
        </Group>
        <Text size="sm">
          <Trans t={t} name="forDevelopersTheAPIOverThe" components={{ a: <Anchor href="/developers" /> }} />
        </Text>
      </Stack>
    </GuestPage>
  );
}
