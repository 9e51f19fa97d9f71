import { Button, Code, CopyButton, Stack, Text } from '@mantine/core';
import { t } from '../texts/people.ts';

/** An invitation that was just made. */
export interface NewInvitation {
  readonly email: string;
  readonly address: string;
  readonly isEmailed: boolean;
}

/** Shows the link of a new invitation, which cannot be read again. */
export function InvitationLink({ email, address, isEmailed }: NewInvitation) {
  return (
    <Stack gap="xs">
      <Text>{t(isEmailed ? 'invitationIsEmailed' : 'sendThisLink', { email })}</Text>
      <Code block tabIndex={0} aria-label={t('invitationLink')}>
        {address}
      </Code>
      <CopyButton value={address} timeout={4000}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy}>
            {copied ? t('copied') : t('copyLink')}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
