import { Button, CopyButton, Modal, Stack, Text, TextInput } from '@mantine/core';

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
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
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
