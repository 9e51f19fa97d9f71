import { Stack, Title } from '@mantine/core';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/webhooks.ts';
import { WebhookList } from '../webhooks/WebhookList.tsx';

export default function Webhooks() {
  usePageTitle(t('webhooks'));
  return (
    <AuthenticatedPage>
      {({ person, role }) => (
        <Stack gap="lg">
          <Title order={1} size="h2">
            {t('webhooks')}
          </Title>
          <WebhookList personId={person.id} isAdmin={role === 'admin'} />
        </Stack>
      )}
    </AuthenticatedPage>
  );
}
