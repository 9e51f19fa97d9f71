import { Button, Code, CopyButton, Stack, Text } from '@mantine/core';

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
      <Text>
        {isEmailed
          ? `An invitation is emailed to ${email}. If it doesn't arrive, send this link, which proves nobody's address.`
          : `Send this link to ${email}.`}{' '}
        The invitation can be accepted once, within seven days, and the link isn't shown again.
      </Text>
      <Code block tabIndex={0} aria-label="Invitation link">
        {address}
      </Code>
      <CopyButton value={address} timeout={4000}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy link'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
