import { Button } from '@mantine/core';
import { useState } from 'react';
import { createPasswordLink, type Member, resetTwoFactor, unlinkOpenId } from '../api/people.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SecretDialog } from '../components/SecretDialog.tsx';
import { useMutation } from '../components/useMutation.ts';

interface SignInButtonsProps {
  readonly member: Member;
  /** Whether admins hand over links that set a password, as the service emails none. */
  readonly handsOverLinks: boolean;
  readonly isPending: boolean;
  /** Acts, and reports that it is done. */
  readonly change: (action: () => Promise<unknown>, message: string) => void;
}

/** What an admin does with how a user signs in. */
export function SignInButtons({ member, handsOverLinks, isPending, change }: SignInButtonsProps) {
  const { id, fullName, hasTwoFactor, hasOpenId, deactivatedAt } = member;
  return (
    <>
      {hasTwoFactor && (
        <Button
          variant="default"
          size="xs"
          disabled={isPending}
          aria-label={`Reset two-factor authentication of ${fullName}`}
          onClick={() => change(() => resetTwoFactor(id), `${fullName} can sign in with their password alone.`)}
        >
          Reset two-factor
        </Button>
      )}
      {hasOpenId && (
        <Button
          variant="default"
          size="xs"
          disabled={isPending}
          aria-label={`Unlink identity of ${fullName}`}
          onClick={() => change(() => unlinkOpenId(id), `${fullName} can sign in with another identity.`)}
        >
          Unlink identity
        </Button>
      )}
      {handsOverLinks && !deactivatedAt && <PasswordLinkButton member={member} isPending={isPending} />}
    </>
  );
}

/** Creates a link for somebody who forgot their password. */
function PasswordLinkButton({ member: { id, fullName }, isPending }: Pick<SignInButtonsProps, 'member' | 'isPending'>) {
  const [link, setLink] = useState('');
  const [opened, setOpened] = useState(false);
  const {
    mutate,
    isPending: isCreating,
    error,
  } = useMutation(async () => {
    setLink(await createPasswordLink(id));
    setOpened(true);
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        disabled={isPending || isCreating}
        aria-label={`Reset password of ${fullName}`}
        onClick={() => mutate()}
      >
        Reset password
      </Button>
      {error && <ErrorAlert title="Couldn't create a link">{error.message}</ErrorAlert>}
      <SecretDialog
        title={`Password of ${fullName}`}
        text={`With this link ${fullName} sets a new password, once, within an hour. Make sure that it reaches nobody else.`}
        label="Link"
        secret={link}
        opened={opened}
        onClose={() => setOpened(false)}
        onClosed={() => setLink('')}
      />
    </>
  );
}
