import { Anchor, Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { requestPasswordLink } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { textOf } from '../form.ts';
import { formatFieldError } from '../format.ts';

export default function ForgotPassword() {
  usePageTitle('Forgot password');
  const [sentTo, setSentTo] = useState<string>();
  const { mutate, isPending, fieldErrors, message } = useMutation(async (data: FormData) => {
    const email = textOf(data, 'email');
    await requestPasswordLink(email);
    setSentTo(email);
  });
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Forgot password
          </Title>
          {message && <ErrorAlert title="Couldn't request a link">{message}</ErrorAlert>}
          <div role="status">
            {sentTo !== undefined && (
              <Text>
                If {sentTo} has an account, an email with a link is on its way. The link works once, for an hour.
              </Text>
            )}
          </div>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              setSentTo(undefined);
              mutate(new FormData(event.currentTarget));
            }}
          >
            <Stack>
              <TextInput
                label="Email"
                name="email"
                type="email"
                autoComplete="username"
                required
                withAsterisk={false}
                error={formatFieldError('Email', fieldErrors['email'])}
              />
              <SubmitButton isPending={isPending}>Email me a link</SubmitButton>
            </Stack>
          </form>
          <Anchor href="/sign-in">Back to sign in</Anchor>
        </Stack>
      </Card>
    </GuestPage>
  );
}
