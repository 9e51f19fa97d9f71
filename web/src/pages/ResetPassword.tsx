import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { getPasswordLink, resetPassword } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { NewPasswordInput } from '../components/NewPasswordInput.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { UnloadedGuestPage } from '../components/UnloadedGuestPage.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { textOf } from '../form.ts';
import { broadcastSessionChange } from '../session.ts';

/** The token follows the #, a part of the URL that browsers do not send. */
const token = location.hash.slice(1);

// Another link, opened in the same tab, differs only there.
addEventListener('hashchange', () => location.reload());

const load = () => getPasswordLink(token);

export default function ResetPassword() {
  usePageTitle('Set a new password');
  const { data, error: loadError } = useQuery(load);
  const [isSet, setIsSet] = useState(false);
  const { mutate, isPending, fieldErrors, message } = useMutation(async (password: string) => {
    await resetPassword(token, password);
    broadcastSessionChange();
    setIsSet(true);
  });
  if (!data) return <UnloadedGuestPage title="Set a new password" error={loadError} />;
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Set a new password
          </Title>
          <div role="status">
            {isSet && (
              <Text>
                Your password is set, and you are signed out everywhere. <Anchor href="/sign-in">Sign in</Anchor> with
                it.
              </Text>
            )}
          </div>
          {message && <ErrorAlert title="Couldn't set the password">{message}</ErrorAlert>}
          {!isSet && (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                mutate(textOf(new FormData(event.currentTarget), 'password'));
              }}
            >
              <Stack>
                <Text>
                  For {data.full_name} ({data.email}). You'll be signed out everywhere.
                </Text>
                <NewPasswordInput label="New password" email={data.email} error={fieldErrors['password']} />
                <SubmitButton isPending={isPending}>Set password</SubmitButton>
              </Stack>
            </form>
          )}
        </Stack>
      </Card>
    </GuestPage>
  );
}
