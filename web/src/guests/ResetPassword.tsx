import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getPasswordLink, resetPassword } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { NewPasswordInput } from '../components/NewPasswordInput.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { UnloadedGuestPage } from '../components/UnloadedGuestPage.tsx';
import { useLinkToken } from '../components/useLinkToken.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { broadcastSessionChange } from '../session.ts';

export default function ResetPassword() {
  usePageTitle('Set a new password');
  const token = useLinkToken();
  const { data, error: loadError } = useQuery({
    queryKey: ['password-link', token],
    queryFn: () => getPasswordLink(token),
    // Once it was used there is none.
    staleTime: Infinity,
    gcTime: 0,
  });
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } });
  const {
    mutate,
    isPending,
    error,
    isSuccess: isSet,
  } = useMutation({
    mutationFn: (password: string) => resetPassword(token, password),
    onSuccess: broadcastSessionChange,
  });
  const message = messageOf(error);
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
            <form onSubmit={form.onSubmit(({ password }) => mutate(password))}>
              <Stack>
                <Text>
                  For {data.full_name} ({data.email}). You'll be signed out everywhere.
                </Text>
                <NewPasswordInput
                  key={form.key('password')}
                  input={form.getInputProps('password')}
                  label="New password"
                  email={data.email}
                  error={fieldErrorsOf(error)['password']}
                />
                <SubmitButton isPending={isPending}>Set password</SubmitButton>
              </Stack>
            </form>
          )}
        </Stack>
      </Card>
    </GuestPage>
  );
}
