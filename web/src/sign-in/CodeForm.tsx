import { Button, Stack, TextInput } from '@mantine/core';
import { enterCode } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { textOf } from '../form.ts';
import { SignInError } from './SignInError.tsx';

/** Why the password has to be entered again. */
export const codeExpired = 'Entering the code took too long. Enter your password again.';

interface Props {
  /** Called after signing in. The form stays pending until it resolves. */
  readonly onSignedIn: () => Promise<unknown>;
  /** Called when the password has to be entered again. */
  readonly onExpired: () => void;
  readonly onCancel: () => void;
}

/** Asks for the second factor, after the password. */
export function CodeForm({ onSignedIn, onExpired, onCancel }: Props) {
  const { mutate, isPending, error } = useMutation(async (data: FormData) => {
    try {
      await enterCode(textOf(data, 'code'));
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'REAUTHENTICATION_REQUIRED') return onExpired();
      throw cause;
    }
    return onSignedIn();
  });
  return (
    <>
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
    </>
  );
}
