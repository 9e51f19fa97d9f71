import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { ChangePassword } from '../account/ChangePassword.tsx';
import { Sessions } from '../account/Sessions.tsx';
import { Tokens } from '../account/Tokens.tsx';
import { TwoFactor } from '../account/TwoFactor.tsx';
import { type Session, signOut } from '../api/auth.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { CompanySelect } from '../components/CompanySelect.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { broadcastSessionChange, leave } from '../session.ts';

export default function Account() {
  usePageTitle('Account');
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
  const { mutate, isPending, error } = useMutation(async () => {
    await signOut();
    broadcastSessionChange();
    return leave(() => location.assign('/sign-in'));
  });
  const { full_name, email } = session.person;
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Group justify="space-between">
          <div>
            <Title order={1} size="h2">
              Account
            </Title>
            <Text>
              {full_name} ({email})
            </Text>
          </div>
          <Button variant="default" disabled={isPending} onClick={() => mutate()}>
            Sign out
          </Button>
        </Group>
        {error && <ErrorAlert title="Couldn't sign you out">{error.message}</ErrorAlert>}
        <CompanySelect session={session} />
      </Stack>
    </Card>
  );
}
