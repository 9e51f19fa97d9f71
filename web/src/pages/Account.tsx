import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ChangePassword } from '../account/ChangePassword.tsx';
import { TokenLists } from '../account/Tokens.tsx';
import { call, type Refusal } from '../api.ts';
import { ChooseCompany } from '../components/ChooseCompany.tsx';
import { Failure } from '../components/Failure.tsx';
import { SignedIn } from '../components/SignedIn.tsx';
import { useTitle } from '../components/useTitle.ts';
import type { Session } from '../session.ts';
import { tellTabs } from '../tabs.ts';

export default function Account() {
  useTitle('Account');
  return (
    <SignedIn>
      {(session) => (
        <Stack gap="lg">
          <Who session={session} />
          <TokenLists company={session.company} admin={session.role === 'admin'} />
          {session.person.has_password && <ChangePassword email={session.person.email} />}
        </Stack>
      )}
    </SignedIn>
  );
}

function Who({ session }: { session: Session }) {
  const [fault, setFault] = useState<Refusal>();
  const { person } = session;

  async function signOut() {
    try {
      await call('POST', '/auth/sign-out');
      tellTabs();
      location.assign('/sign-in');
    } catch (caught) {
      setFault(caught as Refusal);
    }
  }

  return (
    <Card withBorder padding="lg">
      <Stack>
        <Group justify="space-between">
          <div>
            <Title order={1} size="h2">
              Account
            </Title>
            <Text>
              {person.full_name}, {person.email}
            </Text>
          </div>
          <Button variant="default" onClick={() => void signOut()}>
            Sign out
          </Button>
        </Group>
        {fault && <Failure>{fault.message}</Failure>}
        <ChooseCompany session={session} />
      </Stack>
    </Card>
  );
}
