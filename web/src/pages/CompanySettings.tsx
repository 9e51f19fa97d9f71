import { Card, Checkbox, NativeSelect, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { type ActiveCompany, deleteCompany, exportCompany, type Session } from '../api/auth.ts';
import { getCompanySettings, type CompanySettings as Settings, updateCompanySettings } from '../api/people.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useFields, useLabel } from '../components/useMeta.ts';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { textOf } from '../form.ts';
import { formatFieldError } from '../format.ts';
import { saveResponse } from '../save.ts';
import { broadcastSessionChange, leave } from '../session.ts';

export default function CompanySettings() {
  return (
    <AdminPage title="Company">
      {(session) => (
        <>
          <LoadedSettings />
          <ExportCompany />
          <DeleteCompany session={session} />
        </>
      )}
    </AdminPage>
  );
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
      name: textOf(data, 'name'),
      currency: textOf(data, 'currency'),
      timeZone: textOf(data, 'timeZone'),
      separateApproval: data.get('separateApproval') !== null,
      separateTimes: data.get('separateTimes') !== null,
      singleDesk: data.get('singleDesk') !== null,
      emailSenderName: textOf(data, 'emailSenderName'),
      emailReplyTo: textOf(data, 'emailReplyTo'),
    });
    setStatus('Saved.');
  });
  useFocusFirstError(form, error);
  const { labelled, text } = useFields('updateCompanySettings', fieldErrors);
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
          <TextInput {...text('name')} required defaultValue={settings.name} />
          <NativeSelect
            {...labelled('currency')}
            data={listCurrencies(settings.currency)}
            defaultValue={settings.currency}
          />
          <NativeSelect
            {...labelled('timeZone')}
            description="Decides when a day begins: for due dates, expired leases, and figures by day."
            data={listTimeZones(settings.timeZone)}
            defaultValue={settings.timeZone}
          />
          <Checkbox
            {...labelled('separateApproval')}
            description="Nobody can approve a requisition, a purchase order or an invoice that they requested themselves."
            defaultChecked={settings.separateApproval}
          />
          <Checkbox
            {...labelled('separateTimes')}
            description="Time records of one person and type cannot overlap."
            defaultChecked={settings.separateTimes}
          />
          <Checkbox
            {...labelled('singleDesk')}
            description="Nobody can have two desks at once."
            defaultChecked={settings.singleDesk}
          />
          <TextInput
            {...text('emailSenderName')}
            description="The name that the company's emails are sent from."
            placeholder={settings.name}
            defaultValue={settings.emailSenderName ?? ''}
          />
          <TextInput
            {...text('emailReplyTo')}
            description="The address that replies to the company's emails go to."
            type="email"
            defaultValue={settings.emailReplyTo ?? ''}
          />
          {message && <ErrorAlert title="Couldn't save the settings">{message}</ErrorAlert>}
          <SubmitButton isPending={isPending}>{useLabel('updateCompanySettings')}</SubmitButton>
          <Text role="status">{status}</Text>
        </Stack>
      </form>
    </Card>
  );
}

function ExportCompany() {
  const { mutate, isPending, message } = useMutation(async () => saveResponse(await exportCompany(), 'company.zip'));
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="export">
      <Stack maw={480} align="flex-start">
        <Title order={2} size="h3" id="export">
          Export data
        </Title>
        <Text>
          A ZIP archive with the data of your company, one file per type of record. It contains no passwords or tokens,
          and no data of the sandbox. A large company can take a few minutes.
        </Text>
        <Text>
          It leaves out what other people keep for themselves: their private notes and saved queries, the changes of
          these, and the messages of their webhooks. The operator can export everything.
        </Text>
        {message && <ErrorAlert title="Couldn't export the company">{message}</ErrorAlert>}
        <SubmitButton type="button" variant="default" isPending={isPending} onClick={() => mutate()}>
          Export data
        </SubmitButton>
      </Stack>
    </Card>
  );
}

/** Deletes the company, after its code and the password have been entered. */
function DeleteCompany({ session: { company, person } }: { session: Session & { company: ActiveCompany } }) {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, isPending, error, fieldErrors, message } = useMutation(async (data: FormData) => {
    await deleteCompany(textOf(data, 'slug'), data.has('password') ? textOf(data, 'password') : undefined);
    broadcastSessionChange();
    await leave(() => location.assign('/sign-in'));
  });
  useFocusFirstError(form, error);
  // The sandbox has the code of its company with a suffix.
  const slug = company.is_sandbox ? company.slug.replace(/-sandbox$/, '') : company.slug;
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="delete">
      <form
        ref={form}
        aria-labelledby="delete"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(new FormData(event.currentTarget));
        }}
      >
        <Stack maw={480}>
          <Title order={2} size="h3" id="delete">
            Delete company
          </Title>
          <Text>
            This deletes all data of the company and its sandbox, and the accounts of people who belong to no other
            company. It can't be undone. Export the data first if you may need it.
          </Text>
          <TextInput
            label={`To confirm, enter the company code: ${slug}`}
            name="slug"
            required
            withAsterisk={false}
            autoComplete="off"
            error={formatFieldError('Company code', fieldErrors['slug'])}
          />
          {person.has_password && (
            <PasswordInput
              label="Your password"
              name="password"
              required
              withAsterisk={false}
              autoComplete="current-password"
              error={formatFieldError('Password', fieldErrors['password'])}
            />
          )}
          {message && <ErrorAlert title="Couldn't delete the company">{message}</ErrorAlert>}
          <SubmitButton isPending={isPending} color="red">
            Delete company
          </SubmitButton>
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
