import { Anchor, Button, Card, Divider, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useState } from 'react';
import { passwordLinksQuery, providersQuery, sessionQuery } from '../app/session.ts';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { broadcastSessionChange, leave, returnPath } from '../session.ts';
import { CodeForm, codeExpired } from '../sign-in/CodeForm.tsx';
import { PasswordForm } from '../sign-in/PasswordForm.tsx';

/** The messages for the error codes that single sign-on returns with. */
const ssoErrors: Record<string, string> = {
  not_a_member: "This email address doesn't belong to any company here. Contact your administrator.",
  email_not_verified: "Your identity provider hasn't verified your email address.",
  another_identity:
    'Your account is linked to another identity at your identity provider. Ask your administrator to unlink it.',
  provider_unavailable: 'Your identity provider is unavailable. Try again in a moment.',
  cancelled: 'You canceled at your identity provider.',
};

function ssoError(): string | undefined {
  const code = new URLSearchParams(location.search).get('error');
  return code === null ? undefined : (ssoErrors[code] ?? 'Single sign-on failed. Try again.');
}

export default function SignIn() {
  const [step, setStep] = useState<'password' | 'code' | 'passwordAgain'>('password');
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        {step === 'code' ? (
          <CodeStep onExpired={() => setStep('passwordAgain')} onCancel={() => setStep('password')} />
        ) : (
          <PasswordStep hasExpired={step === 'passwordAgain'} onCode={() => setStep('code')} />
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

function PasswordStep({ hasExpired, onCode }: { hasExpired: boolean; onCode: () => void }) {
  usePageTitle('Sign in');
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: canRequestLink } = useQuery(passwordLinksQuery);
  const { data: session } = useQuery({ ...sessionQuery, staleTime: 0 });
  useEffect(() => {
    if (session) location.replace(returnPath(location.search));
  }, [session]);
  return (
    <Stack>
      <Title order={1} size="h2">
        Sign in
      </Title>
      <PasswordForm
        earlierError={hasExpired ? codeExpired : ssoError()}
        onSignedIn={redirectToReturnPath}
        onCode={onCode}
      >
        {canRequestLink && <Anchor href="/forgot-password">Forgot password?</Anchor>}
      </PasswordForm>
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

function CodeStep(props: Pick<ComponentProps<typeof CodeForm>, 'onExpired' | 'onCancel'>) {
  usePageTitle('Enter code');
  return (
    <Stack>
      <Title order={1} size="h2">
        Enter code
      </Title>
      <CodeForm onSignedIn={redirectToReturnPath} {...props} />
    </Stack>
  );
}
