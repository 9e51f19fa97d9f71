import { Checkbox, Group, NativeSelect, Radio, Stack, Table, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '../api/http.ts';
import type { ScopeGroup } from '../api/meta.ts';
import { createToken, listGrantableScopes } from '../api/tokens.ts';
import { DataChoice } from '../components/DataChoice.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { FormButtons } from '../components/FormButtons.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useFields, useLabel, useMeta } from '../components/useMeta.ts';
import { formatFieldError } from '../format.ts';
import { fromClockTime } from '../reader-time.ts';
import { t } from '../texts/account.ts';

const expirations = () => [
  { value: '30', label: t('30Days') },
  { value: '90', label: t('90Days') },
  { value: '365', label: t('1Year') },
  { value: 'never', label: t('noExpiration') },
  { value: 'custom', label: t('customDate') },
];

interface Props {
  /** Receives the new token's secret and its scopes. */
  readonly onCreate: (token: string, scopes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** A form that creates an API token. */
export function CreateToken({ onCreate, onCancel }: Props) {
  const { data: grantable = [], error: loadError } = useQuery({
    queryKey: ['grantable-scopes'],
    queryFn: listGrantableScopes,
  });
  const meta = useMeta();
  const label = useLabel('createApiToken');
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({ initialValues: { name: '', access: 'selected', live: 'live', expiration: '365', date: '' } });
  const { access, expiration } = form.values;
  const [selected, setSelected] = useState<readonly string[]>([]);

  const canGrant = (scope: string) => grantable.includes(scope);
  // Without *, both wildcards together grant the same.
  const fullAccess = canGrant('*') ? ['*'] : ['*:read', '*:write'];
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ name, live, date }: typeof form.values) => {
      const scopes = access === 'full' ? fullAccess : access === 'read' ? ['*:read'] : selected;
      if (scopes.length === 0) throw new ApiError('', 'VALIDATION_ERROR', { scopes: t('selectAtLeastOnePermission') });
      const input = { name, scopes, live: live === 'live', expiresAt: expiresAt(expiration, date) };
      return { token: await createToken(input), scopes };
    },
    onSuccess: ({ token, scopes }) => onCreate(token, scopes),
  });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);
  const { text } = useFields('createApiToken', fieldErrors);

  const toggle = (scope: string) =>
    setSelected((scopes) => (scopes.includes(scope) ? scopes.filter((other) => other !== scope) : [...scopes, scope]));
  // Errors without a field of their own, and those of the permissions, which fill more than a screen.
  const formError = loadError?.message ?? message ?? formatFieldError(t('permissions'), fieldErrors['scopes']);

  return (
    <form ref={element} aria-label={label} onSubmit={form.onSubmit((values) => mutate(values))}>
      <Stack maw={560}>
        <Title order={3} size="h4">
          {t('newToken')}
        </Title>
        <TextInput {...form.getInputProps('name')} {...text('name')} description={t('whatIsThisTokenFor')} autoFocus />
        <Radio.Group
          label={t('permissions')}
          description={t('writeAccessDoesntIncludeReadAccess')}
          name="access"
          {...form.getInputProps('access')}
        >
          <Stack gap="xs" mt="xs">
            {(canGrant('*') || canGrant('*:write')) && <Radio value="full" label={t('fullAccess')} />}
            {canGrant('*:read') && <Radio value="read" label={t('readOnlyAccess')} />}
            <Radio value="selected" label={t('selectedPermissions')} />
          </Stack>
        </Radio.Group>
        {access === 'selected' && (
          <ScopeTable groups={meta.scopeGroups} grantable={grantable} selected={selected} onToggle={toggle} />
        )}
        <DataChoice {...form.getInputProps('live')} />
        <Group align="flex-start">
          <NativeSelect
            label={t('expiration')}
            data={expirations()}
            {...form.getInputProps('expiration')}
            error={expiration === 'custom' ? undefined : formatFieldError(t('expiration'), fieldErrors['expiresAt'])}
          />
          {expiration === 'custom' && (
            <TextInput
              {...form.getInputProps('date')}
              type="date"
              label={t('expirationDate')}
              name="date"
              required
              withAsterisk={false}
              error={formatFieldError(t('expirationDate'), fieldErrors['expiresAt'])}
            />
          )}
        </Group>
        {formError && <ErrorAlert title={t('couldntCreateTheToken')}>{formError}</ErrorAlert>}
        <FormButtons isPending={isPending} onCancel={onCancel}>
          {label}
        </FormButtons>
      </Stack>
    </form>
  );
}

interface ScopeTableProps {
  readonly groups: readonly ScopeGroup[];
  readonly grantable: readonly string[];
  readonly selected: readonly string[];
  readonly onToggle: (scope: string) => void;
}

/** A checkbox for each scope, by scope group. */
function ScopeTable({ groups, grantable, selected, onToggle }: ScopeTableProps) {
  return (
    <Table aria-label={t('permissions')} verticalSpacing={4} withTableBorder>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('resource')}</Table.Th>
          <Table.Th scope="col">{t('read')}</Table.Th>
          <Table.Th scope="col">{t('write')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map(({ name: group, label }) => (
          <Table.Tr key={group}>
            <Table.Th scope="row" fw={400}>
              {label}
            </Table.Th>
            {(['read', 'write'] as const).map((verb) => (
              <Table.Td key={verb}>
                {grantable.includes(`${group}:${verb}`) && (
                  <Checkbox
                    aria-label={t(verb === 'read' ? 'readOf' : 'writeOf', { label })}
                    checked={selected.includes(`${group}:${verb}`)}
                    onChange={() => onToggle(`${group}:${verb}`)}
                  />
                )}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** When the token expires: some days from now, at the end of a date, or never. */
function expiresAt(expiration: string, date: string): string | null {
  if (expiration === 'never') return null;
  if (expiration !== 'custom') return new Date(Date.now() + Number(expiration) * 86_400_000).toISOString();
  if (!date) throw new ApiError('', 'VALIDATION_ERROR', { expiresAt: t('expirationDateIsRequired') });
  return fromClockTime(`${date}T23:59:59.999`);
}
