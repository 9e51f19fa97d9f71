import { Badge, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { deactivateUser, eraseUser, type Member, reactivateUser, setUserRole, type UserRole } from '../api/people.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { useMeta } from '../components/useMeta.ts';
import { formatDay } from '../format.ts';
import { t } from '../texts/people.ts';
import { inSentence } from '../texts/texts.ts';
import { rolesOf } from './roles.ts';
import { SignInButtons } from './SignInButtons.tsx';

/** An action, and what it has changed. */
type Change = readonly [action: () => Promise<unknown>, message: string];

interface Props {
  readonly member: Member;
  /** Whether this is the signed-in person. */
  readonly isSelf: boolean;
  readonly handsOverLinks: boolean;
  readonly onChange: (message: string) => Promise<void>;
}

/** A user of the company, with what can be done to them. */
export function MemberRow({ member, isSelf, handsOverLinks, onChange }: Props) {
  const { id, fullName, email, role, deactivatedAt, hasTwoFactor } = member;
  const meta = useMeta();
  const [next, setNext] = useState<UserRole>(role);
  const [dialog, setDialog] = useState<'role' | 'deactivate' | 'erase'>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ([action]: Change) => action(),
    onSuccess: (_changed, [, message]) => onChange(message),
  });
  const label = inSentence(meta.label('UserRole', next));
  const activity = meta.action(deactivatedAt ? 'reactivateUser' : 'deactivateUser');
  const erasure = meta.action('eraseUser');
  const changes: Readonly<Record<'role' | 'deactivate', Change>> = {
    role: [() => setUserRole(id, next), t('fullNameIsNowLabel', { fullName, label })],
    deactivate: [() => deactivateUser(id), t('fullNameWasDeactivatedAndIsSigned', { fullName })],
  };
  /** Asks those who would lose their own access; others can be given back theirs. */
  const change = (name: keyof typeof changes) => (isSelf ? setDialog(name) : mutate(changes[name]));
  const dialogProps = (name: NonNullable<typeof dialog>) => ({
    opened: dialog === name,
    onClose: () => setDialog(undefined),
    errorTitle: t('couldntChangeFullName', { fullName }),
    color: 'red',
  });
  const done = async (...[action, message]: Change) => {
    await action();
    setDialog(undefined);
    await onChange(message);
  };
  return (
    <>
      <Group justify="space-between" gap="xs">
        <div>
          <Group gap="xs">
            <Text fw={600}>{fullName}</Text>
            {deactivatedAt && (
              <Badge variant="outline" color="red">
                {t('deactivated')}
              </Badge>
            )}
            {hasTwoFactor && <Badge variant="outline">{t('twoFactor')}</Badge>}
          </Group>
          <Text size="sm">
            {email}
            {deactivatedAt && t('sinceDay', { day: formatDay(deactivatedAt) })}
          </Text>
        </div>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label={t('roleOfFullName', { fullName })}
            data={rolesOf(meta)}
            value={next}
            disabled={isPending}
            // The options are roles.
            onChange={({ currentTarget }) => setNext(currentTarget.value as UserRole)}
          />
          {next !== role && meta.action('setUserRole').isAllowed && (
            <Button
              size="xs"
              disabled={isPending}
              aria-label={t('makeFullNameLabel', { fullName, label })}
              onClick={() => change('role')}
            >
              {meta.action('setUserRole').label}
            </Button>
          )}
          <SignInButtons
            member={member}
            handsOverLinks={handsOverLinks}
            isPending={isPending}
            change={(...made) => mutate(made)}
          />
          {activity.isAllowed && (
            <Button
              variant="default"
              size="xs"
              disabled={isPending}
              aria-label={`${activity.label}: ${fullName}`}
              onClick={() =>
                deactivatedAt
                  ? mutate([() => reactivateUser(id), t('fullNameWasReactivated', { fullName })])
                  : change('deactivate')
              }
            >
              {activity.label}
            </Button>
          )}
          {deactivatedAt && erasure.isAllowed && (
            <Button
              variant="default"
              size="xs"
              disabled={isPending}
              aria-label={`${erasure.label}: ${fullName}`}
              onClick={() => setDialog('erase')}
            >
              {erasure.label}
            </Button>
          )}
        </Group>
      </Group>
      {error && <ErrorAlert title={t('couldntChangeFullName', { fullName })}>{error.message}</ErrorAlert>}
      <ConfirmDialog
        {...dialogProps('role')}
        title={t('makeYourselfLabel', { label })}
        text={t('youCanNoLongerOpenThis')}
        label={t('changeMyRole')}
        action={() => done(...changes.role)}
      />
      <ConfirmDialog
        {...dialogProps('deactivate')}
        title={t('deactivateYourself')}
        text={t('youAreSignedOutAndYour')}
        label={t('deactivateMyself')}
        action={() => done(...changes.deactivate)}
      />
      <ConfirmDialog
        {...dialogProps('erase')}
        title={t('eraseFullName', { fullName })}
        text={t('theNameAndEmailAddressOf', { fullName })}
        entry={t('toConfirmEnterTheirEmailEmail', { email })}
        label={erasure.label}
        errorTitle={t('couldntEraseFullName', { fullName })}
        action={(entered) => done(() => eraseUser(id, entered.trim()), t('fullNameWasErased', { fullName }))}
      />
    </>
  );
}
