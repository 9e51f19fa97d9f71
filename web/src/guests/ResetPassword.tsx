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
import { t } from '../texts/guests.ts';
import { Trans } from '../texts/Trans.tsx';

export default function ResetPassword() {
  usePageTitle(t('setANewPassword'));
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
  if (!data) return <UnloadedGuestPage title={t('setANewPassword')} error={loadError} />;
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            {t('setANewPassword')}
          </Title>
          <div role="status">
            {isSet && (
              <Text>
                <Trans t={t} name="yourPasswordIsSetAndYou" components={{ a: <Anchor href="/sign-in" /> }} />
              </Text>
            )}
          </div>
          {message && <ErrorAlert title={t('couldntSetThePassword')}>{message}</ErrorAlert>}
          {!isSet && (
            <form onSubmit={form.onSubmit(({ password }) => mutate(password))}>
              <Stack>
                <Text>{t('forFullNameEmailYoullBe', { full_name: data.full_name, email: data.email })}</Text>
                <NewPasswordInput
                  key={form.key('password')}
                  input={form.getInputProps('password')}
                  label={t('newPassword')}
                  email={data.email}
                  error={fieldErrorsOf(error)['password']}
                />
                <SubmitButton isPending={isPending}>{t('setPassword')}</SubmitButton>
              </Stack>
            </form>
          )}
        </Stack>
      </Card>
    </GuestPage>
  );
}
