import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ApiToken, setTokenRateLimit } from '../api/tokens.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFields, useLabel } from '../components/useMeta.ts';
import { useMutation } from '../components/useMutation.ts';

interface Props {
  readonly token: ApiToken;
  readonly onChange: () => void;
}

/** A form that sets how many requests per hour a token may send. */
export function RateLimit({ token: { id, name, rateLimit }, onChange }: Props) {
  const [status, setStatus] = useState('');
  const save = useLabel('setApiTokenRateLimit');
  const { mutate, isPending, fieldErrors, message } = useMutation(async (data: FormData) => {
    setStatus('');
    const limit = data.get('rateLimit');
    await setTokenRateLimit(id, limit ? Number(limit) : null);
    setStatus('Saved.');
    onChange();
  });
  const { labelled } = useFields('setApiTokenRateLimit', fieldErrors);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      <Group gap="xs" mt={4} align="flex-end">
        <TextInput
          {...labelled('rateLimit')}
          type="number"
          min={1}
          size="xs"
          w={150}
          aria-label={`${labelled('rateLimit').label} for ${name}`}
          placeholder="Default"
          defaultValue={rateLimit ?? ''}
        />
        <SubmitButton isPending={isPending} size="xs" variant="default" aria-label={`${save}: ${name}`}>
          {save}
        </SubmitButton>
        <Text size="sm" role="status">
          {status}
        </Text>
      </Group>
      {message && <ErrorAlert title="Couldn't set the limit">{message}</ErrorAlert>}
    </form>
  );
}
