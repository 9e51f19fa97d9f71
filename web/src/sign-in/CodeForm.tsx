import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { enterCode } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { t } from '../texts/sign-in.ts';
import { SignInError } from './SignInError.tsx';

/** Why the password has to be entered again. */
export const codeExpired = () => t('enteringTheCodeTookTooLong');

interface Props {
  /** Called after signing in. The form stays pending until it resolves. */
  readonly onSignedIn: () => Promise<unknown>;
  /** Called when the password has to be entered again. */
  readonly onExpired: () => void;
  readonly onCancel: () => void;
}

/** Whether the password has to be entered again. */
const isExpired = (error: Error) => error instanceof ApiError && error.code === 'REAUTHENTICATION_REQUIRED';

/** Asks for the second factor, after the password. */
export function CodeForm({ onSignedIn, onExpired, onCancel }: Props) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: enterCode,
    onSuccess: onSignedIn,
    onError: (cause) => isExpired(cause) && onExpired(),
  });
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } });
  return (
    <>
      <SignInError message={error && !isExpired(error) ? error.message : undefined} />
      <form onSubmit={form.onSubmit(({ code }) => mutate(code))}>
        <Stack>
          <TextInput
            key={form.key('code')}
            {...form.getInputProps('code')}
            label={t('code')}
            description={t('theCodeThatYourAuthenticatorApp')}
            name="code"
            autoComplete="one-time-code"
            autoFocus
            required
            withAsterisk={false}
          />
          <SubmitButton isPending={isPending}>{t('signIn')}</SubmitButton>
          <Button variant="default" onClick={onCancel}>
            {t('back')}
          </Button>
        </Stack>
      </form>
    </>
  );
}
