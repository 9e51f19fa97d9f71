import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from './ErrorAlert.tsx';
import { SubmitButton } from './SubmitButton.tsx';
import { useMutation } from './useMutation.ts';

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  /** The label of the button that confirms. */
  readonly label: string;
  readonly color?: string;
  readonly errorTitle: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed?: () => void;
  /** Acts, and closes the dialog. */
  readonly action: () => Promise<void>;
}

/** Asks for confirmation, and acts. */
export function ConfirmDialog({ title, opened, onClose, onClosed, ...props }: ConfirmProps) {
  // An action that has begun cannot be canceled, and its end must not close the dialog that comes next.
  const [isPending, setIsPending] = useState(false);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={title}
      centered
      closeOnEscape={!isPending}
      closeOnClickOutside={!isPending}
      closeButtonProps={{ 'aria-label': 'Close', disabled: isPending }}
    >
      <Confirmation key={title} {...props} onPending={setIsPending} onCancel={onClose} />
    </Modal>
  );
}

type ConfirmationProps = Pick<ConfirmProps, 'text' | 'label' | 'color' | 'errorTitle' | 'action'> & {
  readonly onPending: (isPending: boolean) => void;
  readonly onCancel: () => void;
};

function Confirmation({ text, label, color, errorTitle, action, onPending, onCancel }: ConfirmationProps) {
  const { mutate, isPending, error } = useMutation(async () => {
    onPending(true);
    await action().finally(() => onPending(false));
  });
  return (
    <Stack>
      <Text>{text}</Text>
      {error && <ErrorAlert title={errorTitle}>{error.message}</ErrorAlert>}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus disabled={isPending} onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton type="button" color={color} isPending={isPending} onClick={() => mutate()}>
          {label}
        </SubmitButton>
      </Group>
    </Stack>
  );
}
