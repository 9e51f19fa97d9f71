import { Button, FileButton, Group, Input } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { uploadFile } from '../../api/files.ts';
import { t } from '../../texts/console.ts';

interface Props {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly error: string | undefined;
}

/** Chooses a file, which is stored at once. */
export function FileControl({ value, onChange, error }: Props) {
  const [name, setName] = useState<string>();
  const upload = useMutation({ mutationFn: uploadFile, onSuccess: onChange });
  const pick = (file: File | null) => {
    if (!file) return;
    setName(file.name);
    upload.mutate(file);
  };
  return (
    <Input.Wrapper label={t('file')} error={upload.error?.message ?? error} labelElement="div">
      <Group gap="xs">
        <FileButton onChange={pick}>
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={upload.isPending}>
              {value ? t('chooseAnotherFile') : t('chooseFile')}
            </Button>
          )}
        </FileButton>
        {value && <span>{name ?? t('aFileIsStored')}</span>}
        {value && (
          <Button variant="default" size="xs" onClick={() => onChange(null)}>
            {t('remove')}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
