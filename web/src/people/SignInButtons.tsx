import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createPasswordLink, type Member, resetTwoFactor, unlinkOpenId } from '../api/people.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SecretDialog } from '../components/SecretDialog.tsx';
import { useLabel } from '../components/useMeta.ts';
import { t } from '../texts/people.ts';

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
  const reset = useLabel('resetTwoFactor');
  const unlink = useLabel('unlinkOpenId');
  const { id, fullName, hasTwoFactor, hasOpenId, deactivatedAt } = member;
  return (
    <>
      {hasTwoFactor && (
        <Button
          variant="default"
          size="xs"
          disabled={isPending}
          aria-label={`${reset}: ${fullName}`}
          onClick={() => change(() => resetTwoFactor(id), t('fullNameCanSignInWithTheir', { fullName }))}
        >
          {reset}
        </Button>
      )}
      {hasOpenId && (
        <Button
          variant="default"
          size="xs"
          disabled={isPending}
          aria-label={`${unlink}: ${fullName}`}
          onClick={() => change(() => unlinkOpenId(id), t('fullNameCanSignInWithAnother', { fullName }))}
        >
          {unlink}
        </Button>
      )}
      {handsOverLinks && !deactivatedAt && <PasswordLinkButton member={member} isPending={isPending} />}
    </>
  );
}

/** Creates a link for somebody who forgot their password. */
function PasswordLinkButton({ member: { id, fullName }, isPending }: Pick<SignInButtonsProps, 'member' | 'isPending'>) {
  const label = useLabel('createPasswordResetLink');
  const [link, setLink] = useState('');
  const [opened, setOpened] = useState(false);
  const {
    mutate,
    isPending: isCreating,
    error,
  } = useMutation({
    mutationFn: () => createPasswordLink(id),
    onSuccess: (created) => {
      setLink(created);
      setOpened(true);
    },
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        disabled={isPending || isCreating}
        aria-label={`${label}: ${fullName}`}
        onClick={() => mutate()}
      >
        {label}
      </Button>
      {error && <ErrorAlert title={t('couldntCreateALink')}>{error.message}</ErrorAlert>}
      <SecretDialog
        title={t('passwordOfFullName', { fullName })}
        text={t('withThisLinkFullNameSetsA', { fullName })}
        label={t('link')}
        secret={link}
        opened={opened}
        onClose={() => setOpened(false)}
        onClosed={() => setLink('')}
      />
    </>
  );
}
