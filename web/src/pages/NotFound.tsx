import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { PageLink } from '../app/Link.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/app.ts';

export default function NotFound() {
  usePageTitle(t('pageNotFound'));
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            {t('pageNotFound')}
          </Title>
          <Text>{t('theAddressMayBeMistypedOr')}</Text>
          <Anchor href="/">{t('goToTheStart')}</Anchor>
          <PageLink to="/dashboard">{t('goToDashboard')}</PageLink>
          <Anchor href="/packages">{t('registerADelivery')}</Anchor>
        </Stack>
      </Card>
    </GuestPage>
  );
}
