import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { type Company, type Session, selectCompany } from '../../api/auth.ts';
import { AuthenticatedPage } from '../../components/AuthenticatedPage.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../../components/usePageTitle.ts';
import { broadcastSessionChange, companyName, leave } from '../../session.ts';
import { databasesWithTaps } from '../../taps/forget.ts';
import { t } from '../../texts/console.ts';
import { withTexts } from '../../texts/texts.ts';
import { Missing } from '../Missing.tsx';

const SendTaps = lazy(() => withTexts(import('../../taps/SendTaps.tsx')));

/** The pages of a company, for people whose session works in the one that the address names. */
export default function CompanyPages() {
  return (
    <AuthenticatedPage>
      {(session) => (
        <OfCompany session={session}>
          <Suspense fallback={<LoadingSkeleton />}>
            <Outlet />
          </Suspense>
          <UnsentTaps personId={session.person.id} />
        </OfCompany>
      )}
    </AuthenticatedPage>
  );
}

/** Sends what the person has tapped without a network, if there is any. */
function UnsentTaps({ personId }: { readonly personId: string }) {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(
    () =>
      void databasesWithTaps(personId).then(
        ({ length }) => setNeeded(length > 0),
        () => undefined,
      ),
    [personId],
  );
  return (
    isNeeded && (
      <Suspense>
        <SendTaps />
      </Suspense>
    )
  );
}

function OfCompany({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const { company: slug } = useParams({ strict: false });
  if (session.company?.slug === slug) return children;
  const other = session.companies.find((each) => each.slug === slug);
  return other ? <OfferToSwitch session={session} to={other} /> : <Missing />;
}

/** Another company is active: what is written here would go there, so the person chooses first. */
function OfferToSwitch({ session: { company }, to }: { readonly session: Session; readonly to: Company }) {
  usePageTitle(t('anotherCompany'));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => selectCompany(to.id),
    onSuccess: () => {
      broadcastSessionChange();
      return leave(() => location.reload());
    },
  });
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('thisPageBelongsToTo', { to: companyName(to) })}
      </Title>
      <Text>{company ? t('youAreWorkingIn', { company: companyName(company) }) : t('youAreWorkingInNone')}</Text>
      {error && <ErrorAlert title={t('couldntSwitchCompanies')}>{error.message}</ErrorAlert>}
      <Group>
        <Button loading={isPending} onClick={() => mutate()}>
          {t('switchToTo', { to: companyName(to) })}
        </Button>
      </Group>
    </Stack>
  );
}
