import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { t } from '../texts/sign-in.ts';

/** Why somebody could not sign in. */
export const SignInError = ({ message }: { message?: string }) =>
  message && <ErrorAlert title={t('couldntSignYouIn')}>{message}</ErrorAlert>;
