import { Anchor, Button, Card, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import { acceptInvitation, getInvitation, getSession, listProviders } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { textOf } from '../form.ts';
import { formatFieldError } from '../format.ts';
import { broadcastSessionChange, leave } from '../session.ts';

/** The token follows the #, a part of the URL that browsers do not send. */
const token = location.hash.slice(1);

// The link of another invitation, opened in the same tab, differs only there.
addEventListener('hashchange', () => location.reload());

const load = async () => {
  const [invitation, session, providers] = await Promise.all([getInvitation(token), getSession(), listProviders()]);
  return { invitation, session, providers };
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
  if (!data)
    return (
      <GuestPage>
        {loadError ? (
          <Stack>
            <Title order={1} size="h2">
              Invitation
            </Title>
            <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>
          </Stack>
        ) : (
          <LoadingSkeleton />
        )}
      </GuestPage>
    );
  const { invitation, session, providers } = data;
  const { email, full_name, company_name, has_account } = invitation;
  const isSignedIn = session?.person.email === email;
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
          {has_account && !isSignedIn && (
            <Text>
              You have an account already. <Anchor href="/sign-in">Sign in</Anchor> as {email}, then open this link
              again.
            </Text>
          )}
          {has_account && isSignedIn && (
            <SubmitButton type="button" isPending={isPending} onClick={() => mutate()}>
              Accept
            </SubmitButton>
          )}
          {!has_account && (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                mutate(textOf(new FormData(event.currentTarget), 'password'));
              }}
            >
              <Stack>
                {/* Tells password managers which account the password belongs to. */}
                <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
                <PasswordInput
                  label="Choose a password"
                  description="At least 10 characters, without your name."
                  name="password"
                  autoComplete="new-password"
                  minLength={10}
                  required
                  withAsterisk={false}
                  error={formatFieldError('Password', fieldErrors['password'])}
                  visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
                />
                <SubmitButton isPending={isPending}>Accept and sign in</SubmitButton>
              </Stack>
            </form>
          )}
          {!has_account && providers.length > 0 && (
            <Button variant="default" disabled={isPending} onClick={() => mutate()}>
              Accept and sign in with {providers[0]?.name}
            </Button>
          )}
        </Stack>
      </Card>
    </GuestPage>
  );
}
