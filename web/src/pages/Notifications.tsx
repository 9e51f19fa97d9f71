import { Stack, Title } from '@mantine/core';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { NotificationList } from '../notifications/NotificationList.tsx';
import { OtherCompany } from '../notifications/OtherCompany.tsx';
import { Preferences } from '../notifications/Preferences.tsx';

export default function Notifications() {
  usePageTitle('Notifications');
  return (
    <AuthenticatedPage>
      {(session) => (
        <Stack gap="lg">
          <Title order={1} size="h2">
            Notifications
          </Title>
          <OtherCompany session={session} />
          <NotificationList />
          <Preferences />
        </Stack>
      )}
    </AuthenticatedPage>
  );
}
