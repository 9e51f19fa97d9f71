import { Group, TextInput } from '@mantine/core';
import { replayDeliveries } from '../api/webhooks.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFields, useLabel } from '../components/useMeta.ts';
import { useMutation } from '../components/useMutation.ts';
import { textOf } from '../form.ts';

interface Props {
  readonly webhookId: string;
  /** Receives how many messages are sent again. */
  readonly onReplay: (count: number) => void;
}

/** A form that sends the messages of a time range again. */
export function ReplaySpan({ webhookId, onReplay }: Props) {
  const sendAgain = useLabel('replayWebhookDeliveries');
  const { mutate, isPending, fieldErrors, message } = useMutation(async (data: FormData) => {
    // The fields have the reader's time, without an offset.
    const timeOf = (name: string) => new Date(textOf(data, name)).toISOString();
    onReplay(await replayDeliveries(webhookId, timeOf('from'), timeOf('until')));
  });
  const { text } = useFields('replayWebhookDeliveries', fieldErrors);
  const field = (name: string) => ({ ...text(name), type: 'datetime-local', size: 'xs' });
  return (
    <form
      aria-label="Deliveries of a time range"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput {...field('from')} />
        <TextInput {...field('until')} />
        <SubmitButton variant="default" size="xs" isPending={isPending}>
          {sendAgain}
        </SubmitButton>
      </Group>
      {message && <ErrorAlert title="Couldn't send them again">{message}</ErrorAlert>}
    </form>
  );
}
