import {
  Anchor,
  Button,
  Card,
  CopyButton,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/http.ts';
import { registerPackage } from '../api/packages.ts';
import { passwordLinksQuery } from '../app/session.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatFieldError } from '../format.ts';
import { t } from '../texts/guests.ts';
import { Trans } from '../texts/Trans.tsx';

/** Lets guests register an expected package, and shows the tracking link. */
export default function RegisterDelivery() {
  const [token, setToken] = useState<string>();
  usePageTitle(token ? t('deliveryRegistered') : t('registerADelivery'));
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        {token ? (
          <Confirmation token={token} onReset={() => setToken(undefined)} />
        ) : (
          <DeliveryForm onRegister={setToken} />
        )}
      </Card>
      {!token && (
        <Text size="sm" mt="md" ta="center">
          <Trans t={t} name="workHereSignIn" components={{ a: <Anchor href="/sign-in" /> }} />
        </Text>
      )}
    </GuestPage>
  );
}

/** What the form has, by the names of the API. */
const empty = {
  company_slug: '',
  guest_name: '',
  guest_email: '',
  description: '',
  vendor_name: '',
  tracking_number: '',
  expected_date: '',
  quantity: '',
  notes: '',
};

/** Registers the form's package. @returns the tracking token */
async function register(values: typeof empty): Promise<string> {
  const filled = Object.entries(values).filter(([, value]) => value.trim() !== '');
  const { quantity, ...input }: Readonly<Record<string, string>> = Object.fromEntries(filled);
  try {
    return await registerPackage({ ...input, ...(quantity && { quantity: Number(quantity) }) });
  } catch (error) {
    const isUnknownCompany = error instanceof ApiError && input['company_slug'] && error.details['company_slug'];
    if (!isUnknownCompany) throw error;
    const company_slug = t('weCouldntFindThatCompany');
    throw new ApiError(error.message, error.code, { ...error.details, company_slug });
  }
}

function DeliveryForm({ onRegister }: { onRegister: (token: string) => void }) {
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { ...empty, company_slug: new URLSearchParams(location.search).get('company') ?? '' },
  });
  const { mutate, isPending, error } = useMutation({ mutationFn: register, onSuccess: onRegister });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);

  const field = (name: keyof typeof empty, label: string) => ({
    ...form.getInputProps(name),
    name,
    label,
    error: formatFieldError(label, fieldErrors[name]),
  });
  return (
    <form
      ref={element}
      // The service reports every field at once; browsers report one at a time.
      noValidate
      onSubmit={form.onSubmit((values) => mutate(values))}
    >
      <Stack>
        <div>
          <Title order={1} size="h2">
            {t('registerADelivery')}
          </Title>
          <Text size="sm">{t('tellTheMailroomToExpectYour')}</Text>
        </div>
        {message && <ErrorAlert title={t('couldntRegisterTheDelivery')}>{message}</ErrorAlert>}
        {error && !message && (
          <Text role="alert" size="sm">
            {t('pleaseFixTheHighlightedFields')}
          </Text>
        )}
        <TextInput
          {...field('company_slug', t('company'))}
          description={t('theCompanyCodeFromYourInvitation')}
          required
          autoCapitalize="none"
        />
        <TextInput {...field('guest_name', t('yourName'))} required autoComplete="name" />
        <TextInput {...field('guest_email', t('yourEmail'))} required type="email" autoComplete="email" />
        <TextInput {...field('description', t('contents'))} />
        <TextInput {...field('vendor_name', t('sender'))} />
        <TextInput {...field('tracking_number', t('trackingNumber'))} autoCapitalize="characters" />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput {...field('expected_date', t('expectedDelivery'))} type="date" />
          <TextInput {...field('quantity', t('numberOfPackages'))} type="number" min={0} inputMode="numeric" />
        </SimpleGrid>
        <Textarea {...field('notes', t('notes'))} autosize minRows={2} />
        <SubmitButton isPending={isPending}>{t('registerDelivery')}</SubmitButton>
      </Stack>
    </form>
  );
}

function Confirmation({ token, onReset }: { token: string; onReset: () => void }) {
  const link = `${location.origin}/packages/${token}`;
  const heading = useRef<HTMLHeadingElement>(null);
  const { data: isEmailed } = useQuery(passwordLinksQuery);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack>
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        {t('deliveryRegistered')}
      </Title>
      <Text>{t(isEmailed ? 'saveThisLinkAlsoEmailed' : 'saveThisLink')}</Text>
      <TextInput
        label={t('trackingLink')}
        value={link}
        readOnly
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group>
        <CopyButton value={link} timeout={4000}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? t('copied') : t('copyLink')}</Button>}
        </CopyButton>
        <Button component="a" variant="default" href={`/packages/${token}`}>
          {t('trackPackage')}
        </Button>
      </Group>
      <Anchor component="button" type="button" ta="start" onClick={onReset}>
        {t('registerAnotherDelivery')}
      </Anchor>
    </Stack>
  );
}
