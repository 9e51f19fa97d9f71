import { Anchor, Button, Card, Divider, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { call, Refusal } from '../api.ts';
import { Act } from '../components/Act.tsx';
import { Failure } from '../components/Failure.tsx';
import { GuestFrame } from '../components/GuestFrame.tsx';
import { useAnswer } from '../components/useAnswer.ts';
import { useTitle } from '../components/useTitle.ts';
import { sentence } from '../components/words.ts';
import { readSession, returnPath } from '../session.ts';
import { tellTabs } from '../tabs.ts';

interface Provider {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** What came back from single sign-on, in words. */
const returned: Record<string, string> = {
  not_a_member:
    'Nobody here has that e-mail address, or no company has them. Ask whoever runs Premises at your company.',
  email_not_verified: 'Your sign-in provider does not vouch for your e-mail address.',
  provider_unavailable: 'Your sign-in provider cannot be reached. Try again in a moment.',
  cancelled: 'You cancelled at your sign-in provider.',
};

const askProviders = () => call<Provider[]>('GET', '/auth/providers').catch(() => []);

/** Whoever is signed in already is sent on. */
async function sendOn(): Promise<void> {
  if (await readSession()) location.replace(returnPath(location.search));
}

export default function SignIn() {
  useTitle('Sign in');
  const error = new URLSearchParams(location.search).get('error');
  const [fault, setFault] = useState<Refusal | undefined>(() =>
    error === null ? undefined : new Refusal(returned[error] ?? 'Signing in did not work. Try again.', error),
  );
  const [busy, setBusy] = useState(false);
  const { answer: providers = [] } = useAnswer(askProviders);
  useAnswer(sendOn);

  async function submit(form: FormData) {
    setBusy(true);
    setFault(undefined);
    try {
      await call('POST', '/auth/sign-in', { email: form.get('email'), password: form.get('password') });
      tellTabs();
      location.assign(returnPath(location.search));
    } catch (caught) {
      setFault(caught as Refusal);
      setBusy(false);
    }
  }

  return (
    <GuestFrame>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Sign in
          </Title>
          {fault && (
            <Failure title="You are not signed in">
              {fault.code === 'INVALID_CREDENTIALS'
                ? 'That e-mail address and password do not go together.'
                : fault.message}
            </Failure>
          )}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void submit(new FormData(event.currentTarget));
            }}
          >
            <Stack>
              <TextInput
                label="E-mail address"
                name="email"
                type="email"
                autoComplete="username"
                required
                withAsterisk={false}
                error={sentence(fault?.details['email'])}
              />
              <PasswordInput
                label="Password"
                name="password"
                autoComplete="current-password"
                required
                withAsterisk={false}
                error={sentence(fault?.details['password'])}
                visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
              />
              <Act type="submit" busy={busy}>
                Sign in
              </Act>
            </Stack>
          </form>
          {providers.length > 0 && <Divider label="or" />}
          {providers.map(({ id, name, url }) => (
            <Button
              key={id}
              component="a"
              variant="default"
              href={`${url}?return_to=${encodeURIComponent(returnPath(location.search))}`}
            >
              Sign in with {name}
            </Button>
          ))}
        </Stack>
      </Card>
      <Text size="sm" mt="md" ta="center">
        Expecting a package as a guest? <Anchor href="/packages">Announce it</Anchor>, without signing in.
      </Text>
    </GuestFrame>
  );
}
