import { Button, Divider, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ActiveCompany, getSession, type Session, selectCompany } from '../api/auth.ts';
import { type ApiError, setSignInPrompt } from '../api/http.ts';
import { providersQuery } from '../app/session.ts';
import { broadcastSessionChange, leave, onSessionChange } from '../session.ts';
import { t } from '../texts/sign-in.ts';
import { CodeForm, codeExpired } from './CodeForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';

type PageSession = Session & { readonly company: ActiveCompany };

/** A question to the person, and what is called with whether they have signed in. */
interface Question {
  readonly text: string;
  readonly answer: (hasSignedIn: boolean) => void;
}

/**
 * Asks a person to sign in again when their session has ended, or when what they do requires a recent sign-in. The page
 * stays as it is meanwhile, with what they typed, and what they did then goes on. It is kept nowhere else.
 */
export function SignInDialog({ session }: { session: PageSession }) {
  const { person, company } = session;
  const [question, setQuestion] = useState<Question>();

  function settle(hasSignedIn: boolean) {
    question?.answer(hasSignedIn);
    setQuestion(undefined);
  }

  useEffect(() => {
    const ask = (text: string) => new Promise<boolean>((answer) => setQuestion({ text, answer }));
    return setSignInPrompt(async ({ code, message }: ApiError) => {
      if (code === 'REAUTHENTICATION_REQUIRED') return ask(message);
      const current = await getSession();
      // Somebody has signed in in another tab meanwhile, or the membership has ended.
      if (current) return current.person.id === person.id && current.company?.id === company.id;
      return ask(t('yourSessionHasEndedSignIn'));
    });
  }, [person.id, company.id]);

  // Reloads when another tab changes the company or the person; otherwise the page would show one company and act on
  // another. Who signs in again as the same person keeps what they typed here.
  const isAsking = question !== undefined;
  useEffect(() => {
    if (isAsking) return undefined;
    return onSessionChange(async () => {
      const current = await getSession().catch(() => null);
      if (current?.person.id !== person.id || current.company?.id !== company.id) location.reload();
    });
  }, [isAsking, person.id, company.id]);

  return (
    <Modal
      opened={isAsking}
      onClose={() => settle(false)}
      title={t('signInAgain')}
      centered
      closeOnClickOutside={false}
      // Above the dialog that sent the request.
      zIndex={300}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {question && <Forms session={session} text={question.text} onSignedIn={() => settle(true)} />}
    </Modal>
  );
}

interface FormsProps {
  readonly session: PageSession;
  readonly text: string;
  readonly onSignedIn: () => void;
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
