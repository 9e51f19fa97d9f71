import { Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { replayDeliveries } from '../api/webhooks.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFields, useLabel } from '../components/useMeta.ts';
import { fromClockTime } from '../reader-time.ts';
import { t } from '../texts/webhooks.ts';

interface Props {
  readonly webhookId: string;
  /** Receives how many messages are sent again. */
  readonly onReplay: (count: number) => void;
}

/** A form that sends the messages of a time range again. */
export function ReplaySpan({ webhookId, onReplay }: Props) {
  const sendAgain = useLabel('replayWebhookDeliveries');
  const form = useForm({ mode: 'uncontrolled', initialValues: { from: '', until: '' } });
  const { mutate, isPending, error } = useMutation({
    // The fields have the reader's time, without an offset.
    mutationFn: ({ from, until }: typeof form.values) =>
      replayDeliveries(webhookId, fromClockTime(from), fromClockTime(until)),
    onSuccess: onReplay,
  });
  const message = messageOf(error);
  const { text } = useFields('replayWebhookDeliveries', fieldErrorsOf(error));
  const field = (name: keyof typeof form.values) => ({
    ...form.getInputProps(name),
    ...text(name),
    type: 'datetime-local',
    size: 'xs',
  });
  return (
    <form aria-label={t('deliveriesOfATimeRange')} onSubmit={form.onSubmit((values) => mutate(values))}>
      <Group gap="xs" align="flex-end">
        <TextInput {...field('from')} />
        <TextInput {...field('until')} />
        <SubmitButton variant="default" size="xs" isPending={isPending}>
          {sendAgain}
        </SubmitButton>
      </Group>
      {message && <ErrorAlert title={t('couldntSendThemAgain')}>{message}</ErrorAlert>}
    </form>
  );
}
