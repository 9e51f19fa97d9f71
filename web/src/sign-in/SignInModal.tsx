import { Button, Divider, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ActiveCompany, getSession, type Session, selectCompany } from '../api/auth.ts';
import { providersQuery } from '../app/session.ts';
import { broadcastSessionChange, leave, onSessionChange } from '../session.ts';
import { t } from '../texts/sign-in.ts';
import { CodeForm, codeExpired } from './CodeForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';

/** A session that works in a company. */
export type PageSession = Session & { readonly company: ActiveCompany };

interface FormsProps {
  readonly session: PageSession;
  readonly text: string;
  readonly onSignedIn: () => void;
}

/** Asks a person to sign in again, above the page that they are on. */
export function SignInModal({ onClose, ...forms }: FormsProps & { readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('signInAgain')}
      centered
      closeOnClickOutside={false}
      // Above the dialog that sent the request.
      zIndex={300}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Forms {...forms} />
    </Modal>
  );
}

function Forms({ session: { person, company }, text, onSignedIn }: FormsProps) {
  const { data: providers = [] } = useQuery(providersQuery);
  const [step, setStep] = useState<'password' | 'code' | 'passwordAgain'>('password');
  const [usesProvider, setUsesProvider] = useState(false);

  /** Goes on with the page if its person has signed in. Their new session may work on another company. */
  async function goOn() {
    const current = await getSession();
    if (!current) return;
    if (current.person.id !== person.id) return leave(() => location.reload());
    if (current.company?.id !== company.id) await selectCompany(company.id);
    broadcastSessionChange();
    onSignedIn();
  }

  useEffect(() => {
    // Other tabs tell when they have signed in. A tab with the provider's pages does not.
    const check = () => void goOn().catch(() => {});
    const checkWhenVisible = () => usesProvider && document.visibilityState === 'visible' && check();
    document.addEventListener('visibilitychange', checkWhenVisible);
    const stop = onSessionChange(check);
    return () => {
      document.removeEventListener('visibilitychange', checkWhenVisible);
      stop();
    };
  });

  return (
    <Stack>
      <Text>{text}</Text>
      <Text size="sm">
        {person.full_name} ({person.email})
      </Text>
      {step === 'code' ? (
        <CodeForm onSignedIn={goOn} onExpired={() => setStep('passwordAgain')} onCancel={() => setStep('password')} />
      ) : (
        person.has_password && (
          <PasswordForm
            email={person.email}
            earlierError={step === 'passwordAgain' ? codeExpired() : undefined}
            onSignedIn={goOn}
            onCode={() => setStep('code')}
          />
        )
      )}
      {providers.length > 0 && person.has_password && <Divider label={t('or')} />}
      {providers.map(({ id, name, url }) => (
        <Button
          key={id}
          component="a"
          variant="default"
          href={`${url}?return_to=/account`}
          target="_blank"
          rel="noopener"
          onClick={() => setUsesProvider(true)}
        >
          {t('signInWithNameInA', { name })}
        </Button>
      ))}
    </Stack>
  );
}
