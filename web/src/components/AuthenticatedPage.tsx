import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { ActiveCompany, Session } from '../api/auth.ts';
import { metaQuery } from '../app/meta.ts';
import { Shell } from '../app/Shell.tsx';
import { sessionQuery } from '../app/session.ts';
import { Notices } from '../console/notices.tsx';
import { leave, onSessionChange } from '../session.ts';
import { SignInDialog } from '../sign-in/SignInDialog.tsx';
import { t } from '../texts/components.ts';
import { CompanySelect } from './CompanySelect.tsx';
import { ErrorAlert } from './ErrorAlert.tsx';
import { LoadingSkeleton } from './LoadingSkeleton.tsx';
import { MetaContext } from './useMeta.ts';

/** Leads to the sign-in page, and back to this one. */
const requireSignIn = () =>
  leave(() => location.replace(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`));

/** The layout of pages for people who are signed in: company, navigation and content. */
export function AuthenticatedPage({
  children,
}: {
  children: (session: Session & { company: ActiveCompany }) => ReactNode;
}) {
  const { data: session, error: sessionError } = useQuery(sessionQuery);
  // Whoever has no company sees nothing that takes words.
  const { data: meta, error: metaError } = useQuery({ ...metaQuery, enabled: session !== null });
  const company = session?.company;
  const isGuest = session === null;
  useEffect(() => {
    if (isGuest) void requireSignIn();
  }, [isGuest]);
  // Until there is a company, there is nothing on the page that somebody could have typed.
  const isComplete = company != null;
  useEffect(() => (isComplete ? undefined : onSessionChange(() => location.reload())), [isComplete]);
  const error = sessionError ?? (isComplete ? metaError : null);
  const isLoading = !session || (isComplete && !meta);
  return (
    <Shell session={session ?? undefined} meta={meta}>
      {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
      {isLoading && !error && <LoadingSkeleton />}
      {session && !company && <NoCompany session={session} />}
      {session && company && meta && (
        <MetaContext value={meta}>
          {children({ ...session, company })}
          <SignInDialog session={{ ...session, company }} />
          <Notices />
        </MetaContext>
      )}
    </Shell>
  );
}

function NoCompany({ session }: { session: Session }) {
  return (
    <Stack>
      <Text>{t('youreNoLongerAMemberOf')}</Text>
      <CompanySelect session={session} />
    </Stack>
  );
}
