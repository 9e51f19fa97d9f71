import { Card, Checkbox, NativeSelect, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type ActiveCompany, deleteCompany, exportCompany, type Session } from '../api/auth.ts';
import { getCompanySettings, type CompanySettings as Settings, updateCompanySettings } from '../api/people.ts';
import { listTimeZones } from '../company-time.ts';
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
import { t } from '../texts/company.ts';
import { locale } from '../texts/texts.ts';

export default function CompanySettings() {
  return (
    <AdminPage title={t('company')}>
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
    onSuccess: () => setStatus(t('saved')),
  });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);
  const { labelled, text } = useFields('updateCompanySettings', fieldErrors);
  return (
    <Card withBorder padding="lg">
      <form ref={element} aria-label={t('companySettings')} onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack maw={480}>
          <TextInput {...field('name')} {...text('name')} required />
          <NativeSelect {...field('currency')} {...labelled('currency')} data={listCurrencies(settings.currency)} />
          <NativeSelect
            {...field('timeZone')}
            {...labelled('timeZone')}
            description={t('decidesWhenADayBeginsFor')}
            data={listTimeZones(settings.timeZone)}
          />
          <Checkbox
            {...field('separateApproval', 'checkbox')}
            {...labelled('separateApproval')}
            description={t('nobodyCanApproveARequisitionA')}
          />
          <Checkbox
            {...field('separateTimes', 'checkbox')}
            {...labelled('separateTimes')}
            description={t('timeRecordsOfOnePersonAnd')}
          />
          <Checkbox
            {...field('singleDesk', 'checkbox')}
            {...labelled('singleDesk')}
            description={t('nobodyCanHaveTwoDesksAt')}
          />
          <TextInput
            {...field('searchLanguage')}
            {...text('searchLanguage')}
            description={t('languageOfTheTextOfFiles')}
            required
          />
          <TextInput
            {...field('fiscalYearStartMonth')}
            {...text('fiscalYearStartMonth')}
            type="number"
            min={1}
            max={12}
            required
            description={t('figuresByFiscalYearBeginIn')}
          />
          <TextInput
            {...field('emailSenderName')}
            {...text('emailSenderName')}
            description={t('theNameThatTheCompanysEmails')}
            placeholder={settings.name}
          />
          <TextInput
            {...field('emailReplyTo')}
            {...text('emailReplyTo')}
            description={t('theAddressThatRepliesToThe')}
            type="email"
          />
          {message && <ErrorAlert title={t('couldntSaveTheSettings')}>{message}</ErrorAlert>}
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
          {t('exportData')}
        </Title>
        <Text>{t('aZIPArchiveWithTheData')}</Text>
        <Text>{t('itLeavesOutWhatOtherPeople')}</Text>
        {message && <ErrorAlert title={t('couldntExportTheCompany')}>{message}</ErrorAlert>}
        <SubmitButton type="button" variant="default" isPending={isPending} onClick={() => mutate()}>
          {t('exportData')}
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
            {t('deleteCompany')}
          </Title>
          <Text>{t('thisDeletesAllDataOfThe')}</Text>
          <TextInput
            key={form.key('slug')}
            {...form.getInputProps('slug')}
            label={t('toConfirmEnterTheCompanyCode', { slug })}
            name="slug"
            required
            withAsterisk={false}
            autoComplete="off"
            error={formatFieldError(t('companyCode'), fieldErrors['slug'])}
          />
          {person.has_password && (
            <PasswordInput
              key={form.key('password')}
              {...form.getInputProps('password')}
              label={t('yourPassword')}
              name="password"
              required
              withAsterisk={false}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
              error={formatFieldError(t('password'), fieldErrors['password'])}
            />
          )}
          {message && <ErrorAlert title={t('couldntDeleteTheCompany')}>{message}</ErrorAlert>}
          <SubmitButton isPending={isPending} color="red">
            {t('deleteCompany')}
          </SubmitButton>
        </Stack>
      </form>
    </Card>
  );
}

/** The currencies by name, with the current one. */
function listCurrencies(current: string) {
  const names = new Intl.DisplayNames(locale(), { type: 'currency' });
  return [...new Set([...Intl.supportedValuesOf('currency'), current])]
    .map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` }))
    .sort((one, other) => one.label.localeCompare(other.label));
}
