import { Card, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type ComponentProps, useRef, useState } from 'react';
import { changePassword } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useMutation } from '../components/useMutation.ts';
import { textOf } from '../form.ts';
import { formatFieldError } from '../format.ts';

/** A form that changes the password. */
export function ChangePassword({ email }: { email: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [status, setStatus] = useState('');
  const { mutate, isPending, error, fieldErrors, message } = useMutation(async (data: FormData) => {
    setStatus('');
    const next = textOf(data, 'new');
    if (next !== textOf(data, 'confirmation'))
      throw new ApiError('', 'VALIDATION_ERROR', { confirmation: "Passwords don't match." });
    await changePassword(textOf(data, 'current'), next);
    form.current?.reset();
    setStatus("Password changed. You've been signed out of all other sessions.");
  });
  useFocusFirstError(form, error);

  return (
    <Card withBorder padding="lg">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          mutate(new FormData(event.currentTarget));
        }}
      >
        <Stack maw={420}>
          <Title order={2} size="h3">
            Password
          </Title>
          {message && <ErrorAlert title="Couldn't change your password">{message}</ErrorAlert>}
          {/* Tells password managers which account the password belongs to. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            label="Current password"
            name="current"
            autoComplete="current-password"
            error={fieldErrors['current_password'] && 'Current password is incorrect.'}
          />
          <PasswordField
            label="New password"
            description="At least 10 characters."
            name="new"
            autoComplete="new-password"
            minLength={10}
            error={formatFieldError('New password', fieldErrors['new_password'])}
          />
          <PasswordField
            label="Confirm new password"
            name="confirmation"
            autoComplete="new-password"
            error={fieldErrors['confirmation']}
          />
          <SubmitButton isPending={isPending} variant="default">
            Change password
          </SubmitButton>
          <Text role="status">{status}</Text>
        </Stack>
      </form>
    </Card>
  );
}

const PasswordField = (props: ComponentProps<typeof PasswordInput>) => (
  <PasswordInput
    required
    withAsterisk={false}
    aria-invalid={props.error !== undefined}
    visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
    {...props}
  />
);
