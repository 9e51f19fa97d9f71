import { Card, Stack, Text, Title } from '@mantine/core';
import { Avatar } from '../account/Avatar.tsx';
import { ChangePassword } from '../account/ChangePassword.tsx';
import { Preferences } from '../account/Preferences.tsx';
import { Sessions } from '../account/Sessions.tsx';
import { Tokens } from '../account/Tokens.tsx';
import { TwoFactor } from '../account/TwoFactor.tsx';
import type { Session } from '../api/auth.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { CompanySelect } from '../components/CompanySelect.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/account.ts';

export default function Account() {
  usePageTitle(t('account'));
  return (
    <AuthenticatedPage>
      {(session) => (
        <Stack gap="lg">
          <Profile session={session} />
          <Tokens company={session.company} isAdmin={session.role === 'admin'} />
          <Sessions />
          {session.person.has_password && (
            <>
              <TwoFactor email={session.person.email} wasEnabled={session.person.two_factor_enabled} />
              <ChangePassword email={session.person.email} />
            </>
          )}
        </Stack>
      )}
    </AuthenticatedPage>
  );
}

function Profile({ session }: { session: Session }) {
  const { full_name, email } = session.person;
  return (
    <Card withBorder padding="lg">
      <Stack>
        <div>
          <Title order={1} size="h2">
            {t('account')}
          </Title>
          <Text>
            {full_name} ({email})
          </Text>
        </div>
        {session.company && <Avatar key={session.company.id} id={session.person.id} name={full_name} />}
        <CompanySelect session={session} />
        <Preferences person={session.person} />
      </Stack>
    </Card>
  );
}
