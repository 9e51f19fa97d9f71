import { useEffect, useState } from 'react';
import { getSession } from '../api/auth.ts';
import { type ApiError, setSignInPrompt } from '../api/http.ts';
import { onSessionChange } from '../session.ts';
import { t } from '../texts/sign-in.ts';
import { withTexts } from '../texts/texts.ts';
import type { PageSession, SignInModal } from './SignInModal.tsx';

/** A question to the person, and what is called with whether they have signed in. */
interface Question {
  readonly text: string;
  /** What asks it. */
  readonly Asking: typeof SignInModal;
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
    // Without a network nobody can sign in: what failed is tried again by hand then.
    const ask = async (text: string) => {
      const script = await withTexts(import('./SignInModal.tsx')).catch(() => undefined);
      if (!script) return false;
      return new Promise<boolean>((answer) => setQuestion({ text, Asking: script.SignInModal, answer }));
    };
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

  if (!question) return null;
  const { text, Asking } = question;
  return <Asking session={session} text={text} onSignedIn={() => settle(true)} onClose={() => settle(false)} />;
}
