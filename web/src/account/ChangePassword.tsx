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
import { t } from '../texts/account.ts';

/** A form that changes the password. */
export function ChangePassword({ email }: { email: string }) {
  const element = useRef<HTMLFormElement>(null);
  const [status, setStatus] = useState('');
  const form = useForm({ mode: 'uncontrolled', initialValues: { current: '', next: '', confirmation: '' } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ current, next, confirmation }: typeof form.values) => {
      if (next !== confirmation) throw new ApiError('', 'VALIDATION_ERROR', { confirmation: t('passwordsDontMatch') });
      await changePassword(current, next);
    },
    onMutate: () => setStatus(''),
    onSuccess: () => {
      form.reset();
      setStatus(t('passwordChangedYouveBeenSignedOut'));
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
            {t('password')}
          </Title>
          {message && <ErrorAlert title={t('couldntChangeYourPassword')}>{message}</ErrorAlert>}
          {/* Tells password managers which account the password belongs to. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            label={t('currentPassword')}
            key={form.key('current')}
            {...form.getInputProps('current')}
            name="current"
            autoComplete="current-password"
            error={fieldErrors['current_password'] && t('currentPasswordIsIncorrect')}
          />
          <PasswordField
            label={t('newPassword')}
            description={t('atLeast10Characters')}
            key={form.key('next')}
            {...form.getInputProps('next')}
            name="new"
            autoComplete="new-password"
            minLength={10}
            error={formatFieldError(t('newPassword'), fieldErrors['new_password'])}
          />
          <PasswordField
            label={t('confirmNewPassword')}
            key={form.key('confirmation')}
            {...form.getInputProps('confirmation')}
            name="confirmation"
            autoComplete="new-password"
            error={fieldErrors['confirmation']}
          />
          <SubmitButton isPending={isPending} variant="default">
            {t('changePassword')}
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
    visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
    {...props}
  />
);
