import { Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiToken, setTokenRateLimit } from '../api/tokens.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFields, useLabel } from '../components/useMeta.ts';
import { t } from '../texts/account.ts';

interface Props {
  readonly token: ApiToken;
  readonly onChange: () => void;
}

/** A form that sets how many requests per hour a token may send. */
export function RateLimit({ token: { id, name, rateLimit }, onChange }: Props) {
  const [status, setStatus] = useState('');
  const save = useLabel('setApiTokenRateLimit');
  const form = useForm({ mode: 'uncontrolled', initialValues: { rateLimit: rateLimit?.toString() ?? '' } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (limit: string) => setTokenRateLimit(id, limit ? Number(limit) : null),
    onMutate: () => setStatus(''),
    onSuccess: () => {
      setStatus(t('saved'));
      onChange();
    },
  });
  const message = messageOf(error);
  const { labelled } = useFields('setApiTokenRateLimit', fieldErrorsOf(error));

  return (
    <form onSubmit={form.onSubmit(({ rateLimit }) => mutate(rateLimit))}>
      <Group gap="xs" mt={4} align="flex-end">
        <TextInput
          key={form.key('rateLimit')}
          {...form.getInputProps('rateLimit')}
          {...labelled('rateLimit')}
          type="number"
          min={1}
          size="xs"
          w={150}
          aria-label={t('labelForName', { label: labelled('rateLimit').label, name })}
          placeholder={t('default')}
        />
        <SubmitButton isPending={isPending} size="xs" variant="default" aria-label={`${save}: ${name}`}>
          {save}
        </SubmitButton>
        <Text size="sm" role="status">
          {status}
        </Text>
      </Group>
      {message && <ErrorAlert title={t('couldntSetTheLimit')}>{message}</ErrorAlert>}
    </form>
  );
}
