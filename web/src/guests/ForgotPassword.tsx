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
import { t } from '../texts/guests.ts';

export default function ForgotPassword() {
  usePageTitle(t('forgotPassword'));
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' } });
  const { mutate, isPending, isSuccess, error, variables: sentTo } = useMutation({ mutationFn: requestPasswordLink });
  const message = messageOf(error);
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            {t('forgotPassword')}
          </Title>
          {message && <ErrorAlert title={t('couldntRequestALink')}>{message}</ErrorAlert>}
          <div role="status">{isSuccess && <Text>{t('ifSentToHasAnAccountAn', { sentTo })}</Text>}</div>
          <form onSubmit={form.onSubmit(({ email }) => mutate(email))}>
            <Stack>
              <TextInput
                key={form.key('email')}
                {...form.getInputProps('email')}
                label={t('email')}
                name="email"
                type="email"
                autoComplete="username"
                required
                withAsterisk={false}
                error={formatFieldError(t('email'), fieldErrorsOf(error)['email'])}
              />
              <SubmitButton isPending={isPending}>{t('emailMeALink')}</SubmitButton>
            </Stack>
          </form>
          <Anchor href="/sign-in">{t('backToSignIn')}</Anchor>
        </Stack>
      </Card>
    </GuestPage>
  );
}
