import { Button, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';

const modalProps = { centered: true, closeButtonProps: { 'aria-label': 'Close' } };

interface SecretProps {
  readonly title: string;
  /** The new secret; it stays while the dialog closes. */
  readonly secret: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called when the dialog has closed. */
  readonly onClosed: () => void;
}

/** Shows a new secret, which cannot be read again. */
export function SecretDialog({ title, secret, opened, onClose, onClosed }: SecretProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={title}
      closeOnClickOutside={false}
      {...modalProps}
    >
      <Stack>
        <Text>Copy the secret now. You won't be able to see it again.</Text>
        <TextInput
          label="Secret"
          description="Your receiver verifies messages with it, as Standard Webhooks specify."
          value={secret}
          readOnly
          data-autofocus
          classNames={{ input: 'token' }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton value={secret} timeout={4000}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
        </CopyButton>
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Stack>
    </Modal>
  );
}

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
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={onClosed} title={title} {...modalProps}>
      <Confirmation {...props} onCancel={onClose} />
    </Modal>
  );
}

type ConfirmationProps = Pick<ConfirmProps, 'text' | 'label' | 'color' | 'errorTitle' | 'action'> & {
  readonly onCancel: () => void;
};

function Confirmation({ text, label, color, errorTitle, action, onCancel }: ConfirmationProps) {
  const { mutate, isPending, error } = useMutation(action);
  return (
    <Stack>
      <Text>{text}</Text>
      {error && <ErrorAlert title={errorTitle}>{error.message}</ErrorAlert>}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton type="button" color={color} isPending={isPending} onClick={() => mutate()}>
          {label}
        </SubmitButton>
      </Group>
    </Stack>
  );
}
