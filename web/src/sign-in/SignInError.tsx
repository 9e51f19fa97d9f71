import { ErrorAlert } from '../components/ErrorAlert.tsx';

/** Why somebody could not sign in. */
export const SignInError = ({ message }: { message?: string }) =>
  message && <ErrorAlert title="Couldn't sign you in">{message}</ErrorAlert>;
