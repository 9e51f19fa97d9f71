import { Anchor, Button, Card, Divider, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { enterCode, getSession, listProviders, signIn } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { textOf } from '../form.ts';
import { formatFieldError } from '../format.ts';
import { broadcastSessionChange, leave, returnPath } from '../session.ts';

/** The messages for the error codes that single sign-on returns with. */
const ssoErrors: Record<string, string> = {
  not_a_member: "This email address doesn't belong to any company here. Contact your administrator.",
  email_not_verified: "Your identity provider hasn't verified your email address.",
  provider_unavailable: 'Your identity provider is unavailable. Try again in a moment.',
  cancelled: 'You canceled at your identity provider.',
};

function ssoError(): string | undefined {
  const code = new URLSearchParams(location.search).get('error');
  return code === null ? undefined : (ssoErrors[code] ?? 'Single sign-on failed. Try again.');
}

/** Whether a signed-in person signs in again, as creating a token can require. */
const signsInAgain = new URLSearchParams(location.search).has('again');

async function redirectIfSignedIn(): Promise<void> {
  if (!signsInAgain && (await getSession())) location.replace(returnPath(location.search));
}

export default function SignIn() {
  const [step, setStep] = useState<'password' | 'code' | 'passwordAgain'>('password');
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        {step === 'code' ? (
          <CodeForm onExpired={() => setStep('passwordAgain')} onCancel={() => setStep('password')} />
        ) : (
          <PasswordForm hasExpired={step === 'passwordAgain'} onCode={() => setStep('code')} />
        )}
      </Card>
      <Text size="sm" mt="md" ta="center">
        Guest expecting a package? <Anchor href="/packages">Register a delivery</Anchor>
      </Text>
    </GuestPage>
  );
}

/** Opens the page that the person wanted before signing in. */
function redirectToReturnPath(): Promise<never> {
  broadcastSessionChange();
  return leave(() => location.assign(returnPath(location.search)));
}

function PasswordForm({ hasExpired, onCode }: { hasExpired: boolean; onCode: () => void }) {
  usePageTitle('Sign in');
  const { data: providers = [] } = useQuery(listProviders);
  useQuery(redirectIfSignedIn);
  const { mutate, isPending, error, fieldErrors } = useMutation(async (data: FormData) => {
    try {
      await signIn(textOf(data, 'email'), textOf(data, 'password'));
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'TWO_FACTOR_REQUIRED') return onCode();
      throw cause;
    }
    return redirectToReturnPath();
  });
  const earlier = hasExpired ? 'Entering the code took too long. Enter your password again.' : ssoError();
  const message = error?.code === 'INVALID_CREDENTIALS' ? 'Incorrect email or password.' : error?.message;

  return (
    <Stack>
      <Title order={1} size="h2">
        Sign in
      </Title>
      <SignInError message={isPending ? undefined : (message ?? earlier)} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate(new FormData(event.currentTarget));
        }}
      >
        <Stack>
          <TextInput
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            error={formatFieldError('Email', fieldErrors['email'])}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            error={formatFieldError('Password', fieldErrors['password'])}
            visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
          />
          <SubmitButton isPending={isPending}>Sign in</SubmitButton>
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
  );
}

interface CodeFormProps {
  /** Called when the password has to be entered again. */
  readonly onExpired: () => void;
  readonly onCancel: () => void;
}

/** Asks for the second factor, after the password. */
function CodeForm({ onExpired, onCancel }: CodeFormProps) {
  usePageTitle('Enter code');
  const { mutate, isPending, error } = useMutation(async (data: FormData) => {
    try {
      await enterCode(textOf(data, 'code'));
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'REAUTHENTICATION_REQUIRED') return onExpired();
      throw cause;
    }
    return redirectToReturnPath();
  });
  return (
    <Stack>
      <Title order={1} size="h2">
        Enter code
      </Title>
      <SignInError message={isPending ? undefined : error?.message} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate(new FormData(event.currentTarget));
        }}
      >
        <Stack>
          <TextInput
            label="Code"
            description="The code that your authenticator app shows, or one of your backup codes."
            name="code"
            autoComplete="one-time-code"
            autoFocus
            required
            withAsterisk={false}
          />
          <SubmitButton isPending={isPending}>Sign in</SubmitButton>
          <Button variant="default" onClick={onCancel}>
            Back
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}

const SignInError = ({ message }: { message?: string }) =>
  message && <ErrorAlert title="Couldn't sign you in">{message}</ErrorAlert>;
