import { Anchor, Button, Card, Divider, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useState } from 'react';
import { passwordLinksQuery, providersQuery, sessionQuery } from '../app/session.ts';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { broadcastSessionChange, leave, returnPath } from '../session.ts';
import { CodeForm, codeExpired } from '../sign-in/CodeForm.tsx';
import { replayEarlyUse } from '../sign-in/early.ts';
import { PasswordForm } from '../sign-in/PasswordForm.tsx';
import { t } from '../texts/sign-in.ts';
import { Trans } from '../texts/Trans.tsx';

/** The messages for the error codes that single sign-on returns with. */
const ssoErrors = (): Record<string, string> => ({
  not_a_member: t('thisEmailAddressDoesntBelongTo'),
  email_not_verified: t('yourIdentityProviderHasntVerifiedYour'),
  another_identity: t('yourAccountIsLinkedToAnother'),
  provider_unavailable: t('yourIdentityProviderIsUnavailableTry'),
  cancelled: t('youCanceledAtYourIdentityProvider'),
});

function ssoError(): string | undefined {
  // The document that is written while the pages are built is for addresses without an error.
  const code = typeof location === 'undefined' ? null : new URLSearchParams(location.search).get('error');
  return code === null ? undefined : (ssoErrors()[code] ?? t('singleSignOnFailedTryAgain'));
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
        <Trans t={t} name="guestExpectingAPackageRegisterA" components={{ a: <Anchor href="/packages" /> }} />
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
  usePageTitle(t('signIn'));
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: canRequestLink } = useQuery(passwordLinksQuery);
  // The document says who is signed in; whoever signs in elsewhere meanwhile is led on with the next look at this page.
  const { data: session } = useQuery({ ...sessionQuery, staleTime: 10_000 });
  useEffect(replayEarlyUse, []);
  useEffect(() => {
    if (session) location.replace(returnPath(location.search));
  }, [session]);
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('signIn')}
      </Title>
      <PasswordForm
        earlierError={hasExpired ? codeExpired() : ssoError()}
        onSignedIn={redirectToReturnPath}
        onCode={onCode}
      >
        {canRequestLink && <Anchor href="/forgot-password">{t('forgotPassword')}</Anchor>}
      </PasswordForm>
      {providers.length > 0 && <Divider label={t('or')} />}
      {providers.map(({ id, name, url }) => (
        <Button
          key={id}
          component="a"
          variant="default"
          href={`${url}?return_to=${encodeURIComponent(returnPath(location.search))}`}
        >
          {t('signInWithName', { name })}
        </Button>
      ))}
    </Stack>
  );
}

function CodeStep(props: Pick<ComponentProps<typeof CodeForm>, 'onExpired' | 'onCancel'>) {
  usePageTitle(t('enterCode'));
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('enterCode')}
      </Title>
      <CodeForm onSignedIn={redirectToReturnPath} {...props} />
    </Stack>
  );
}
