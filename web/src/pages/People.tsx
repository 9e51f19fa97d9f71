import { Button, Card, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Invitation, inviteUser, listInvitations, listMembers, revokeInvitation } from '../api/people.ts';
import { passwordLinksQuery } from '../app/session.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useFields, useMeta } from '../components/useMeta.ts';
import { formatDay } from '../format.ts';
import { InvitationLink, type NewInvitation } from '../people/InvitationLink.tsx';
import { MemberRow } from '../people/MemberRow.tsx';
import { rolesOf } from '../people/roles.ts';
import { t } from '../texts/people.ts';

export default function People() {
  return (
    <AdminPage title={t('people')}>
      {({ person }) => (
        <>
          <Invitations />
          <Members personId={person.id} />
        </>
      )}
    </AdminPage>
  );
}

/** Invites people, and lists the pending invitations. */
function Invitations() {
  const meta = useMeta();
  const queryClient = useQueryClient();
  const { data: invitations, error: loadError } = useQuery({ queryKey: ['invitations'], queryFn: listInvitations });
  const refetch = () => queryClient.invalidateQueries({ queryKey: ['invitations'] });
  const element = useRef<HTMLFormElement>(null);
  const roles = rolesOf(meta);
  const form = useForm({ initialValues: { fullName: '', email: '', role: roles[0]?.value ?? 'MEMBER' } });
  const [link, setLink] = useState<NewInvitation>();
  const [status, setStatus] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (values: typeof form.values) => inviteUser(values),
    onMutate: () => {
      setLink(undefined);
      setStatus('');
    },
    onSuccess: (created, values) => {
      // Unless somebody has already typed something else into it.
      if (JSON.stringify(form.getValues()) === JSON.stringify(values)) form.reset();
      setLink({ email: values.email, ...created });
      void refetch();
    },
  });
  const message = messageOf(error);
  useFocusFirstError(element, error);
  const { labelled, text } = useFields('inviteUser', fieldErrorsOf(error));

  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="invite">
      <Stack>
        <Title order={2} size="h3" id="invite">
          {t('inviteSomeone')}
        </Title>
        <form ref={element} aria-labelledby="invite" onSubmit={form.onSubmit((values) => mutate(values))}>
          <Stack maw={420}>
            <TextInput {...form.getInputProps('fullName')} {...text('fullName')} />
            <TextInput {...form.getInputProps('email')} {...text('email')} type="email" />
            <NativeSelect {...form.getInputProps('role')} {...labelled('role')} data={roles} />
            {message && <ErrorAlert title={t('couldntCreateTheInvitation')}>{message}</ErrorAlert>}
            <SubmitButton isPending={isPending}>{meta.action('inviteUser').label}</SubmitButton>
          </Stack>
        </form>
        <div role="status">
          {link && <InvitationLink {...link} />}
          {status && <Text>{status}</Text>}
        </div>
        {loadError && <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>}
        {invitations && invitations.length > 0 && (
          <>
            <Title order={3} size="h4" id="pending">
              {t('pendingInvitations')}
            </Title>
            <Stack component="ul" className="list" gap={0} aria-labelledby="pending">
              {invitations.map((invitation) => (
                <li key={invitation.id}>
                  <PendingInvitation
                    invitation={invitation}
                    onRevoke={async () => {
                      // The link of another invitation stays, as it isn't shown again.
                      setLink((shown) => (shown?.email === invitation.email ? undefined : shown));
                      await refetch();
                      setStatus(t('theInvitationOfEmailWasRevoked', { email: invitation.email }));
                    }}
                  />
                </li>
              ))}
            </Stack>
          </>
        )}
      </Stack>
    </Card>
  );
}

interface PendingProps {
  readonly invitation: Invitation;
  readonly onRevoke: () => Promise<void>;
}

function PendingInvitation({ invitation, onRevoke }: PendingProps) {
  const { action, label } = useMeta();
  const revoke = action('revokeInvitation').label;
  const { id, fullName, email, role, expiresAt } = invitation;
  const { mutate, isPending, error } = useMutation({ mutationFn: () => revokeInvitation(id), onSuccess: onRevoke });
  return (
    <>
      <Group justify="space-between" gap="xs">
        <div>
          <Text fw={600}>{fullName}</Text>
          <Text size="sm">
            {t('emailLabelExpiresExpiresAt', {
              email,
              label: label('UserRole', role),
              expiresAt: formatDay(expiresAt),
            })}
          </Text>
        </div>
        <Button
          variant="default"
          size="xs"
          disabled={isPending}
          aria-label={`${revoke}: ${email}`}
          onClick={() => mutate()}
        >
          {revoke}
        </Button>
      </Group>
      {error && <ErrorAlert title={t('couldntRevokeTheInvitation')}>{error.message}</ErrorAlert>}
    </>
  );
}

/** Lists the users of the company, with what can be done to them. @param personId the signed-in person */
function Members({ personId }: { personId: string }) {
  const [search, setSearch] = useState('');
  const [after, setAfter] = useState<string>();
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['members', search, after],
    queryFn: () => listMembers(search, after),
    placeholderData: keepPreviousData,
  });
  const { data: isEmailed } = useQuery(passwordLinksQuery);
  const [status, setStatus] = useState('');
  // The users on the page can be those of an earlier search, whose pages have other ends.
  const hasNextPage = data?.search === search && data.pageInfo.hasNextPage;
  const onChange = async (message: string) => {
    await queryClient.invalidateQueries({ queryKey: ['members'] });
    setStatus(message);
  };
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="members">
      <Stack>
        <Title order={2} size="h3" id="members">
          {t('users')}
        </Title>
        <TextInput
          label={t('searchByNameOrEmail')}
          type="search"
          maw={420}
          value={search}
          onChange={({ currentTarget }) => {
            setSearch(currentTarget.value);
            setAfter(undefined);
          }}
        />
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!data && !error && <LoadingSkeleton />}
        <Text role="status" size="sm">
          {status || (data && t('countOfUsers', { count: data.totalCount }))}
        </Text>
        {data && data.nodes.length > 0 && (
          <Stack component="ul" className="list" gap={0} aria-labelledby="members">
            {data.nodes.map((member) => (
              <li key={member.id}>
                <MemberRow
                  key={member.role}
                  member={member}
                  isSelf={member.id === personId}
                  handsOverLinks={isEmailed === false}
                  onChange={onChange}
                />
              </li>
            ))}
          </Stack>
        )}
        {(after !== undefined || hasNextPage) && (
          <Group>
            {after !== undefined && (
              <Button variant="default" onClick={() => setAfter(undefined)}>
                {t('firstPage')}
              </Button>
            )}
            {hasNextPage && (
              <Button variant="default" onClick={() => setAfter(data.pageInfo.endCursor ?? undefined)}>
                {t('nextPage')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Card>
  );
}
