import { Card, Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
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
      currency: data.get('currency') as string,
      timeZone: data.get('timeZone') as string,
      separateApproval: data.get('separateApproval') !== null,
      emailSenderName: data.get('emailSenderName') as string,
      emailReplyTo: data.get('emailReplyTo') as string,
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
          <NativeSelect
            label="Currency"
            name="currency"
            data={listCurrencies(settings.currency)}
            defaultValue={settings.currency}
            error={formatFieldError('Currency', fieldErrors['currency'])}
          />
          <NativeSelect
            label="Time zone"
            description="Decides when a day begins: for due dates, expired leases, and figures by day."
            name="timeZone"
            data={listTimeZones(settings.timeZone)}
            defaultValue={settings.timeZone}
            error={formatFieldError('Time zone', fieldErrors['timeZone'])}
          />
          <Checkbox
            name="separateApproval"
            label="Separate approval"
            description="Nobody can approve a requisition, a purchase order or an invoice that they requested themselves."
            defaultChecked={settings.separateApproval}
          />
          <TextInput
            label="Email sender"
            description="The name that the company's email is sent under."
            name="emailSenderName"
            placeholder={settings.name}
            maxLength={200}
            defaultValue={settings.emailSenderName ?? ''}
            error={formatFieldError('Email sender', fieldErrors['emailSenderName'])}
          />
          <TextInput
            label="Reply address"
            description="Where answers to the company's email go."
            name="emailReplyTo"
            type="email"
            maxLength={500}
            defaultValue={settings.emailReplyTo ?? ''}
            error={formatFieldError('Reply address', fieldErrors['emailReplyTo'])}
          />
          {message && <ErrorAlert title="Couldn't save the settings">{message}</ErrorAlert>}
          <SubmitButton isPending={isPending}>Save</SubmitButton>
          <Text role="status">{status}</Text>
        </Stack>
      </form>
    </Card>
  );
}

/** The currencies by name, with the current one. */
function listCurrencies(current: string) {
  const names = new Intl.DisplayNames('en', { type: 'currency' });
  return [...new Set([...Intl.supportedValuesOf('currency'), current])]
    .map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** The time zones by name, with UTC and the current one, which browsers may leave out or know by another name. */
const listTimeZones = (current: string) => [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])].sort();
