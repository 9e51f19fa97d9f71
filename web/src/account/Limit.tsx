import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Refusal } from '../api.ts';
import { sentence } from '../components/words.ts';
import { type ApiToken, limitToken } from './tokens.ts';

/** Sets how many requests a token may send in an hour. */
export function Limit({ token: { id, name, rateLimit }, onChanged }: { token: ApiToken; onChanged: () => void }) {
  const [error, setError] = useState<Refusal>();
  const [told, setTold] = useState('');

  async function submit(data: FormData) {
    const said = data.get('limit');
    const limit = typeof said === 'string' && said !== '' ? Number(said) : null;
    setError(undefined);
    setTold('');
    try {
      await limitToken(id, limit);
      setTold('Saved.');
      onChanged();
    } catch (caught) {
      setError(caught as Refusal);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Group gap="xs" mt={4} align="flex-end">
        <TextInput
          name="limit"
          type="number"
          min={1}
          size="xs"
          w={150}
          label="Requests an hour"
          aria-label={`Requests an hour of ${name}`}
          placeholder="the default"
          defaultValue={rateLimit ?? ''}
          error={error && (sentence(error.details['rateLimit']) ?? error.message)}
        />
        <Button type="submit" size="xs" variant="default" aria-label={`Save the limit of ${name}`}>
          Save
        </Button>
        <Text size="sm" role="status">
          {told}
        </Text>
      </Group>
    </form>
  );
}
