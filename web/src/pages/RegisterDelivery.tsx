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
import { useEffect, useRef, useState } from 'react';
import { emailsPasswordLinks } from '../api/auth.ts';
import { ApiError } from '../api/http.ts';
import { registerPackage } from '../api/packages.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useMutation } from '../components/useMutation.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatFieldError } from '../format.ts';

const companyCode = new URLSearchParams(location.search).get('company') ?? '';

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

/** Registers the form's package. @returns the tracking token */
async function register(data: FormData): Promise<string> {
  const filled = [...data].filter(([, value]) => typeof value === 'string' && value.trim() !== '');
  // The filter leaves texts, not files.
  const { quantity, ...input } = Object.fromEntries(filled) as Record<string, string>;
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
  const form = useRef<HTMLFormElement>(null);
  const { mutate, isPending, error, fieldErrors, message } = useMutation(async (data: FormData) =>
    onRegister(await register(data)),
  );
  useFocusFirstError(form, error);

  const field = (name: string, label: string) => ({ name, label, error: formatFieldError(label, fieldErrors[name]) });
  return (
    <form
      ref={form}
      // The service reports every field at once; browsers report one at a time.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
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
          defaultValue={companyCode}
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
  const { data: isEmailed } = useQuery(emailsPasswordLinks);
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
        <Button component="a" variant="default" href={link}>
          Track package
        </Button>
      </Group>
      <Anchor component="button" type="button" ta="start" onClick={onReset}>
        Register another delivery
      </Anchor>
    </Stack>
  );
}
