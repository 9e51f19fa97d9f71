import { Anchor, Button, Card, Stack, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import { acceptInvitation, getInvitation, listProviders } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { NewPasswordInput } from '../components/NewPasswordInput.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { UnloadedGuestPage } from '../components/UnloadedGuestPage.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { textOf } from '../form.ts';
import { broadcastSessionChange, leave } from '../session.ts';

/** The token follows the #, a part of the URL that browsers do not send. */
const token = location.hash.slice(1);

// The link of another invitation, opened in the same tab, differs only there.
addEventListener('hashchange', () => location.reload());

const load = async () => {
  const [invitation, providers] = await Promise.all([getInvitation(token), listProviders()]);
  return { invitation, providers };
};

export default function Invitation() {
  usePageTitle('Invitation');
  const { data, error: loadError } = useQuery(load);
  const accept = useCallback(async (password?: string) => {
    await acceptInvitation(token, password);
    broadcastSessionChange();
    return leave(() => location.assign(password === undefined ? '/sign-in' : '/dashboard'));
  }, []);
  const { mutate, isPending, fieldErrors, message } = useMutation(accept);
  if (!data) return <UnloadedGuestPage title="Invitation" error={loadError} />;
  const { invitation, providers } = data;
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
            <SubmitButton type="button" isPending={isPending} onClick={() => mutate()}>
              Accept
            </SubmitButton>
          )}
          {step === 'choose_password' && (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                mutate(textOf(new FormData(event.currentTarget), 'password'));
              }}
            >
              <Stack>
                <NewPasswordInput label="Choose a password" email={email} error={fieldErrors['password']} />
                <SubmitButton isPending={isPending}>Accept and sign in</SubmitButton>
              </Stack>
            </form>
          )}
          {step === 'choose_password' && provider && (
            <Button variant="default" disabled={isPending} onClick={() => mutate()}>
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
