import { Button, Code, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ApiToken, revokeToken } from '../api/tokens.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useMutation } from '../components/useMutation.ts';
import { examplePath } from './example.ts';

const modalProps = { centered: true, closeButtonProps: { 'aria-label': 'Close' } };

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
      {...modalProps}
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

interface RevokeProps {
  /** The token to revoke; it stays while the dialog closes. */
  readonly token?: ApiToken;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
  readonly onRevoke: (token: ApiToken) => void;
}

/** Asks for confirmation, and revokes a token. */
export function RevokeDialog({ token, opened, onClose, onClosed, onRevoke }: RevokeProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={`Revoke ${token?.name}?`}
      {...modalProps}
    >
      {token && <Confirmation token={token} onCancel={onClose} onRevoke={onRevoke} />}
    </Modal>
  );
}

interface ConfirmationProps {
  readonly token: ApiToken;
  readonly onCancel: () => void;
  readonly onRevoke: (token: ApiToken) => void;
}

function Confirmation({ token, onCancel, onRevoke }: ConfirmationProps) {
  const { mutate, isPending, error } = useMutation(async () => {
    await revokeToken(token.id);
    onRevoke(token);
  });
  return (
    <Stack>
      <Text>Apps using this token will lose access immediately. This can't be undone.</Text>
      {error && <ErrorAlert title="Couldn't revoke the token">{error.message}</ErrorAlert>}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton type="button" color="red" isPending={isPending} onClick={() => mutate()}>
          Revoke token
        </SubmitButton>
      </Group>
    </Stack>
  );
}
