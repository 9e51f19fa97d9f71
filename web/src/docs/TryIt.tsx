import { Anchor, Button, Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { indentJson } from '../api/indent-json.ts';
import { PageLink } from '../app/Link.tsx';
import { t } from '../texts/docs.ts';
import { Trans } from '../texts/Trans.tsx';
import type { Operation } from './openapi.ts';

interface Result {
  readonly status: string;
  readonly body: string;
}

/** A form that sends a request of an operation. @param token an API token; without one the session's cookie applies */
export function TryIt({ operation, token }: { operation: Operation; token: string }) {
  const { method, path, parameters, requestBody } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  const example = requestBody?.content['application/json']?.example;

  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      path: Object.fromEntries(inPath.map(({ name }) => [name, ''])),
      query: '',
      body: requestBody ? JSON.stringify(example ?? {}, null, 2) : '',
    },
  });
  const {
    mutate,
    data: result,
    isPending,
  } = useMutation({
    mutationFn: (entered: typeof form.values) => {
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(entered.path[name] ?? ''));
      const query = entered.query.replace(/^\?/, '');
      return call(method, `/api/v1${target}${query && `?${query}`}`, token, entered.body);
    },
  });

  return (
    <form
      aria-label={t('trySummary', { summary: operation.summary })}
      onSubmit={form.onSubmit((values) => mutate(values))}
    >
      <Stack gap="xs" maw={560}>
        {inPath.map(({ name, description }) => (
          <TextInput
            key={name}
            {...form.getInputProps(`path.${name}`)}
            size="xs"
            label={name}
            description={description}
            required
            withAsterisk={false}
          />
        ))}
        {hasQuery && (
          <TextInput {...form.getInputProps('query')} size="xs" label={t('query')} placeholder="limit=3&search=door" />
        )}
        {requestBody && (
          <Textarea
            {...form.getInputProps('body')}
            size="xs"
            label={t('body')}
            autosize
            maxRows={16}
            classNames={{ input: 'token' }}
          />
        )}
        <Text size="sm">{whoCanRun(operation, token !== '')}</Text>
        <Group>
          <Button type="submit" size="xs" loading={isPending}>
            {t('sendRequest')}
          </Button>
          <Text role="status" size="sm">
            {result?.status}
          </Text>
        </Group>
      </Stack>
      {result?.body && (
        <Code block mah={400} mt="xs" tabIndex={0} role="group" aria-label={t('response')} style={{ overflow: 'auto' }}>
          {result.body}
        </Code>
      )}
    </form>
  );
}

/** Who can run an operation from here, and what others do. */
function whoCanRun({ security, operationId }: Operation, hasToken: boolean): ReactNode {
  const [requirement = {}] = security;
  if (requirement.session) return hasToken ? t('yourSessionRunsThisTokensAre') : t('yourSessionRunsThisIfYou');
  if (!requirement.apiToken) return t('everybodyCanRunThisWithoutA');
  const scope = requirement.apiToken.join(', ');
  if (hasToken) return scope ? t('theTokenRunsThisWithScope', { scope }) : t('theTokenRunsThis');
  return (
    <>
      <Trans
        t={t}
        name={scope ? 'sessionsAreRefusedWithScope' : 'sessionsAreRefused'}
        values={{ scope }}
        components={{ account: <PageLink to="/account" /> }}
      />
      {scope && (
        <>
          {' '}
          <Trans
            t={t}
            name="withYourSession"
            values={{ operationId }}
            components={{ code: <Code />, graphiql: <Anchor href="/graphql" /> }}
          />
        </>
      )}
    </>
  );
}

async function call(method: string, address: string, token: string, body: string): Promise<Result> {
  const start = performance.now();
  try {
    const response = await fetch(address, {
      method,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body }),
    });
    const text = await response.text();
    const duration = Math.round(performance.now() - start);
    return { status: t('statusInDurationMs', { status: response.status, duration }), body: indentJson(text) };
  } catch {
    return { status: t('cantReachTheServerCheckYour'), body: '' };
  }
}
