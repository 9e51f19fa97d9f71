import { Card, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { getCompanySettings, type CompanySettings as Settings, updateCompanySettings } from '../api/people.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatFieldError } from '../format.ts';

export default function CompanySettings() {
  return <AdminPage title="Company">{() => <LoadedSettings />}</AdminPage>;
}

function LoadedSettings() {
  const { data: settings, error } = useQuery(getCompanySettings);
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  return settings ? <SettingsForm settings={settings} /> : <LoadingSkeleton />;
}

function SettingsForm({ settings }: { settings: Settings }) {
  const form = useRef<HTMLFormElement>(null);
  const [status, setStatus] = useState('');
  const { mutate, isPending, error, fieldErrors, message } = useMutation(async (data: FormData) => {
    setStatus('');
    await updateCompanySettings({
      name: data.get('name') as string,
      separateApproval: data.get('separateApproval') !== null,
    });
    setStatus('Saved.');
  });
  useFocusFirstError(form, error);
  return (
    <Card withBorder padding="lg">
      <form
        ref={form}
        aria-label="Company settings"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(new FormData(event.currentTarget));
        }}
      >
        <Stack maw={480}>
          <TextInput
            label="Name"
            name="name"
            required
            withAsterisk={false}
            maxLength={200}
            defaultValue={settings.name}
            error={formatFieldError('Name', fieldErrors['name'])}
          />
          <Checkbox
            name="separateApproval"
            label="Separate approval"
            description="Nobody can approve a requisition, a purchase order or an invoice that they requested themselves."
            defaultChecked={settings.separateApproval}
          />
          {message && <ErrorAlert title="Couldn't save the settings">{message}</ErrorAlert>}
          <SubmitButton isPending={isPending}>Save</SubmitButton>
          <Text role="status">{status}</Text>
        </Stack>
      </form>
    </Card>
  );
}
