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
import type { Refusal } from '../api.ts';
import { Act } from '../components/Act.tsx';
import { Failure } from '../components/Failure.tsx';
import { GuestFrame } from '../components/GuestFrame.tsx';
import { useFirstFault } from '../components/useFirstFault.ts';
import { useTitle } from '../components/useTitle.ts';
import { sentence } from '../components/words.ts';
import { announce } from '../guests/packages.ts';

const company = new URLSearchParams(location.search).get('company') ?? '';

/** A guest says what they expect, and gets the link to follow it by. */
export default function Packages() {
  const [token, setToken] = useState<string>();
  useTitle(token ? 'Your package is announced' : 'Announce a package');
  return (
    <GuestFrame>
      <Card withBorder shadow="sm" padding="lg">
        {token ? <Thanks token={token} onAgain={() => setToken(undefined)} /> : <Announcement onAnnounced={setToken} />}
      </Card>
      {!token && (
        <Text size="sm" mt="md" ta="center">
          Do you work here? <Anchor href="/sign-in">Sign in</Anchor>
        </Text>
      )}
    </GuestFrame>
  );
}

function Announcement({ onAnnounced }: { onAnnounced: (token: string) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [fault, setFault] = useState<Refusal>();
  const [busy, setBusy] = useState(false);
  const details = fault?.details ?? {};
  useFirstFault(form, fault);

  async function submit(data: FormData) {
    const said = [...data].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value] as const] : [],
    );
    setBusy(true);
    setFault(undefined);
    try {
      const quantity = data.get('quantity');
      onAnnounced(await announce({ ...Object.fromEntries(said), ...(quantity && { quantity: Number(quantity) }) }));
    } catch (caught) {
      setFault(caught as Refusal);
      setBusy(false);
    }
  }

  const field = (name: string) => ({ name, error: sentence(details[name]) });
  return (
    <form
      ref={form}
      // The service tells what is wrong with all fields at once; browsers tell one at a time.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Stack>
        <div>
          <Title order={1} size="h2">
            Announce a package
          </Title>
          <Text size="sm">So that the mailroom knows whose it is when it arrives.</Text>
        </div>
        {fault && Object.keys(details).length === 0 && <Failure>{fault.message}</Failure>}
        {fault && Object.keys(details).length > 0 && (
          <Text role="alert" size="sm">
            Some of it cannot be so; look at the fields that are marked.
          </Text>
        )}
        <TextInput
          {...field('company_slug')}
          label="Company"
          description="Its short name, as whoever invited you has told you."
          defaultValue={company}
          required
          autoCapitalize="none"
        />
        <TextInput {...field('guest_name')} label="Your name" required autoComplete="name" />
        <TextInput {...field('guest_email')} label="Your e-mail address" required type="email" autoComplete="email" />
        <TextInput {...field('description')} label="What is it?" />
        <TextInput {...field('vendor_name')} label="Who sends it?" />
        <TextInput {...field('tracking_number')} label="Tracking number" autoCapitalize="characters" />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput {...field('expected_date')} label="Expected on" type="date" />
          <TextInput {...field('quantity')} label="Parcels" type="number" min={0} inputMode="numeric" />
        </SimpleGrid>
        <Textarea {...field('notes')} label="Notes" autosize minRows={2} />
        <Act type="submit" busy={busy}>
          Announce it
        </Act>
      </Stack>
    </form>
  );
}

function Thanks({ token, onAgain }: { token: string; onAgain: () => void }) {
  const link = `${location.origin}/packages/${token}`;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack>
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        Your package is announced
      </Title>
      <Text>Keep this link to follow it. It is shown once, and whoever has it can see what you have announced.</Text>
      <TextInput label="Link" value={link} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
      <Group>
        <CopyButton value={link} timeout={4000}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy the link'}</Button>}
        </CopyButton>
        <Button component="a" variant="default" href={link}>
          Follow it
        </Button>
      </Group>
      <Anchor component="button" type="button" ta="start" onClick={onAgain}>
        Announce another
      </Anchor>
    </Stack>
  );
}
