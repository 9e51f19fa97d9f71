import { FileButton } from '@mantine/core';
import { useRef } from 'react';
import { imageTypes } from '../api/files.ts';
import { SubmitButton } from './SubmitButton.tsx';

interface Props {
  readonly label: string;
  readonly isPending: boolean;
  readonly onPick: (image: File) => void;
}

/** A button that lets people choose an image, or take one. */
export function ImageButton({ label, isPending, onPick }: Props) {
  // Otherwise the same image could not be chosen again after an error.
  const reset = useRef<() => void>(null);
  const pick = (image: File | null) => {
    if (image) onPick(image);
    reset.current?.();
  };
  return (
    <FileButton accept={imageTypes} resetRef={reset} onChange={pick}>
      {(props) => (
        <SubmitButton type="button" variant="default" isPending={isPending} {...props}>
          {label}
        </SubmitButton>
      )}
    </FileButton>
  );
}
