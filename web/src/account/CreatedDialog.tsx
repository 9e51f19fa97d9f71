import { Button, Code, CopyButton, Modal, Stack, Text, TextInput } from '@mantine/core';
import { examplePath } from './example.ts';

interface CreatedProps {
  /** The new token's secret; it stays while the dialog closes. */
  readonly token: string;
  readonly scopes: readonly string[];
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called when the dialog has closed. */
  readonly onClosed: () => void;
}

/** Shows the secret of a new token, which cannot be read again. */
export function CreatedDialog({ token, scopes, opened, onClose, onClosed }: CreatedProps) {
  const command = `curl -H 'Authorization: Bearer ${token}' \\\n  '${location.origin}/api/v1${examplePath(scopes)}'`;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title="Token created"
      closeOnClickOutside={false}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text>Copy your token now. You won't be able to see it again.</Text>
        <TextInput
          label="Token"
          value={token}
          readOnly
          data-autofocus
          classNames={{ input: 'token' }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton value={token} timeout={4000}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
        </CopyButton>
        <Text size="sm">Try it from a terminal:</Text>
        <Code block tabIndex={0} aria-label="Example command">
          {command}
        </Code>
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Stack>
    </Modal>
  );
}
