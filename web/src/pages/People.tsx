import { Button, Card, Code, CopyButton, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import { emailsPasswordLinks } from '../api/auth.ts';
import {
  type Invitation,
  inviteUser,
  listInvitations,
  listMembers,
  revokeInvitation,
  type UserRole,
} from '../api/people.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useFields, useMeta } from '../components/useMeta.ts';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { resetUnchanged, textOf } from '../form.ts';
import { formatCount, formatDay } from '../format.ts';
import { MemberRow } from '../people/MemberRow.tsx';
import { rolesOf } from '../people/roles.ts';

export default function People() {
  return (
    <AdminPage title="People">
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
  const { data: invitations, error: loadError, refetch } = useQuery(listInvitations);
  const form = useRef<HTMLFormElement>(null);
  const [link, setLink] = useState<{ email: string; address: string; isEmailed: boolean }>();
  const [status, setStatus] = useState('');
  const { mutate, isPending, error, fieldErrors, message } = useMutation(async (data: FormData) => {
    setLink(undefined);
    setStatus('');
    const [email, fullName] = [textOf(data, 'email'), textOf(data, 'fullName')];
    // The form offers roles only.
    const created = await inviteUser({ email, fullName, role: data.get('role') as UserRole });
    if (form.current) resetUnchanged(form.current, data);
    setLink({ email, ...created });
    void refetch();
  });
  useFocusFirstError(form, error);
  const { labelled, text } = useFields('inviteUser', fieldErrors);

  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="invite">
      <Stack>
        <Title order={2} size="h3" id="invite">
          Invite someone
        </Title>
        <form
          ref={form}
          aria-labelledby="invite"
          onSubmit={(event) => {
            event.preventDefault();
            mutate(new FormData(event.currentTarget));
          }}
        >
          <Stack maw={420}>
            <TextInput {...text('fullName')} />
            <TextInput {...text('email')} type="email" />
            <NativeSelect {...labelled('role')} data={rolesOf(meta)} />
            {message && <ErrorAlert title="Couldn't create the invitation">{message}</ErrorAlert>}
            <SubmitButton isPending={isPending}>{meta.action('inviteUser').label}</SubmitButton>
          </Stack>
        </form>
        <div role="status">
          {link && (
            <Stack gap="xs">
              <Text>
                {link.isEmailed
                  ? `An invitation is emailed to ${link.email}. If it doesn't arrive, send this link, which proves nobody's address.`
                  : `Send this link to ${link.email}.`}{' '}
                The invitation can be accepted once, within seven days, and the link isn't shown again.
              </Text>
              <Code block tabIndex={0} aria-label="Invitation link">
                {link.address}
              </Code>
              <CopyButton value={link.address} timeout={4000}>
                {({ copied, copy }) => (
                  <Button variant="default" onClick={copy}>
                    {copied ? 'Copied' : 'Copy link'}
                  </Button>
                )}
              </CopyButton>
            </Stack>
          )}
          {status && <Text>{status}</Text>}
        </div>
        {loadError && <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>}
        {invitations && invitations.length > 0 && (
          <>
            <Title order={3} size="h4" id="pending">
              Pending invitations
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
                      setStatus(`The invitation of ${invitation.email} was revoked.`);
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
  const { mutate, isPending, error } = useMutation(async () => {
    await revokeInvitation(id);
    await onRevoke();
  });
  return (
    <>
      <Group justify="space-between" gap="xs">
        <div>
          <Text fw={600}>{fullName}</Text>
          <Text size="sm">
            {email} · {label('UserRole', role)} · Expires {formatDay(expiresAt)}
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
      {error && <ErrorAlert title="Couldn't revoke the invitation">{error.message}</ErrorAlert>}
    </>
  );
}

/** Lists the users of the company, with what can be done to them. @param personId the signed-in person */
function Members({ personId }: { personId: string }) {
  const [search, setSearch] = useState('');
  const [after, setAfter] = useState<string>();
  const { data, error, refetch } = useQuery(useCallback(() => listMembers(search, after), [search, after]));
  const { data: isEmailed } = useQuery(emailsPasswordLinks);
  const [status, setStatus] = useState('');
  // The users on the page can be those of an earlier search, whose pages have other ends.
  const hasNextPage = data?.search === search && data.pageInfo.hasNextPage;
  const onChange = async (message: string) => {
    await refetch();
    setStatus(message);
  };
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="members">
      <Stack>
        <Title order={2} size="h3" id="members">
          Users
        </Title>
        <TextInput
          label="Search by name or email"
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
          {status || (data && formatCount(data.totalCount, 'user'))}
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
                First page
              </Button>
            )}
            {hasNextPage && (
              <Button variant="default" onClick={() => setAfter(data.pageInfo.endCursor ?? undefined)}>
                Next page
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Card>
  );
}
