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

export default function Invitation() {
  usePageTitle('Invitation');
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
  if (!invitation || !providers) return <UnloadedGuestPage title="Invitation" error={loadError} />;
  const { email, full_name, company_name, is_emailed, step, ends_access } = invitation;
  const provider = providers[0]?.name;
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Join {company_name}
          </Title>
          <Text>
            You've been invited as {full_name} ({email}).
          </Text>
          {message && <ErrorAlert title="Couldn't accept the invitation">{message}</ErrorAlert>}
          {step === 'sign_in' && (
            <Text>
              You have an account already. <Anchor href="/sign-in">Sign in</Anchor> as {email}, then open this link
              again.
            </Text>
          )}
          {step === 'prove_email' && <ProveEmail email={email} isEmailed={is_emailed} provider={provider} />}
          {ends_access && (
            <Text>
              You have an account already, but nobody has proved that the address is yours. When you accept, its earlier
              password, authenticator app, sessions and API tokens end.
            </Text>
          )}
          {step === 'accept' && (
            <SubmitButton type="button" isPending={isPending} onClick={() => mutate(undefined)}>
              Accept
            </SubmitButton>
          )}
          {step === 'choose_password' && (
            <form onSubmit={form.onSubmit(({ password }) => mutate(password))}>
              <Stack>
                <NewPasswordInput
                  key={form.key('password')}
                  input={form.getInputProps('password')}
                  label="Choose a password"
                  email={email}
                  error={fieldErrorsOf(error)['password']}
                />
                <SubmitButton isPending={isPending}>Accept and sign in</SubmitButton>
              </Stack>
            </form>
          )}
          {step === 'choose_password' && provider && (
            <Button variant="default" disabled={isPending} onClick={() => mutate(undefined)}>
              Accept and sign in with {provider}
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
      <Text>You have an account in another company already, but nobody has proved that the address is yours.</Text>
      {isEmailed && <Text>Open the link that was emailed to {email} instead of this one.</Text>}
      {provider && (
        <Text>
          <Anchor href="/sign-in">Sign in</Anchor> with {provider}, then open this link again.
        </Text>
      )}
      {!isEmailed && !provider && <Text>Ask the operator of the service to add your account.</Text>}
    </>
  );
}
