import { Card, Checkbox, NativeSelect, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type ActiveCompany, deleteCompany, exportCompany, type Session } from '../api/auth.ts';
import { getCompanySettings, type CompanySettings as Settings, updateCompanySettings } from '../api/people.ts';
import { AdminPage } from '../components/AdminPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useFields, useLabel } from '../components/useMeta.ts';
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
  const { data: settings, error } = useQuery({
    queryKey: ['company-settings'],
    queryFn: getCompanySettings,
    // What somebody is changing is not read again.
    staleTime: Infinity,
    gcTime: 0,
  });
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  return settings ? <SettingsForm settings={settings} /> : <LoadingSkeleton />;
}

function SettingsForm({ settings }: { settings: Settings }) {
  const element = useRef<HTMLFormElement>(null);
  const [status, setStatus] = useState('');
  const { slug: _unchanged, ...changeable } = settings;
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      ...changeable,
      fiscalYearStartMonth: String(settings.fiscalYearStartMonth),
      emailSenderName: settings.emailSenderName ?? '',
      emailReplyTo: settings.emailReplyTo ?? '',
    },
  });
  const field = (name: keyof typeof form.values, type: 'input' | 'checkbox' = 'input') =>
    form.getInputProps(name, { type });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (values: typeof form.values) =>
      updateCompanySettings({ ...values, fiscalYearStartMonth: Number(values.fiscalYearStartMonth) }),
    onMutate: () => setStatus(''),
    onSuccess: () => setStatus('Saved.'),
  });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);
  const { labelled, text } = useFields('updateCompanySettings', fieldErrors);
  return (
    <Card withBorder padding="lg">
      <form ref={element} aria-label="Company settings" onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack maw={480}>
          <TextInput {...field('name')} {...text('name')} required />
          <NativeSelect {...field('currency')} {...labelled('currency')} data={listCurrencies(settings.currency)} />
          <NativeSelect
            {...field('timeZone')}
            {...labelled('timeZone')}
            description="Decides when a day begins: for due dates, expired leases, and figures by day."
            data={listTimeZones(settings.timeZone)}
          />
          <Checkbox
            {...field('separateApproval', 'checkbox')}
            {...labelled('separateApproval')}
            description="Nobody can approve a requisition, a purchase order or an invoice that they requested themselves."
          />
          <Checkbox
            {...field('separateTimes', 'checkbox')}
            {...labelled('separateTimes')}
            description="Time records of one person and type cannot overlap."
          />
          <Checkbox
            {...field('singleDesk', 'checkbox')}
            {...labelled('singleDesk')}
            description="Nobody can have two desks at once."
          />
          <TextInput
            {...field('searchLanguage')}
            {...text('searchLanguage')}
            description="Language of the text of files, such as german: searches find the forms of its words. None: simple."
            required
          />
          <TextInput
            {...field('fiscalYearStartMonth')}
            {...text('fiscalYearStartMonth')}
            type="number"
            min={1}
            max={12}
            required
            description="Figures by fiscal year begin in this month."
          />
          <TextInput
            {...field('emailSenderName')}
            {...text('emailSenderName')}
            description="The name that the company's emails are sent from."
            placeholder={settings.name}
          />
          <TextInput
            {...field('emailReplyTo')}
            {...text('emailReplyTo')}
            description="The address that replies to the company's emails go to."
            type="email"
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
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => saveResponse(await exportCompany(), 'company.zip'),
  });
  const message = messageOf(error);
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
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({ mode: 'uncontrolled', initialValues: { slug: '', password: '' } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ slug, password }: typeof form.values) =>
      deleteCompany(slug, person.has_password ? password : undefined),
    onSuccess: () => {
      broadcastSessionChange();
      return leave(() => location.assign('/sign-in'));
    },
  });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);
  // The sandbox has the code of its company with a suffix.
  const slug = company.is_sandbox ? company.slug.replace(/-sandbox$/, '') : company.slug;
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="delete">
      <form ref={element} aria-labelledby="delete" onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack maw={480}>
          <Title order={2} size="h3" id="delete">
            Delete company
          </Title>
          <Text>
            This deletes all data of the company and its sandbox, and the accounts of people who belong to no other
            company. It can't be undone. Export the data first if you may need it.
          </Text>
          <TextInput
            key={form.key('slug')}
            {...form.getInputProps('slug')}
            label={`To confirm, enter the company code: ${slug}`}
            name="slug"
            required
            withAsterisk={false}
            autoComplete="off"
            error={formatFieldError('Company code', fieldErrors['slug'])}
          />
          {person.has_password && (
            <PasswordInput
              key={form.key('password')}
              {...form.getInputProps('password')}
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
