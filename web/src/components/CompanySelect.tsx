import { NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Session, selectCompany } from '../api/auth.ts';
import { broadcastSessionChange, companyName, leave } from '../session.ts';
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

  if (companies.length === 0) return <Text>You're not a member of any company. Contact your administrator.</Text>;
  return (
    <Stack gap="xs">
      {error && <ErrorAlert title="Couldn't switch companies">{error.message}</ErrorAlert>}
      <NativeSelect
        label="Active company"
        description="The pages and GraphiQL show this company's data. The sandbox has separate test data."
        disabled={isPending}
        value={company?.id ?? ''}
        onChange={({ currentTarget }) => currentTarget.value !== '' && mutate(currentTarget.value)}
        data={[
          ...(company ? [] : [{ value: '', label: 'Choose…' }]),
          ...companies.map((option) => ({ value: option.id, label: `${companyName(option)} (${option.role})` })),
        ]}
      />
    </Stack>
  );
}
