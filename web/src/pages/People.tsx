import {
  Badge,
  Button,
  Card,
  Code,
  CopyButton,
  Group,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import {
  deactivateUser,
  type Invitation,
  inviteUser,
  listInvitations,
  listMembers,
  type Member,
  reactivateUser,
  resetTwoFactor,
  revokeInvitation,
  setUserRole,
  type UserRole,
} from '../api/people.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { resetUnchanged, textOf } from '../form.ts';
import { formatCount, formatDay, formatFieldError } from '../format.ts';

const roles = [
  { value: 'MEMBER', label: 'Member' },
  { value: 'EXECUTIVE', label: 'Executive' },
  { value: 'ADMIN', label: 'Admin' },
] as const satisfies readonly { readonly value: UserRole; readonly label: string }[];

export default function People() {
  return (
    <AdminPage title="People">
      {() => (
        <>
          <Invitations />
          <Members />
        </>
      )}
    </AdminPage>
  );
}

/** Invites people, and lists the pending invitations. */
function Invitations() {
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
            <TextInput
              label="Full name"
              name="fullName"
              required
              withAsterisk={false}
              maxLength={200}
              error={formatFieldError('Full name', fieldErrors['fullName'])}
            />
            <TextInput
              label="Email"
              name="email"
              type="email"
              required
              withAsterisk={false}
              error={formatFieldError('Email', fieldErrors['email'])}
            />
            <NativeSelect label="Role" name="role" data={roles} />
            {message && <ErrorAlert title="Couldn't create the invitation">{message}</ErrorAlert>}
            <SubmitButton isPending={isPending}>Create invitation</SubmitButton>
          </Stack>
        </form>
        <div role="status">
          {link && (
            <Stack gap="xs">
              <Text>
                {link.isEmailed
                  ? `This link is emailed to ${link.email}, and you can send it yourself.`
                  : `Send this link to ${link.email}.`}{' '}
                It works once, for seven days, and isn't shown again.
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

function PendingInvitation({ invitation, onRevoke }: { invitation: Invitation; onRevoke: () => Promise<void> }) {
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
            {email} · {labelOf(role)} · Expires {formatDay(expiresAt)}
          </Text>
        </div>
        <Button
          variant="default"
          size="xs"
          disabled={isPending}
          aria-label={`Revoke the invitation of ${email}`}
          onClick={() => mutate()}
        >
          Revoke
        </Button>
      </Group>
      {error && <ErrorAlert title="Couldn't revoke the invitation">{error.message}</ErrorAlert>}
    </>
  );
}

/** Lists the users of the company, with what can be done to them. */
function Members() {
  const [search, setSearch] = useState('');
  const [after, setAfter] = useState<string>();
  const { data, error, refetch } = useQuery(useCallback(() => listMembers(search, after), [search, after]));
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
                <MemberRow member={member} onChange={onChange} />
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

function MemberRow({ member, onChange }: { member: Member; onChange: (message: string) => Promise<void> }) {
  const { id, fullName, email, role, deactivatedAt, hasTwoFactor } = member;
  const { mutate, isPending, error } = useMutation(async (action: () => Promise<unknown>, message: string) => {
    await action();
    await onChange(message);
  });
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
            data={roles}
            value={role}
            disabled={isPending}
            onChange={({ currentTarget }) => {
              // The options are roles.
              const next = currentTarget.value as UserRole;
              mutate(() => setUserRole(id, next), `${fullName} is now ${labelOf(next).toLowerCase()}.`);
            }}
          />
          {hasTwoFactor && (
            <Button
              variant="default"
              size="xs"
              disabled={isPending}
              aria-label={`Reset two-factor authentication of ${fullName}`}
              onClick={() => mutate(() => resetTwoFactor(id), `${fullName} can sign in with their password alone.`)}
            >
              Reset two-factor
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            disabled={isPending}
            aria-label={`${deactivatedAt ? 'Reactivate' : 'Deactivate'} ${fullName}`}
            onClick={() =>
              deactivatedAt
                ? mutate(() => reactivateUser(id), `${fullName} was reactivated.`)
                : mutate(() => deactivateUser(id), `${fullName} was deactivated and is signed out.`)
            }
          >
            {deactivatedAt ? 'Reactivate' : 'Deactivate'}
          </Button>
        </Group>
      </Group>
      {error && <ErrorAlert title={`Couldn't change ${fullName}`}>{error.message}</ErrorAlert>}
    </>
  );
}

const labelOf = (role: UserRole): string => roles.find(({ value }) => value === role)?.label ?? role;
