import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ActiveCompany, Session } from '../api/auth.ts';
import { t } from '../texts/components.ts';
import { AuthenticatedPage } from './AuthenticatedPage.tsx';
import { usePageTitle } from './usePageTitle.ts';

interface Props {
  readonly title: string;
  readonly children: (session: Session & { company: ActiveCompany }) => ReactNode;
}

/** The layout of pages for admins. Others see who can open them; the API decides on access. */
export function AdminPage({ title, children }: Props) {
  usePageTitle(title);
  return (
    <AuthenticatedPage>
      {(session) => (
        <Stack gap="lg">
          <Title order={1} size="h2">
            {title}
          </Title>
          {session.role === 'admin' ? children(session) : <Text>{t('onlyAdminsCanOpenThisPage')}</Text>}
        </Stack>
      )}
    </AuthenticatedPage>
  );
}
