import { Anchor, Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { requestPasswordLink } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatFieldError } from '../format.ts';

export default function ForgotPassword() {
  usePageTitle('Forgot password');
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' } });
  const { mutate, isPending, isSuccess, error, variables: sentTo } = useMutation({ mutationFn: requestPasswordLink });
  const message = messageOf(error);
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Forgot password
          </Title>
          {message && <ErrorAlert title="Couldn't request a link">{message}</ErrorAlert>}
          <div role="status">
            {isSuccess && (
              <Text>
                If {sentTo} has an account, an email with a link is on its way. The link works once, for an hour.
              </Text>
            )}
          </div>
          <form onSubmit={form.onSubmit(({ email }) => mutate(email))}>
            <Stack>
              <TextInput
                key={form.key('email')}
                {...form.getInputProps('email')}
                label="Email"
                name="email"
                type="email"
                autoComplete="username"
                required
                withAsterisk={false}
                error={formatFieldError('Email', fieldErrorsOf(error)['email'])}
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
