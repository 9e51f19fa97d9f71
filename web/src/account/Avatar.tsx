import { Button, Group, Avatar as Picture, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getAvatar, removeAvatar, setAvatar } from '../api/files.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { ImageButton } from '../components/ImageButton.tsx';
import { fieldErrorsOf } from '../components/problems.ts';
import { t } from '../texts/account.ts';

/** Shows a person their picture, and lets them change it. */
export function Avatar({ id, name }: { readonly id: string; readonly name: string }) {
  const queryClient = useQueryClient();
  const queryKey = ['avatar', id];
  const { data: url } = useQuery({ queryKey, queryFn: () => getAvatar(id) });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (image: File | undefined): Promise<unknown> => (image ? setAvatar(image) : removeAvatar()),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
  const problem = error && (fieldErrorsOf(error)['file'] ?? error.message);
  return (
    <>
      <Group>
        <Picture src={url ?? null} name={name} alt={url ? t('yourPicture') : ''} size="lg" />
        <ImageButton
          label={url ? t('changePicture') : t('addPicture')}
          isPending={isPending}
          onPick={(image) => mutate(image)}
        />
        {url && (
          <Button variant="default" disabled={isPending} onClick={() => mutate(undefined)}>
            {t('removePicture')}
          </Button>
        )}
        <Text size="sm">{t('upTo10MBEverybodyIn')}</Text>
      </Group>
      {problem && <ErrorAlert title={t('couldntChangeYourPicture')}>{sentence(problem)}</ErrorAlert>}
    </>
  );
}

/** An error of a field as a sentence. */
const sentence = (problem: string): string =>
  problem.startsWith('must ') ? t('thePictureProblem', { problem }) : problem;
