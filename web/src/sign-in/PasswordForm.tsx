import { PasswordInput, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { signIn } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { textOf } from '../form.ts';
import { formatFieldError } from '../format.ts';
import { SignInError } from './SignInError.tsx';

interface Props {
  /** The address of the account; without it the form asks for one. */
  readonly email?: string;
  /** Why an earlier sign-in failed. */
  readonly earlierError?: string;
  /** Called after signing in. The form stays pending until it resolves. */
  readonly onSignedIn: () => Promise<unknown>;
  /** Called when signing in also takes a code. */
  readonly onCode: () => void;
  /** What is shown below the button. */
  readonly children?: ReactNode;
}

/** Signs in with a password. */
export function PasswordForm({ email, earlierError, onSignedIn, onCode, children }: Props) {
  const { mutate, isPending, error, fieldErrors } = useMutation(async (data: FormData) => {
    try {
      await signIn(textOf(data, 'email'), textOf(data, 'password'));
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'TWO_FACTOR_REQUIRED') return onCode();
      throw cause;
    }
    return onSignedIn();
  });
  const incorrect = email === undefined ? 'Incorrect email or password.' : 'Incorrect password.';
  const message = error?.code === 'INVALID_CREDENTIALS' ? incorrect : error?.message;
  return (
    <>
      <SignInError message={isPending ? undefined : (message ?? earlierError)} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate(new FormData(event.currentTarget));
        }}
      >
        <Stack>
          {email === undefined ? (
            <TextInput
              label="Email"
              name="email"
              type="email"
              autoComplete="username"
              required
              withAsterisk={false}
              error={formatFieldError('Email', fieldErrors['email'])}
            />
          ) : (
            // Tells password managers which account the password belongs to.
            <input type="text" name="email" autoComplete="username" value={email} readOnly hidden />
          )}
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus={email === undefined ? undefined : true}
            error={formatFieldError('Password', fieldErrors['password'])}
            visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
          />
          <SubmitButton isPending={isPending}>Sign in</SubmitButton>
          {children}
        </Stack>
      </form>
    </>
  );
}
