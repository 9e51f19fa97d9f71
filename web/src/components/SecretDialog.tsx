import { Button, CopyButton, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts/components.ts';

interface SecretProps {
  readonly title: string;
  readonly text: string;
  /** The name of the secret, such as Token. */
  readonly label: string;
  readonly description?: string;
  /** The new secret; it stays while the dialog closes. */
  readonly secret: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called when the dialog has closed. */
  readonly onClosed: () => void;
  /** What is shown below the secret. */
  readonly children?: ReactNode;
}

/** Shows a new secret, which cannot be read again. */
export function SecretDialog(props: SecretProps) {
  const { title, text, label, description, secret, opened, onClose, onClosed, children } = props;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={title}
      closeOnClickOutside={false}
      centered
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text>{text}</Text>
        <TextInput
          label={label}
          description={description}
          value={secret}
          readOnly
          data-autofocus
          classNames={{ input: 'token' }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton value={secret} timeout={4000}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? t('copied') : t('copy')}</Button>}
        </CopyButton>
        {children}
        <Button variant="default" onClick={onClose}>
          {t('done')}
        </Button>
      </Stack>
    </Modal>
  );
}
