import { Card, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type ComponentProps, useRef, useState } from 'react';
import { call, Refusal } from '../api.ts';
import { Act } from '../components/Act.tsx';
import { Failure } from '../components/Failure.tsx';
import { useFirstFault } from '../components/useFirstFault.ts';
import { sentence } from '../components/words.ts';

/** Changes the password; every other session of the person ends. */
export function ChangePassword({ email }: { email: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [fault, setFault] = useState<Refusal>();
  const [told, setTold] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(data: FormData) {
    setFault(undefined);
    setTold('');
    if (data.get('new') !== data.get('again')) {
      return setFault(new Refusal('', 'VALIDATION_ERROR', { again: 'is not the same as the new password' }));
    }
    setBusy(true);
    try {
      await call('POST', '/auth/password', { current_password: data.get('current'), new_password: data.get('new') });
      form.current?.reset();
      setTold('The password is changed. You are signed out everywhere else.');
    } catch (caught) {
      setFault(caught as Refusal);
    } finally {
      setBusy(false);
    }
  }

  const details = fault?.details ?? {};
  useFirstFault(form, fault);
  return (
    <Card withBorder padding="lg">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(new FormData(event.currentTarget));
        }}
      >
        <Stack maw={420}>
          <Title order={2} size="h3">
            Password
          </Title>
          {fault && Object.keys(details).length === 0 && <Failure>{fault.message}</Failure>}
          {/* For programs that keep passwords: whose it is. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <Secret
            label="Current password"
            name="current"
            autoComplete="current-password"
            error={sentence(details['current_password'])}
          />
          <Secret
            label="New password"
            description="At least 10 characters."
            name="new"
            autoComplete="new-password"
            minLength={10}
            error={sentence(details['new_password'])}
          />
          <Secret
            label="New password again"
            name="again"
            autoComplete="new-password"
            error={sentence(details['again'])}
          />
          <Act type="submit" busy={busy} variant="default">
            Change the password
          </Act>
          <Text role="status">{told}</Text>
        </Stack>
      </form>
    </Card>
  );
}

const Secret = (props: ComponentProps<typeof PasswordInput>) => (
  <PasswordInput
    required
    withAsterisk={false}
    aria-invalid={props.error !== undefined}
    visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
    {...props}
  />
);
