import { NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Session, selectCompany } from '../api/auth.ts';
import { broadcastSessionChange, companyName, leave } from '../session.ts';
import { t } from '../texts/components.ts';
import { ErrorAlert } from './ErrorAlert.tsx';

/** Selects the company, or its sandbox, that the session works in. */
export function CompanySelect({ session: { company, companies } }: { session: Session }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: selectCompany,
    onSuccess: () => {
      broadcastSessionChange();
      return leave(() => location.reload());
    },
  });

  if (companies.length === 0) return <Text>{t('youreNotAMemberOfAny')}</Text>;
  return (
    <Stack gap="xs">
      {error && <ErrorAlert title={t('couldntSwitchCompanies')}>{error.message}</ErrorAlert>}
      <NativeSelect
        label={t('activeCompany')}
        description={t('thePagesAndGraphiQLShowThis')}
        disabled={isPending}
        value={company?.id ?? ''}
        onChange={({ currentTarget }) => currentTarget.value !== '' && mutate(currentTarget.value)}
        data={[
          ...(company ? [] : [{ value: '', label: t('choose') }]),
          ...companies.map((option) => ({
            value: option.id,
            label: `${companyName(option)} (${t(`roles.${option.role}`)})`,
          })),
        ]}
      />
    </Stack>
  );
}
