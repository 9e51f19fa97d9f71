import { Button, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { AddRequestCommentDocument, LogRequestTimeDocument } from '../../api/generated/graphql.ts';
import { execute } from '../../api/graphql.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { AttachedFiles } from '../../console/form/AttachedFiles.tsx';
import { forgetRows } from '../../console/writes.ts';
import { t } from '../../texts/places-requests.ts';

/** Adds a comment with files to a request, or the time that was spent on it. */
export function Composer({ id }: { readonly id: string }) {
  const [isLogging, setIsLogging] = useState(false);
  return isLogging ? (
    <TimeForm id={id} onDone={() => setIsLogging(false)} />
  ) : (
    <CommentForm id={id} onTime={() => setIsLogging(true)} />
  );
}

function CommentForm({ id, onTime }: { readonly id: string; readonly onTime: () => void }) {
  const [comment, setComment] = useState('');
  const [attachmentIds, setAttachmentIds] = useState<readonly string[]>([]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => execute(AddRequestCommentDocument, { id, input: { comment, attachmentIds } }),
    onSuccess: async () => {
      setComment('');
      setAttachmentIds([]);
      await forgetRows();
    },
  });
  return (
    <form
      aria-label={t('comment')}
      onSubmit={(event) => {
        event.preventDefault();
        if (comment.trim() !== '' && !isPending) mutate();
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={t('comment')}
          autosize
          minRows={2}
          maxRows={12}
          value={comment}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
        <AttachedFiles ids={attachmentIds} onChange={setAttachmentIds} error={undefined} />
        {error && <ErrorAlert title={t('couldntAddIt')}>{error.message}</ErrorAlert>}
        <Group gap="xs">
          <Button type="submit" loading={isPending}>
            {t('addComment')}
          </Button>
          <Button variant="default" onClick={onTime}>
            {t('logTime')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function TimeForm({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [hours, setHours] = useState<number | string>('');
  const [description, setDescription] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      execute(LogRequestTimeDocument, {
        id,
        input: { hours: Number(hours), ...(description !== '' && { description }) },
      }),
    onSuccess: async () => {
      await forgetRows();
      onDone();
    },
  });
  return (
    <form
      aria-label={t('time')}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate();
      }}
    >
      <Stack gap="xs">
        <Group align="flex-end" gap="xs">
          <NumberInput label={t('hours')} required min={0} max={24} w={110} value={hours} onChange={setHours} />
          <TextInput
            label={t('work')}
            style={{ flex: 1 }}
            value={description}
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        </Group>
        {error && <ErrorAlert title={t('couldntAddIt')}>{error.message}</ErrorAlert>}
        <Group gap="xs">
          <Button type="submit" loading={isPending}>
            {t('logTime')}
          </Button>
          <Button variant="default" onClick={onDone}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
