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

/** Lets guests register an expected package, and shows the tracking link. */
export default function RegisterDelivery() {
  const [token, setToken] = useState<string>();
  usePageTitle(token ? 'Delivery registered' : 'Register a delivery');
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
          Work here? <Anchor href="/sign-in">Sign in</Anchor>
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
    const company_slug = "We couldn't find that company.";
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
            Register a delivery
          </Title>
          <Text size="sm">Tell the mailroom to expect your package.</Text>
        </div>
        {message && <ErrorAlert title="Couldn't register the delivery">{message}</ErrorAlert>}
        {error && !message && (
          <Text role="alert" size="sm">
            Please fix the highlighted fields.
          </Text>
        )}
        <TextInput
          {...field('company_slug', 'Company')}
          description="The company code from your invitation."
          required
          autoCapitalize="none"
        />
        <TextInput {...field('guest_name', 'Your name')} required autoComplete="name" />
        <TextInput {...field('guest_email', 'Your email')} required type="email" autoComplete="email" />
        <TextInput {...field('description', 'Contents')} />
        <TextInput {...field('vendor_name', 'Sender')} />
        <TextInput {...field('tracking_number', 'Tracking number')} autoCapitalize="characters" />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput {...field('expected_date', 'Expected delivery')} type="date" />
          <TextInput {...field('quantity', 'Number of packages')} type="number" min={0} inputMode="numeric" />
        </SimpleGrid>
        <Textarea {...field('notes', 'Notes')} autosize minRows={2} />
        <SubmitButton isPending={isPending}>Register delivery</SubmitButton>
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
        Delivery registered
      </Title>
      <Text>
        Save this link to track your package. We won't show it again, and anyone with the link can see what you entered.
        {isEmailed && ' We also email you a link, a few times an hour at most.'}
      </Text>
      <TextInput label="Tracking link" value={link} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
      <Group>
        <CopyButton value={link} timeout={4000}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy link'}</Button>}
        </CopyButton>
        <Button component="a" variant="default" href={`/packages/${token}`}>
          Track package
        </Button>
      </Group>
      <Anchor component="button" type="button" ta="start" onClick={onReset}>
        Register another delivery
      </Anchor>
    </Stack>
  );
}
