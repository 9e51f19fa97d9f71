import { Anchor, Button, Card, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { acceptInvitation, getInvitation } from '../api/auth.ts';
import { providersQuery } from '../app/session.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { NewPasswordInput } from '../components/NewPasswordInput.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { UnloadedGuestPage } from '../components/UnloadedGuestPage.tsx';
import { useLinkToken } from '../components/useLinkToken.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { broadcastSessionChange, leave } from '../session.ts';
import { t } from '../texts/guests.ts';
import { Trans } from '../texts/Trans.tsx';

export default function Invitation() {
  usePageTitle(t('invitation'));
  const token = useLinkToken();
  const { data: invitation, error: loadError } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => getInvitation(token),
  });
  const { data: providers } = useQuery(providersQuery);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (password: string | undefined) => acceptInvitation(token, password),
    onSuccess: (_accepted, password) => {
      broadcastSessionChange();
      return leave(() => location.assign(password === undefined ? '/sign-in' : '/'));
    },
  });
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } });
  const message = messageOf(error);
  if (!invitation || !providers) return <UnloadedGuestPage title={t('invitation')} error={loadError} />;
  const { email, full_name, company_name, is_emailed, step, ends_access } = invitation;
  const provider = providers[0]?.name;
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            {t('joinCompanyName', { company_name })}
          </Title>
          <Text>{t('youveBeenInvitedAsFullName', { full_name, email })}</Text>
          {message && <ErrorAlert title={t('couldntAcceptTheInvitation')}>{message}</ErrorAlert>}
          {step === 'sign_in' && (
            <Text>
              <Trans
                t={t}
                name="youHaveAnAccountAlreadySign"
                values={{ email }}
                components={{ a: <Anchor href="/sign-in" /> }}
              />
            </Text>
          )}
          {step === 'prove_email' && <ProveEmail email={email} isEmailed={is_emailed} provider={provider} />}
          {ends_access && <Text>{t('youHaveAnAccountAlreadyBut')}</Text>}
          {step === 'accept' && (
            <SubmitButton type="button" isPending={isPending} onClick={() => mutate(undefined)}>
              {t('accept')}
            </SubmitButton>
          )}
          {step === 'choose_password' && (
            <form onSubmit={form.onSubmit(({ password }) => mutate(password))}>
              <Stack>
                <NewPasswordInput
                  key={form.key('password')}
                  input={form.getInputProps('password')}
                  label={t('chooseAPassword')}
                  email={email}
                  error={fieldErrorsOf(error)['password']}
                />
                <SubmitButton isPending={isPending}>{t('acceptAndSignIn')}</SubmitButton>
              </Stack>
            </form>
          )}
          {step === 'choose_password' && provider && (
            <Button variant="default" disabled={isPending} onClick={() => mutate(undefined)}>
              {t('acceptAndSignInWithProvider', { provider })}
            </Button>
          )}
        </Stack>
      </Card>
    </GuestPage>
  );
}

/** How somebody proves an address that the link does not prove. */
function ProveEmail({ email, isEmailed, provider }: { email: string; isEmailed: boolean; provider?: string }) {
  return (
    <>
      <Text>{t('youHaveAnAccountInAnother')}</Text>
      {isEmailed && <Text>{t('openTheLinkThatWasEmailed', { email })}</Text>}
      {provider && (
        <Text>
          <Trans
            t={t}
            name="signInWithProviderThenOpen"
            values={{ provider }}
            components={{ a: <Anchor href="/sign-in" /> }}
          />
        </Text>
      )}
      {!isEmailed && !provider && <Text>{t('askTheOperatorOfTheService')}</Text>}
    </>
  );
}
