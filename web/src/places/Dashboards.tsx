import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { dashboardsQuery } from '../answers/dashboards.ts';
import { createDashboard } from '../api/dashboards.ts';
import { PageLink } from '../app/Link.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { usePageSession } from '../console/company.ts';
import { Place, Section, Waiting } from '../console/Place.tsx';
import { t } from '../texts/answers.ts';

/** The dashboards that the person sees, and a form of a new one. */
export default function Dashboards() {
  const { company, role } = usePageSession();
  const { data, error } = useQuery(dashboardsQuery);
  return (
    <Place title={t('dashboards')}>
      {!data && <Waiting error={error} />}
      {data?.length === 0 && <Text>{t('thereAreNoDashboardsYet')}</Text>}
      {data && data.length > 0 && (
        <ul className="list">
          {data.map(({ id, name, isOfCompany, isShared, mayEdit, ownedBy }) => (
            <li key={id}>
              <PageLink to={`/c/${company.slug}/dashboards/${id}`}>{name}</PageLink>{' '}
              <Text span size="sm">
                {isOfCompany
                  ? t('ofTheCompany')
                  : !mayEdit
                    ? t('sharedByOwnedBy', { ownedBy })
                    : isShared
                      ? t('sharedWithTheCompany')
                      : t('onlyYou')}
              </Text>
            </li>
          ))}
        </ul>
      )}
      <Section title={t('newDashboard')}>
        <NewDashboard slug={company.slug} isAdmin={role === 'admin'} />
      </Section>
    </Place>
  );
}

function NewDashboard({ slug, isAdmin }: { readonly slug: string; readonly isAdmin: boolean }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: '', isShared: false, isOfCompany: false } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (values: typeof form.values) => createDashboard({ ...values, tiles: [] }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: dashboardsQuery.queryKey });
      await navigate({ href: `/c/${slug}/dashboards/${id}` });
    },
  });
  return (
    <form aria-label={t('newDashboard')} onSubmit={form.onSubmit((values) => mutate(values))}>
      {error && <ErrorAlert title={t('couldntSaveTheDashboard')}>{error.message}</ErrorAlert>}
      <Group align="flex-end">
        <TextInput label={t('name')} required withAsterisk={false} maxLength={200} {...form.getInputProps('name')} />
        <Checkbox label={t('shareItWithEveryone')} {...form.getInputProps('isShared', { type: 'checkbox' })} />
        {isAdmin && (
          <Checkbox label={t('itIsTheCompanys')} {...form.getInputProps('isOfCompany', { type: 'checkbox' })} />
        )}
        <Button type="submit" loading={isPending}>
          {t('createDashboard')}
        </Button>
      </Group>
    </form>
  );
}
