import { Group, TextInput } from '@mantine/core';
import { replayDeliveries } from '../api/webhooks.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { textOf } from '../form.ts';

interface Props {
  readonly webhookId: string;
  /** Receives how many messages are sent again. */
  readonly onReplay: (count: number) => void;
}

/** A form that sends the messages of a time range again. */
export function ReplaySpan({ webhookId, onReplay }: Props) {
  const { mutate, isPending, error } = useMutation(async (data: FormData) => {
    // The fields have the reader's time, without an offset.
    const timeOf = (name: string) => new Date(textOf(data, name)).toISOString();
    onReplay(await replayDeliveries(webhookId, timeOf('from'), timeOf('until')));
  });
  const field = { type: 'datetime-local', size: 'xs', required: true, withAsterisk: false };
  return (
    <form
      aria-label="Resend deliveries"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput {...field} label="From" name="from" />
        <TextInput {...field} label="Until" name="until" />
        <SubmitButton variant="default" size="xs" isPending={isPending}>
          Resend these
        </SubmitButton>
      </Group>
      {error && <ErrorAlert title="Couldn't resend the deliveries">{error.message}</ErrorAlert>}
    </form>
  );
}
