import { Badge, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { deactivateUser, eraseUser, type Member, reactivateUser, setUserRole, type UserRole } from '../api/people.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { useMeta } from '../components/useMeta.ts';
import { formatDay } from '../format.ts';
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
  const label = meta.label('UserRole', next).toLowerCase();
  const activity = meta.action(deactivatedAt ? 'reactivateUser' : 'deactivateUser');
  const erasure = meta.action('eraseUser');
  const changes: Readonly<Record<'role' | 'deactivate', Change>> = {
    role: [() => setUserRole(id, next), `${fullName} is now ${label}.`],
    deactivate: [() => deactivateUser(id), `${fullName} was deactivated and is signed out.`],
  };
  /** Asks those who would lose their own access; others can be given back theirs. */
  const change = (name: keyof typeof changes) => (isSelf ? setDialog(name) : mutate(changes[name]));
  const dialogProps = (name: NonNullable<typeof dialog>) => ({
    opened: dialog === name,
    onClose: () => setDialog(undefined),
    errorTitle: `Couldn't change ${fullName}`,
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
                Deactivated
              </Badge>
            )}
            {hasTwoFactor && <Badge variant="outline">Two-factor</Badge>}
          </Group>
          <Text size="sm">
            {email}
            {deactivatedAt && ` · Since ${formatDay(deactivatedAt)}`}
          </Text>
        </div>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label={`Role of ${fullName}`}
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
              aria-label={`Make ${fullName} ${label}`}
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
              aria-label={`${activity.label} ${fullName}`}
              onClick={() =>
                deactivatedAt
                  ? mutate([() => reactivateUser(id), `${fullName} was reactivated.`])
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
              aria-label={`${erasure.label} ${fullName}`}
              onClick={() => setDialog('erase')}
            >
              {erasure.label}
            </Button>
          )}
        </Group>
      </Group>
      {error && <ErrorAlert title={`Couldn't change ${fullName}`}>{error.message}</ErrorAlert>}
      <ConfirmDialog
        {...dialogProps('role')}
        title={`Make yourself ${label}?`}
        text="You can no longer open this page, or give yourself back your role: another admin has to."
        label="Change my role"
        action={() => done(...changes.role)}
      />
      <ConfirmDialog
        {...dialogProps('deactivate')}
        title="Deactivate yourself?"
        text="You are signed out, and your tokens end. Only another admin can reactivate you."
        label="Deactivate myself"
        action={() => done(...changes.deactivate)}
      />
      <ConfirmDialog
        {...dialogProps('erase')}
        title={`Erase ${fullName}?`}
        text={`The name and email address of ${fullName} are replaced in the records, the logs and the notifications of the company and its sandbox, and their account is deleted. What they wrote stays, also where it names them. This can't be undone.`}
        entry={`To confirm, enter their email: ${email}`}
        label={erasure.label}
        errorTitle={`Couldn't erase ${fullName}`}
        action={(entered) => done(() => eraseUser(id, entered.trim()), `${fullName} was erased.`)}
      />
    </>
  );
}
