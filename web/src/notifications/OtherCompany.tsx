import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Session, selectCompany } from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { broadcastSessionChange, companyName, leave } from '../session.ts';
import { t } from '../texts/notifications.ts';

/** Offers to switch to the company of an email's link, if another company is active. */
export function OtherCompany({ session: { company, companies } }: { session: Session }) {
  const slug = new URLSearchParams(location.search).get('company')?.trim().toLowerCase();
  const other = companies.find((each) => each.slug === slug && each.id !== company?.id);
  const { mutate, isPending, error } = useMutation({
    mutationFn: selectCompany,
    onSuccess: () => {
      broadcastSessionChange();
      return leave(() => location.reload());
    },
  });
  if (!other) return null;
  return (
    <Alert title={t('anotherCompany')} color="cyan">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('thisLinkOpensNotificationsOfOther', { other: companyName(other) })}</Text>
        {error && <ErrorAlert title={t('couldntSwitchCompanies')}>{error.message}</ErrorAlert>}
        <Button variant="default" disabled={isPending} onClick={() => mutate(other.id)}>
          {t('switchToOther', { other: companyName(other) })}
        </Button>
      </Stack>
    </Alert>
  );
}
