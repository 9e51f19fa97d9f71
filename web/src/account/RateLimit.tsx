import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ApiToken, setTokenRateLimit } from '../api/tokens.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { formatFieldError } from '../format.ts';

interface Props {
  readonly token: ApiToken;
  readonly onChange: () => void;
}

/** A form that sets how many requests per hour a token may send. */
export function RateLimit({ token: { id, name, rateLimit }, onChange }: Props) {
  const [status, setStatus] = useState('');
  const { mutate, isPending, error } = useMutation(async (data: FormData) => {
    setStatus('');
    const limit = data.get('limit');
    await setTokenRateLimit(id, limit ? Number(limit) : null);
    setStatus('Saved.');
    onChange();
  });

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      <Group gap="xs" mt={4} align="flex-end">
        <TextInput
          name="limit"
          type="number"
          min={1}
          size="xs"
          w={150}
          label="Requests per hour"
          aria-label={`Requests per hour for ${name}`}
          placeholder="Default"
          defaultValue={rateLimit ?? ''}
          error={error && (formatFieldError('Limit', error.details['rateLimit']) ?? error.message)}
        />
        <SubmitButton isPending={isPending} size="xs" variant="default" aria-label={`Save limit for ${name}`}>
          Save
        </SubmitButton>
        <Text size="sm" role="status">
          {status}
        </Text>
      </Group>
    </form>
  );
}
