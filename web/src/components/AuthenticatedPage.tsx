import { Anchor, Badge, Box, Container, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { type ActiveCompany, getSession, type Session } from '../api/auth.ts';
import { getMeta } from '../api/meta.ts';
import { companyName, leave, onSessionChange } from '../session.ts';
import { SignInDialog } from '../sign-in/SignInDialog.tsx';
import { ColorSchemeSelect } from './ColorSchemeSelect.tsx';
import { CompanySelect } from './CompanySelect.tsx';
import { ErrorAlert } from './ErrorAlert.tsx';
import { LoadingSkeleton } from './LoadingSkeleton.tsx';
import { Logo } from './Logo.tsx';
import { MetaContext } from './useMeta.ts';
import { useQuery } from './useQuery.ts';

/** Reads the session, and redirects to the sign-in page without one. */
async function requireSession(): Promise<Session> {
  const session = await getSession();
  if (session) return session;
  const path = encodeURIComponent(location.pathname + location.search);
  return leave(() => location.replace(`/sign-in?return_to=${path}`));
}

/** Reads the session, and at the same time the words of the API, which its pages wait for. */
async function load() {
  const loading = getMeta();
  // Whoever has no session or no company sees nothing that takes words.
  loading.catch(() => undefined);
  const session = await requireSession();
  return { session, meta: session.company ? await loading : undefined };
}

/** The layout of pages for people who are signed in: company, navigation and content. */
export function AuthenticatedPage({
  children,
}: {
  children: (session: Session & { company: ActiveCompany }) => ReactNode;
}) {
  const { data: { session, meta } = {}, error } = useQuery(load);
  // Until there is a company, there is nothing on the page that somebody could have typed.
  const isComplete = session?.company != null;
  useEffect(() => (isComplete ? undefined : onSessionChange(() => location.reload())), [isComplete]);
  const withCompany = (complete: Session & { company: ActiveCompany }) => (
    <MetaContext value={meta}>
      {children(complete)}
      <SignInDialog session={complete} />
    </MetaContext>
  );
  return (
    <Box>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Box component="header" className="app-header">
        <Container size="lg" py="xs">
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Logo />
              <Group gap="2px 10px">
                <Text fw={700} lh={1.2}>
                  {session?.company ? companyName(session.company) : 'Premises'}
                </Text>
                {session?.company?.is_sandbox && <Badge variant="outline">Test data</Badge>}
              </Group>
            </Group>
            <ColorSchemeSelect />
          </Group>
          {session && <Navigation role={session.role} />}
        </Container>
      </Box>
      <Container component="main" id="main" size="lg" py="lg" tabIndex={-1}>
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!session && !error && <LoadingSkeleton />}
        {session &&
          (session.company ? withCompany({ ...session, company: session.company }) : <NoCompany session={session} />)}
      </Container>
    </Box>
  );
}

/** The links between pages. Which there are depends on the role: added later, some would move the page. */
function Navigation({ role }: Pick<Session, 'role'>) {
  return (
    <Group component="nav" aria-label="Main" gap="4px 18px" mt={6} fz={{ base: 'sm', xs: 'md' }}>
      <NavLink to="/dashboard">Dashboard</NavLink>
      {role !== 'member' && <NavLink to="/ai-usage">AI usage</NavLink>}
      <NavLink to="/graphql">GraphiQL</NavLink>
      {role === 'admin' && <NavLink to="/people">People</NavLink>}
      {role === 'admin' && <NavLink to="/company">Company</NavLink>}
      {role === 'admin' && <NavLink to="/security-log">Security log</NavLink>}
      <NavLink to="/webhooks">Webhooks</NavLink>
      <NavLink to="/notifications">Notifications</NavLink>
      <NavLink to="/account">Account</NavLink>
    </Group>
  );
}

function NavLink({ to, children }: { to: string; children: string }) {
  const isCurrent = location.pathname.replace(/\/$/, '') === to;
  return (
    <Anchor
      href={to}
      inherit
      underline="hover"
      aria-current={isCurrent ? 'page' : undefined}
      fw={isCurrent ? 700 : 400}
    >
      {children}
    </Anchor>
  );
}

function NoCompany({ session }: { session: Session }) {
  return (
    <Stack>
      <Text>You're no longer a member of the selected company. Choose another company to continue.</Text>
      <CompanySelect session={session} />
    </Stack>
  );
}
