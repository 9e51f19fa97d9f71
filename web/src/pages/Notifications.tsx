import { Stack, Title } from '@mantine/core';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { NotificationList } from '../notifications/NotificationList.tsx';
import { OtherCompany } from '../notifications/OtherCompany.tsx';
import { Preferences } from '../notifications/Preferences.tsx';
import { t } from '../texts/notifications.ts';

export default function Notifications() {
  usePageTitle(t('notifications'));
  return (
    <AuthenticatedPage>
      {(session) => (
        <Stack gap="lg">
          <Title order={1} size="h2">
            {t('notifications')}
          </Title>
          <OtherCompany session={session} />
          <NotificationList />
          <Preferences />
        </Stack>
      )}
    </AuthenticatedPage>
  );
}
