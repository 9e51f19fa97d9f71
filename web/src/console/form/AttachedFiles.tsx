import { Button, FileButton, Group, Input, Pill } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { uploadFile } from '../../api/files.ts';
import { t } from '../../texts/console.ts';

interface Props {
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly error: string | undefined;
}

/** Adds files to a row, which are stored at once, and removes them from it. */
export function AttachedFiles({ ids, onChange, error }: Props) {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const added: [string, string][] = [];
      for (const file of files) added.push([await uploadFile(file), file.name]);
      return added;
    },
    onSuccess: (added) => {
      setNames((known) => new Map([...known, ...added]));
      onChange([...ids, ...added.map(([id]) => id)]);
    },
  });
  return (
    <Input.Wrapper label={t('files')} error={upload.error?.message ?? error} labelElement="div">
      <Group gap={6}>
        {ids.map((id, index) => (
          <Pill
            key={id}
            withRemoveButton
            onRemove={() => onChange(ids.filter((other) => other !== id))}
            removeButtonProps={{ 'aria-label': t('removeFile'), 'aria-hidden': false, tabIndex: 0 }}
          >
            {names.get(id) ?? t('fileIndex', { index: index + 1 })}
          </Pill>
        ))}
        <FileButton multiple onChange={(files) => upload.mutate(files)}>
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={upload.isPending}>
              {t('addFiles')}
            </Button>
          )}
        </FileButton>
      </Group>
    </Input.Wrapper>
  );
}
