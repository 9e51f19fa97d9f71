import { Button, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { inviteUser, type UserRole } from '../../api/people.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { fieldErrorsOf } from '../../components/problems.ts';
import { useFields, useMeta } from '../../components/useMeta.ts';
import { Section } from '../../console/Place.tsx';
import { forgetRows } from '../../console/writes.ts';
import { InvitationLink, type NewInvitation } from '../../people/InvitationLink.tsx';
import { rolesOf } from '../../people/roles.ts';
import { t } from '../../texts/places-set-up.ts';
import { type Invited, readPeople } from './invitations.ts';

/** What became of the invitations of some people. */
interface Outcome {
  readonly invited: readonly NewInvitation[];
  readonly refused: readonly (Invited & { readonly reason: string })[];
}

const lineOf = ({ fullName, email }: Invited) => `${fullName} <${email}>`;

const reasonOf = (error: unknown): string =>
  error instanceof Error ? Object.values(fieldErrorsOf(error)).join(' ') || error.message : String(error);

/** Invites people one after the other: one that is refused keeps no other from being invited. */
async function inviteAll(people: readonly Invited[], role: UserRole): Promise<Outcome> {
  const invited: NewInvitation[] = [];
  const refused: Outcome['refused'][number][] = [];
  for (const person of people) {
    try {
      invited.push({ email: person.email, ...(await inviteUser({ ...person, role })) });
    } catch (error) {
      refused.push({ ...person, reason: reasonOf(error) });
    }
  }
  return { invited, refused };
}

/** Invites several people with one role. */
export function InvitePeople() {
  const meta = useMeta();
  const roles = rolesOf(meta);
  const { labelled } = useFields('inviteUser', {});
  const [text, setText] = useState('');
  const [role, setRole] = useState<UserRole>(roles[0]?.value ?? 'MEMBER');
  const { people, unread } = readPeople(text);
  const { mutate, isPending, data } = useMutation({
    mutationFn: () => inviteAll(people, role),
    onSuccess: async ({ refused }) => {
      // Who was refused stays, to be corrected.
      setText([...refused.map(lineOf), ...unread].join('\n'));
      await forgetRows();
    },
  });
  return (
    <Section title={t('invitePeople')}>
      <form
        aria-label={t('invitePeople')}
        onSubmit={(event) => {
          event.preventDefault();
          if (people.length > 0) mutate();
        }}
      >
        <Stack gap="xs" maw={480}>
          <Textarea
            label={t('emailAddresses')}
            description={t('oneALineWithOrWithout')}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            error={
              unread.length > 0 && text.endsWith('\n')
                ? t('noEmailAddressUnread', { unread: unread.join(', ') })
                : undefined
            }
          />
          <NativeSelect
            {...labelled('role')}
            value={role}
            // The options are roles.
            onChange={({ currentTarget }) => setRole(currentTarget.value as UserRole)}
            data={roles}
          />
          <div>
            <Button type="submit" loading={isPending} disabled={people.length === 0}>
              {t('inviteCount', { count: people.length })}
            </Button>
          </div>
        </Stack>
      </form>
      {data && data.refused.length > 0 && (
        <ErrorAlert title={t('countCouldNotBeInvited', { count: data.refused.length })}>
          {data.refused.map(({ email, reason }) => `${email}: ${reason}`).join(' ')}
        </ErrorAlert>
      )}
      <div role="status">
        {data && data.invited.length > 0 && (
          <Stack gap="xs" mt="sm">
            <Text fw={600}>{t('invitationsMade', { count: data.invited.length })}</Text>
            {data.invited.map((each) => (
              <InvitationLink key={each.email} {...each} />
            ))}
          </Stack>
        )}
      </div>
    </Section>
  );
}
