import { Card, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useRef, useState } from 'react';
import { changePassword } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { formatFieldError } from '../format.ts';

/** A form that changes the password. */
export function ChangePassword({ email }: { email: string }) {
  const element = useRef<HTMLFormElement>(null);
  const [status, setStatus] = useState('');
  const form = useForm({ mode: 'uncontrolled', initialValues: { current: '', next: '', confirmation: '' } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ current, next, confirmation }: typeof form.values) => {
      if (next !== confirmation) throw new ApiError('', 'VALIDATION_ERROR', { confirmation: "Passwords don't match." });
      await changePassword(current, next);
    },
    onMutate: () => setStatus(''),
    onSuccess: () => {
      form.reset();
      setStatus("Password changed. You've been signed out of all other sessions.");
    },
  });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);

  return (
    <Card withBorder padding="lg">
      <form ref={element} onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack maw={420}>
          <Title order={2} size="h3">
            Password
          </Title>
          {message && <ErrorAlert title="Couldn't change your password">{message}</ErrorAlert>}
          {/* Tells password managers which account the password belongs to. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            label="Current password"
            key={form.key('current')}
            {...form.getInputProps('current')}
            name="current"
            autoComplete="current-password"
            error={fieldErrors['current_password'] && 'Current password is incorrect.'}
          />
          <PasswordField
            label="New password"
            description="At least 10 characters."
            key={form.key('next')}
            {...form.getInputProps('next')}
            name="new"
            autoComplete="new-password"
            minLength={10}
            error={formatFieldError('New password', fieldErrors['new_password'])}
          />
          <PasswordField
            label="Confirm new password"
            key={form.key('confirmation')}
            {...form.getInputProps('confirmation')}
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
