import { PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { signIn } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { fieldErrorsOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { formatFieldError } from '../format.ts';
import { t } from '../texts/sign-in.ts';
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

const hasCode = (error: Error | null, code: string) => error instanceof ApiError && error.code === code;

/** Signs in with a password. */
export function PasswordForm({ email, earlierError, onSignedIn, onCode, children }: Props) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: email ?? '', password: '' } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (values: typeof form.values) => signIn(values.email, values.password),
    onSuccess: onSignedIn,
    onError: (cause) => hasCode(cause, 'TWO_FACTOR_REQUIRED') && onCode(),
  });
  const fieldErrors = fieldErrorsOf(error);
  // What was typed, or filled in by the browser, before this script was there.
  const element = useRef<HTMLFormElement>(null);
  const { setFieldValue } = form;
  useEffect(() => {
    for (const name of ['email', 'password'] as const) {
      const input = element.current?.elements.namedItem(name);
      // The field stays the same element, in which somebody may be typing.
      if (input instanceof HTMLInputElement && input.value !== '')
        setFieldValue(name, input.value, { forceUpdate: false });
    }
    // Once, as the form then hears of each change.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const incorrect = email === undefined ? t('incorrectEmailOrPassword') : t('incorrectPassword');
  const message = hasCode(error, 'INVALID_CREDENTIALS') ? incorrect : error?.message;
  return (
    <>
      <SignInError message={isPending ? undefined : (message ?? earlierError)} />
      <form ref={element} onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack>
          {email === undefined ? (
            <TextInput
              key={form.key('email')}
              {...form.getInputProps('email')}
              label={t('email')}
              name="email"
              type="email"
              autoComplete="username"
              required
              withAsterisk={false}
              error={formatFieldError(t('email'), fieldErrors['email'])}
            />
          ) : (
            // Tells password managers which account the password belongs to.
            <input type="text" name="email" autoComplete="username" value={email} readOnly hidden />
          )}
          <PasswordInput
            key={form.key('password')}
            {...form.getInputProps('password')}
            label={t('password')}
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus={email === undefined ? undefined : true}
            error={formatFieldError(t('password'), fieldErrors['password'])}
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
          />
          <SubmitButton isPending={isPending}>{t('signIn')}</SubmitButton>
          {children}
        </Stack>
      </form>
    </>
  );
}
