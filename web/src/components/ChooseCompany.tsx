import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call, type Refusal } from '../api.ts';
import { companyName, type Session } from '../session.ts';
import { tellTabs } from '../tabs.ts';
import { Failure } from './Failure.tsx';

/** Chooses the company that everything is done for from then on, or its sandbox. */
export function ChooseCompany({ session: { company, companies } }: { session: Session }) {
  const [fault, setFault] = useState<Refusal>();
  const [busy, setBusy] = useState(false);

  async function choose(id: string) {
    if (id === '') return;
    setBusy(true);
    try {
      await call('PATCH', '/auth/session', { company_id: id });
      tellTabs();
      location.reload();
    } catch (caught) {
      setFault(caught as Refusal);
      setBusy(false);
    }
  }

  if (companies.length === 0) return <Text>No company has you as a member. Ask whoever runs Premises at yours.</Text>;
  return (
    <Stack gap="xs">
      {fault && <Failure>{fault.message}</Failure>}
      <NativeSelect
        label="Active company"
        description="The pages and GraphiQL show this company's rows. A sandbox has rows of its own, to try things on."
        disabled={busy}
        value={company?.id ?? ''}
        onChange={({ currentTarget }) => void choose(currentTarget.value)}
        data={[
          ...(company ? [] : [{ value: '', label: 'Choose…' }]),
          ...companies.map((one) => ({ value: one.id, label: `${companyName(one)}, as ${one.role}` })),
        ]}
      />
    </Stack>
  );
}
