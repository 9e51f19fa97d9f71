import { Anchor, Badge, Box, Container, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { companyName, readSession, type Session } from '../session.ts';
import { whenTold } from '../tabs.ts';
import { ChooseCompany } from './ChooseCompany.tsx';
import { ColourSwitch } from './ColourSwitch.tsx';
import { Failure } from './Failure.tsx';
import { Mark } from './Mark.tsx';
import { useAnswer } from './useAnswer.ts';

/** Asks who is signed in; whoever is not is led to do so, and then back. */
async function askSession(): Promise<Session> {
  const session = await readSession();
  if (session) return session;
  location.replace(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`);
  return new Promise(() => {});
}

/** A page for people who are signed in: the way around, whose numbers these are, and what is on it. */
export function SignedIn({
  children,
}: {
  children: (session: Session & { company: NonNullable<Session['company']> }) => ReactNode;
}) {
  const { answer: session, error } = useAnswer(askSession);
  // What a page of another company, or of nobody, still shows would be done for the one that was chosen meanwhile.
  useEffect(() => whenTold(() => location.reload()), []);
  return (
    <Box>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <Box component="header" className="top">
        <Container size="lg" py="xs">
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Mark />
              <Text fw={700} lh={1.2}>
                {session?.company ? companyName(session.company) : 'Premises'}
              </Text>
              {session?.company?.is_sandbox && (
                <Badge variant="outline" flex="none">
                  Test
                </Badge>
              )}
            </Group>
            <ColourSwitch />
          </Group>
          <Group component="nav" aria-label="Pages" gap="2px 18px" mt={6} fz={{ base: 'sm', xs: 'md' }}>
            <Way to="/dashboard">Dashboard</Way>
            {session?.role !== 'member' && <Way to="/ai-usage">AI usage</Way>}
            <Way to="/graphql">GraphiQL</Way>
            <Way to="/account">Account</Way>
          </Group>
        </Container>
      </Box>
      <Container component="main" id="main" size="lg" py="lg" tabIndex={-1}>
        {error && <Failure takeFocus={false}>{error.message}</Failure>}
        {!session && !error && <Waiting />}
        {session &&
          (session.company ? children({ ...session, company: session.company }) : <Nowhere session={session} />)}
      </Container>
    </Box>
  );
}

function Way({ to, children }: { to: string; children: string }) {
  const here = location.pathname.replace(/\/$/, '') === to;
  return (
    <Anchor href={to} inherit underline="hover" aria-current={here ? 'page' : undefined} fw={here ? 700 : 400}>
      {children}
    </Anchor>
  );
}

/** What stands where an answer will be. */
export function Waiting() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton h={36} w={220} />
      <Skeleton h={120} />
      <Skeleton h={240} />
    </Stack>
  );
}

function Nowhere({ session }: { session: Session }) {
  return (
    <Stack>
      <Text>You are no longer in the company that you had chosen. Choose another to go on.</Text>
      <ChooseCompany session={session} />
    </Stack>
  );
}
